import { expect, test } from 'vitest';
import { explain } from './explain.ts';
import { owner, plugin, said, speaker, words } from './test/words.ts';
import { bootKernel, fixedSettings, type TestKernel } from './testing.ts';

const status = (t: TestKernel, id: string) => explain(t.kernel).filter((one) => one.id === id);

test('two plugins with one name: explain names winner and loser', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello'), speaker('b', 'hello', 'bye')]);
  expect(status(t, 'a')).toMatchObject([
    {
      level: 'builtin',
      state: 'active',
      source: 'a (test)',
      contributes: [{ capability: 'word', key: 'hello', verdict: { state: 'won' } }],
      taps: [],
    },
  ]);
  expect(status(t, 'b')).toMatchObject([
    {
      contributes: [
        { key: 'hello', verdict: { state: 'shadowed', by: { plugin: 'a' } } },
        { key: 'bye', verdict: { state: 'won' } },
      ],
    },
  ]);
});

test('it is a value that can be printed as JSON', async () => {
  await using t = await bootKernel([owner, plugin('a', (ctx) => ctx.tap(said, () => undefined))]);
  t.call(said, { text: '' });
  const all = explain(t.kernel);
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  expect(all[0]).toMatchObject({
    id: 'a',
    taps: ['said'],
    revision: expect.any(Number),
    startMs: expect.any(Number),
    hookMs: expect.any(Number),
  });
});

test('off, and by whom; on again, active', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello')], { config: { a: false } });
  expect(status(t, 'a')).toMatchObject([{ state: 'off', by: 'plugins.a: false', contributes: [] }]);
  await t.kernel.configure(fixedSettings({}, {}, 1), ['plugins.a']);
  expect(status(t, 'a')).toMatchObject([{ state: 'active' }]);
});

test('idle, with what the manifest promises; off when it is switched off', async () => {
  const manifest = {
    id: 'lazy',
    declares: [],
    contributes: { word: ['hello'], tool: '*' as const },
    load: async () => speaker('lazy', 'hello'),
  };
  await using t = await bootKernel([owner]);
  t.kernel.introduce([manifest]);
  const contributes = [
    { capability: 'word', key: 'hello', verdict: { state: 'idle' } },
    { capability: 'tool', key: '*', verdict: { state: 'idle' } },
  ];
  expect(status(t, 'lazy')).toMatchObject([{ level: 'builtin', state: 'idle', source: 'built-in', contributes }]);
  await t.kernel.configure(fixedSettings({ lazy: false }, {}, 1), ['plugins.lazy']);
  expect(status(t, 'lazy')).toMatchObject([{ state: 'off', by: 'plugins.lazy: false' }]);
});

test('failed, with the reason, whether it never ran, keeps an old revision, or does not wake', async () => {
  const broken = (id: string) => plugin(id, () => Promise.reject(new Error('out of luck')));
  await using t = await bootKernel([owner, speaker('old', 'hello')]);
  await t.put(broken('old'));
  await t.put(broken('fresh'), { level: 'user' });
  t.kernel.introduce([{ id: 'sleepy', declares: [], contributes: { word: '*' }, load: async () => broken('sleepy') }]);
  await t.view.use(words).load();
  const failure = (id: string) => ({ code: 'plugin_failed', message: `plugin ${id} failed in setup: out of luck` });
  expect(status(t, 'old')).toMatchObject([{ state: 'active', failure: failure('old') }]);
  expect(status(t, 'fresh')).toMatchObject([{ state: 'failed', level: 'user', failure: failure('fresh') }]);
  expect(status(t, 'sleepy')).toMatchObject([{ state: 'failed', failure: failure('sleepy') }]);
  t.kernel.recordFailure(
    { key: 'place:/x.ts', id: 'x', level: 'user', source: '/x.ts', revision: 0 },
    new Error('no default export'),
  );
  expect(status(t, 'x')).toMatchObject([
    { state: 'failed', source: '/x.ts', failure: { message: 'no default export' } },
  ]);
});

test('waiting for a plugin that went, and replaced by another', async () => {
  await using t = await bootKernel([
    owner,
    plugin('base'),
    plugin('top', undefined, { requires: ['base'] }),
    speaker('read', 'hello'),
  ]);
  await t.drop('base');
  expect(status(t, 'top')).toMatchObject([
    {
      state: 'failed',
      failure: { code: 'requirement_missing', message: 'plugin top requires base, which is not loaded' },
    },
  ]);
  expect(status(t, 'base')).toEqual([]);
  await t.put({ ...speaker('my-read', 'hello'), replaces: 'read' }, { level: 'user', source: '/mine.ts' });
  expect(status(t, 'read')).toMatchObject([{ state: 'off', by: 'replaced by my-read (/mine.ts)' }]);
});

test('draining, beside the revision that took over', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello')]);
  using _turn = t.view.pin();
  await t.put(speaker('a', 'hi'));
  expect(status(t, 'a').map(({ state, revision }) => [state, revision])).toEqual([
    ['active', 3],
    ['draining', 2],
  ]);
});

test("a project's plugin is explained as its project sees it", async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello')]);
  await t.put(speaker('p', 'hello'), { level: 'project', root: '/elsewhere' });
  expect(status(t, 'p')).toMatchObject([
    { level: 'project', contributes: [{ key: 'hello', verdict: { state: 'won' } }] },
  ]);
  expect(status(t, 'a')).toMatchObject([{ contributes: [{ key: 'hello', verdict: { state: 'won' } }] }]);
});
