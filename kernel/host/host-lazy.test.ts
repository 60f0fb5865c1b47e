import { expect, test } from 'vitest';
import type { Entry } from '../capability.ts';
import { type House, house, word, words } from './test/house.ts';

const user = (name: string): string => `home/extensions/${name}`;
const project = (name: string): string => `project/.kern/extensions/${name}`;

/** A word whose plugin leaves a mark when it is evaluated. */
const marking = (mark: string, text: string): string =>
  `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(mark)}, 'ran ');\n${text}`;

const manifest = (id: string, more: object = {}): string =>
  JSON.stringify({
    kern: {
      extensions: ['./main.ts'],
      id,
      contributes: { word: [id] },
      stubs: { word: [{ key: id }] },
      ...more,
    },
  });

/** Writes a package that says all about itself. */
function pack(h: House, at: (name: string) => string, id: string, text: string, more: object = {}): void {
  h.write(at(`${id}/main.ts`), marking(h.path('mark'), word(id, text)));
  h.write(at(`${id}/package.json`), manifest(id, more));
}

/** Uses a word, as whoever calls an item does. */
const use = (h: House, key: string): Promise<string> =>
  h.kernel.outlook.run(h.kernel.outlook.use(words).get(key) as Entry<{ text: string }>, ({ text }) => text);

test('a package that says all about itself sleeps until something of it is used', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake');
  await h.host.start();
  await h.watch();
  await h.kernel.outlook.use(words).load();
  expect(h.words()).toEqual(['a: asleep']);
  expect(h.exists('mark')).toBe(false);
  expect(h.told).toEqual([]);
  expect(h.kernel.sleeping.map(({ id, level, source }) => ({ id, level, source }))).toEqual([
    { id: 'a', level: 'user', source: h.path(user('a/main.ts')) },
  ]);
  expect(await use(h, 'a')).toBe('awake');
  await h.settle();
  expect(h.words()).toEqual(['a: awake']);
  expect(h.read('mark')).toBe('ran ');
  expect(h.told).toEqual(['a live']);
  expect(h.states()).toEqual({ [user('a/main.ts')]: 'loaded' });
});

test('it wakes also for a call from a turn that was pinned before', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake');
  await h.host.start();
  using turn = h.kernel.outlook.pin();
  await turn.use(words).load();
  expect(h.exists('mark')).toBe(false);
  expect(await turn.run(turn.use(words).get('a') as Entry<{ text: string }>, ({ text }) => text)).toBe('awake');
});

test('without stubs it sleeps until its capability is read, and a plugin that requires it wakes it', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake', { stubs: undefined });
  pack(h, user, 'b', 'awake');
  h.write(user('c.ts'), word('c', 'eager', `requires: ['b'],`));
  await h.host.start();
  expect(h.words()).toEqual(['b: awake', 'c: eager']);
  await h.kernel.outlook.use(words).load();
  expect(h.words()).toEqual(['a: awake', 'b: awake', 'c: eager']);
});

test('one that looks for files sleeps where none is there, and wakes when one comes', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake', { stubs: undefined, looksFor: { word: ['.words'] } });
  await h.host.start();
  await h.watch();
  await h.kernel.outlook.use(words).load();
  expect(h.exists('mark')).toBe(false);
  h.write('project/.words', '');
  await expect.poll(() => h.words(), { timeout: 10_000 }).toEqual(['a: awake']);
});

test('a file that came after the look and before anyone watched wakes it all the same', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake', { stubs: undefined, looksFor: { word: ['.words'] } });
  await h.host.start();
  await h.kernel.outlook.use(words).load();
  h.write('project/.words', '');
  expect(h.exists('mark')).toBe(false);
  await h.watch();
  await expect.poll(() => h.words(), { timeout: 10_000 }).toEqual(['a: awake']);
});

test('what declares or taps something of its own, or says too little, is loaded at once', async () => {
  await using h = await house();
  pack(h, user, 'a', 'declares', { declares: ['a/thing'] });
  pack(h, user, 'b', 'taps', { taps: ['tool.call'] });
  pack(h, user, 'c', 'says nothing of items', { contributes: undefined });
  pack(h, user, 'd', 'has no id', { id: undefined });
  pack(h, user, 'e', 'brings nothing', { contributes: {} });
  await h.host.start();
  expect(h.words().map((line) => line.slice(3))).toEqual([
    'declares',
    'taps',
    'says nothing of items',
    'has no id',
    'brings nothing',
  ]);
});

test('once awake it is reloaded like any other; while it sleeps an edit runs nothing', async () => {
  await using h = await house();
  pack(h, user, 'a', 'one');
  await h.host.start();
  await h.watch();
  h.write(user('a/main.ts'), marking(h.path('mark'), word('a', 'two')));
  h.kernel.touched([h.path(user('a/main.ts'))]);
  await h.settle();
  expect(h.exists('mark')).toBe(false);
  expect(await use(h, 'a')).toBe('two');
  await h.settle();
  h.write(user('a/main.ts'), word('a', 'three'));
  await h.become('a: three');
  h.remove(user('a'));
  await h.become();
});

test('its manifest is followed while it sleeps, and it goes with its folder', async () => {
  await using h = await house();
  pack(h, user, 'a', 'x');
  await h.host.start();
  await h.watch();
  h.write(
    user('a/package.json'),
    manifest('a', { contributes: { word: ['a', 'b'] }, stubs: { word: [{ key: 'a' }, { key: 'b' }] } }),
  );
  await h.become('a: asleep', 'b: asleep');
  h.write(user('a/package.json'), manifest('c'));
  await h.become('c: asleep');
  expect(h.kernel.sleeping.map(({ id }) => id)).toEqual(['c']);
  expect(h.exists('mark')).toBe(false);
  h.remove(user('a'));
  await h.become();
  expect(h.kernel.sleeping).toEqual([]);
});

test('a manifest that goes away leaves a plugin like any other', async () => {
  await using h = await house();
  pack(h, user, 'a', 'awake');
  await h.host.start();
  await h.watch();
  h.write(user('a/package.json'), '{"kern": {"extensions": ["./main.ts"]}}');
  await h.become('a: awake');
});

test('a promise that does not hold is reported: another id, other items, taps', async () => {
  await using h = await house();
  pack(h, user, 'a', 'x');
  h.write(user('a/main.ts'), word('other', 'x'));
  pack(h, user, 'b', 'x');
  h.write(
    user('b/main.ts'),
    `import { definePlugin, pluginChanged } from 'kern/plugin';
import { words } from 'test/words';
export default definePlugin({ id: 'b', setup(ctx) {
  ctx.contribute(words, { key: 'b', text: 'as promised' });
  ctx.contribute(words, { key: 'more', text: 'not promised' });
  ctx.tap(pluginChanged, () => {});
} });`,
  );
  await h.host.start();
  await expect(use(h, 'a')).rejects.toMatchObject({ code: 'stub_empty' });
  await h.settle();
  expect(h.failures()).toEqual(['a: manifest_id']);
  expect(h.states()[user('a/main.ts')]).toBe('failed');
  expect(await use(h, 'b')).toBe('as promised');
  await h.settle();
  expect(h.journal().filter((line) => line.startsWith('manifest_broken'))).toEqual([
    expect.stringContaining('plugin b brings the word more, a tap of plugin.changed, which its manifest does not say'),
  ]);
});

test('one that fails to wake says why, and is tried again when it is mended', async () => {
  await using h = await house();
  pack(h, user, 'a', 'x');
  h.write(user('a/main.ts'), `throw new Error('not yet');`);
  await h.host.start();
  await h.watch();
  await expect(use(h, 'a')).rejects.toThrow('not yet');
  await h.settle();
  expect(h.failures()).toEqual(['a: plugin_threw']);
  h.write(user('a/main.ts'), word('a', 'mended'));
  await h.become('a: mended');
  expect(h.failures()).toEqual([]);
});

test('the id of another file, and of a built-in, is taken also for a sleeper', async () => {
  await using h = await house();
  h.write(user('a.ts'), word('same', 'first'));
  pack(h, user, 'same', 'second');
  pack(h, user, 'listener', 'x');
  await h.host.start();
  expect(h.words()).toEqual(['same: asleep']);
  expect(h.failures()).toEqual(['a: id_taken', 'listener: id_taken']);
});

test('an untrusted project’s manifest is not known; trusted it sleeps, and what changed meanwhile does not wake', async () => {
  await using h = await house();
  pack(h, project, 'a', 'awake');
  const item = { kind: 'plugin', id: '.kern/extensions/a/main.ts', path: h.path(project('a/main.ts')) } as const;
  await h.host.start();
  expect(h.words()).toEqual([]);
  expect(h.kernel.sleeping).toEqual([]);
  await h.trust.grant([item]);
  await h.host.recheck();
  expect(h.words()).toEqual(['a: asleep']);
  h.write(project('a/main.ts'), marking(h.path('mark'), word('a', 'changed')));
  await expect(use(h, 'a')).rejects.toThrow('its content is no longer what was trusted');
  await h.settle();
  expect(h.exists('mark')).toBe(false);
  expect(h.states()).toEqual({ [project('a/main.ts')]: 'blocked' });
  expect(h.words()).toEqual([]);
  await h.trust.grant([item]);
  await h.host.recheck();
  expect(await use(h, 'a')).toBe('changed');
  await h.settle();
  await h.trust.revoke([item]);
  await h.host.recheck();
  expect(h.words()).toEqual([]);
});

test('a sleeper whose trust is taken away is known no more', async () => {
  await using h = await house();
  pack(h, project, 'a', 'awake');
  await h.trust.grant([{ kind: 'plugin', id: '.kern/extensions/a/main.ts', path: h.path(project('a/main.ts')) }]);
  await h.host.start();
  expect(h.words()).toEqual(['a: asleep']);
  await h.trust.revoke();
  await h.host.recheck();
  expect(h.words()).toEqual([]);
  expect(h.kernel.sleeping).toEqual([]);
});
