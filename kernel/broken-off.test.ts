import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { brokenOff } from './broken-off.ts';
import { unitKey } from './kernel.ts';
import type { PluginDefinition } from './plugin.ts';
import { owner, plugin, speaker, wordsOf } from './test/words.ts';
import { bootKernel } from './testing.ts';

const late = (): Error => new Error('late');
const forEver = (): never => {
  for (;;);
};

test('a call that never gives way is broken off, and whatever else it does is as if it were called', () => {
  const store = new AsyncLocalStorage<string>();
  store.run('mine', () => {
    expect(() => brokenOff(20, forEver, late)).toThrow('late');
    expect(brokenOff(1_000, () => store.getStore(), late)).toBe('mine');
    expect(brokenOff(1_000, () => undefined, late)).toBeUndefined();
    const own = new TypeError('its own');
    expect(() =>
      brokenOff(
        1_000,
        () => {
          throw own;
        },
        late,
      ),
    ).toThrow(own);
  });
});

test('one within another: each has its own limit and its own answer', () => {
  const inner = (): string => {
    try {
      return brokenOff(20, forEver, late);
    } catch {
      return 'inner late';
    }
  };
  expect(brokenOff(5_000, () => [inner(), brokenOff(1_000, () => 'in time', late)], late)).toEqual([
    'inner late',
    'in time',
  ]);
  expect(Object.getOwnPropertyNames(globalThis)).not.toContain('kern:call');
});

test('a new version whose setup loops for ever is refused with its name, and the old one goes on', async () => {
  await using t = await bootKernel([owner], { level: 'builtin' });
  const unit = (definition: PluginDefinition, revision: number) => ({
    key: unitKey('user', undefined, 'a'),
    level: 'user' as const,
    source: 'a.ts',
    definition,
    revision,
  });
  await t.kernel.change({ put: [unit(speaker('a', 'hello'), 1)] });
  expect(await t.kernel.change({ put: [unit(plugin('a', forEver), 2)], limitMs: 30 })).toMatchObject({
    ok: false,
    plugin: 'a',
    code: 'setup_late',
    message: expect.stringContaining('gave nobody else a turn for 30 ms'),
  });
  expect(wordsOf(t.kernel)).toEqual(['hello of a']);
});
