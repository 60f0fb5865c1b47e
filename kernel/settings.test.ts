import { expect, test } from 'vitest';
import { z } from 'zod';
import { configChanged } from './events.ts';
import type { PluginDefinition } from './plugin.ts';
import { isBalanced, owner, plugin, speaker, words, wordsOf } from './test/words.ts';
import { bootKernel, fixedSettings } from './testing.ts';

const config = z.object({ say: z.string().default('hello') }) as unknown as NonNullable<PluginDefinition['config']>;

/** Says what its settings tell it to; `bad` is more than it can say. */
const talker = (id: string, rest: Partial<PluginDefinition> = {}): PluginDefinition =>
  plugin(
    id,
    (ctx) => {
      const { say } = ctx.config as unknown as { say: string };
      if (say === 'bad') throw new Error('I will not say that');
      ctx.contribute(words, { word: say, by: id });
    },
    { config, ...rest },
  );

test('new settings set up anew only the plugins they are about', async () => {
  await using t = await bootKernel([owner, talker('a'), talker('b')]);
  const before = ['a', 'b'].map((id) => t.kernel.active(`builtin::${id}`));
  expect(await t.kernel.configure(fixedSettings({ a: { say: 'hi' } }, {}, 1), ['plugins.a.say'])).toMatchObject({
    ok: true,
    live: ['a'],
  });
  expect(wordsOf(t.kernel)).toEqual(['hi of a', 'hello of b']);
  expect(['a', 'b'].map((id, at) => t.kernel.active(`builtin::${id}`) === before[at])).toEqual([false, true]);
});

test('a plugin whose new settings do not work keeps the old, and the others get theirs', async () => {
  await using t = await bootKernel([owner, talker('a'), talker('b'), speaker('c', 'c')]);
  const settings = fixedSettings({ a: { say: 'bad' }, b: { say: 'hi' }, c: false }, {}, 1);
  expect(await t.kernel.configure(settings, ['plugins'])).toMatchObject({ ok: false, plugin: 'a' });
  expect(wordsOf(t.kernel)).toEqual(['hello of a', 'hi of b']);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('a plugin that fails when it is switched on stops none of the others, and is tried again with its next settings', async () => {
  const settings = (a: { say: string } | false, version: number) =>
    fixedSettings({ a, ...(version < 1 ? { b: false } : {}) }, {}, version);
  await using t = await bootKernel([owner, talker('a'), talker('b')], { config: { a: false, b: false } });
  expect(wordsOf(t.kernel)).toEqual([]);
  await t.kernel.configure(settings({ say: 'bad' }, 1), ['plugins']);
  expect([wordsOf(t.kernel), t.kernel.failures.get('builtin::a')?.message]).toEqual([
    ['hello of b'],
    'plugin a failed in setup: I will not say that',
  ]);
  await t.kernel.configure(settings({ say: 'fine' }, 2), ['plugins.a']);
  expect([wordsOf(t.kernel), t.kernel.failures.size]).toEqual([['fine of a', 'hello of b'], 0]);
});

test('who requires a plugin that is switched off goes with it and comes back with it', async () => {
  await using t = await bootKernel([owner, talker('base'), talker('top', { requires: ['base'] })]);
  expect(await t.kernel.configure(fixedSettings({ base: false }, {}, 1), ['plugins.base'])).toMatchObject({
    unloaded: expect.arrayContaining(['base', 'top']),
  });
  expect(wordsOf(t.kernel)).toEqual([]);
  await t.kernel.configure(fixedSettings({ base: { say: 'back' } }, {}, 2), ['plugins.base']);
  expect(wordsOf(t.kernel)).toEqual(['back of base', 'hello of top']);
});

test('a plugin that is put while it is switched off is known, and runs when it is switched on', async () => {
  await using t = await bootKernel([owner], { config: { a: false } });
  expect(await t.put(talker('a'))).toEqual({ ok: true, live: [], unloaded: [] });
  expect(t.kernel.known.map(({ definition }) => definition.id)).toContain('a');
  await t.kernel.configure(fixedSettings({}, {}, 1), ['plugins.a']);
  expect(wordsOf(t.kernel)).toEqual(['hello of a']);
});

test('switched off is checked when it is switched on: an id of a built-in stays taken', async () => {
  await using t = await bootKernel([owner]);
  await t.kernel.configure(fixedSettings({ owner: false }, {}, 1), []);
  await t.kernel.configure(
    {
      ...fixedSettings({}, {}, 2),
      plugin: (id, level) => ({ off: level === 'user' && id === 'owner' ? 'off' : undefined, settings: {} }),
    },
    ['plugins.owner'],
  );
  await t.put(speaker('owner', 'mine'), { level: 'user' });
  await t.kernel.configure(fixedSettings({}, {}, 3), ['plugins.owner']);
  expect([wordsOf(t.kernel), t.kernel.failures.get('user::owner')?.code]).toEqual([[], 'id_taken']);
});

test('settings wait for the change that is under way, so that no change has two', async () => {
  await using t = await bootKernel([owner]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = t.put(talker('a', { setup: (ctx) => promise.then(() => void talker('a').setup(ctx)) }));
  const configured = t.kernel.configure(fixedSettings({ a: { say: 'new' } }, {}, 1), ['plugins.a']);
  resolve();
  await Promise.all([slow, configured]);
  expect(wordsOf(t.kernel)).toEqual(['new of a']);
});

test('config.changed says which keys', async () => {
  const told: unknown[] = [];
  await using t = await bootKernel([
    plugin('ear', (ctx) => ctx.tap(configChanged, (change) => void told.push(change))),
  ]);
  await t.kernel.configure(fixedSettings({}, { model: 'x' }, 1), ['model']);
  expect([told, t.view.setting('model')]).toEqual([[{ keys: ['model'] }], 'x']);
});
