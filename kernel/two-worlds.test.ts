import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from './capability.ts';
import { event } from './hook.ts';
import { Kernel } from './kernel.ts';
import { begun, owner, plugin, said, speaker, words } from './test/words.ts';
import { bootKernel } from './testing.ts';

const at = (root: string) => ({ level: 'project' as const, root });

test('two projects in one kernel do not see each other', async () => {
  const heard: string[] = [];
  const ear = (name: string) =>
    plugin('ear', (ctx) => {
      ctx.tap(said, ({ text }) => void heard.push(`${name}: ${text}`));
      ctx.contribute(words, { word: 'project', by: name });
      ctx.provide(words, {
        id: 'more',
        displayName: 'More',
        priority: 1,
        load: ({ root }) => ({ items: [{ item: { word: `from ${root}`, by: name } }] }),
      });
    });
  await using t = await bootKernel([owner, speaker('all', 'shared')]);
  await t.put(ear('one'), at('/one'));
  await t.put(ear('two'), at('/two'));
  const [one, two, none] = ['/one', '/two', '/three'].map((root) => t.kernel.view({ root, cwd: root }));
  const seen = async (view = one) => {
    await view?.use(words).load();
    return view
      ?.use(words)
      .items()
      .map(({ word, by }) => `${word} of ${by}`);
  };
  expect(await seen(one)).toEqual(['project of one', 'from /one of one', 'shared of all']);
  expect(await seen(two)).toEqual(['project of two', 'from /two of two', 'shared of all']);
  expect(await seen(none)).toEqual(['shared of all']);
  one?.call(said, { text: 'hi' });
  two?.call(said, { text: 'ho' });
  none?.call(said, { text: 'nobody' });
  expect(heard).toEqual(['one: hi', 'two: ho']);
  expect([one?.taps(said), none?.taps(said)]).toEqual([1, 0]);
  await t.drop('ear', at('/one'));
  expect(await seen(one)).toEqual(['shared of all']);
  expect(await seen(two)).toHaveLength(3);
});

test('two projects may declare the same id, each for itself', async () => {
  const declaring = (max: number) => {
    const birds = defineCapability<string>({ id: 'aviary/bird', schema: z.string().max(max), key: (name) => name });
    const sung = event<string>({ id: 'aviary/sung' });
    const heard: string[] = [];
    const definition = plugin(
      'aviary',
      (ctx) => {
        ctx.contribute(birds, 'owl');
        ctx.tap(sung, (song) => void heard.push(song));
      },
      { declares: [birds, sung] },
    );
    return { definition, birds, sung, heard };
  };
  const one = declaring(3);
  const two = declaring(9);
  await using t = await bootKernel([]);
  expect(await t.put(one.definition, at('/one'))).toMatchObject({ ok: true });
  expect(await t.put(two.definition, at('/two'))).toMatchObject({ ok: true });
  const [here, there] = ['/one', '/two'].map((root) => t.kernel.view({ root, cwd: root }));
  here?.call(one.sung, 'a');
  there?.call(two.sung, 'b');
  expect([one.heard, two.heard]).toEqual([['a'], ['b']]);
  const guest = (root: string) =>
    t.put(
      plugin('guest', (ctx) => ctx.contribute(one.birds, 'kestrel')),
      at(root),
    );
  expect(await guest('/one')).toMatchObject({ ok: false, code: 'invalid_item' });
  expect(await guest('/two')).toMatchObject({ ok: true });
  expect(there?.use(one.birds).items()).toEqual(['owl', 'kestrel']);
  // Seen from everywhere, an id is one plugin's.
  expect(await t.put(one.definition, { level: 'user' })).toMatchObject({ ok: false, code: 'token_taken' });
});

test("a project's plugin requires what its project sees, and no other's", async () => {
  await using t = await bootKernel([]);
  await t.put(plugin('base'), at('/one'));
  expect(await t.put(plugin('top', undefined, { requires: ['base'] }), at('/two'))).toMatchObject({
    ok: false,
    code: 'requirement_missing',
  });
  expect(await t.put(plugin('top', undefined, { requires: ['base'] }), at('/one'))).toMatchObject({ ok: true });
  expect(await t.put(plugin('user', undefined, { requires: ['base'] }), { level: 'user' })).toMatchObject({
    ok: false,
    code: 'requirement_missing',
  });
});

test('a worktree is a view with a working directory of its own and the root of its parent', async () => {
  const asked: string[] = [];
  const finder = plugin('finder', (ctx) =>
    ctx.provide(words, {
      id: 'f',
      displayName: 'F',
      priority: 1,
      load: ({ cwd, root }) => {
        asked.push(`${cwd} in ${root}`);
        return { items: [{ item: { word: cwd, by: root } }] };
      },
    }),
  );
  await using t = await bootKernel([owner]);
  await t.put(finder, at('/repo'));
  const tree = t.kernel.view({ root: '/repo', cwd: '/tmp/tree' });
  const other = t.kernel.view({ root: '/elsewhere', cwd: '/tmp/tree' });
  await tree.use(words).load();
  await other.use(words).load();
  expect(tree.use(words).items()).toEqual([{ word: '/tmp/tree', by: '/repo' }]);
  expect(other.use(words).items()).toEqual([]);
  expect(asked).toEqual(['/tmp/tree in /repo']);
});

test('answers are kept by place: the same folder seen from another root is another question', async () => {
  const finder = plugin('finder', (ctx) =>
    ctx.provide(words, {
      id: 'f',
      displayName: 'F',
      priority: 1,
      load: ({ root }) => ({ items: [{ item: { word: 'here', by: root } }] }),
    }),
  );
  await using t = await bootKernel([owner, finder]);
  const views = ['/a', '/b'].map((root) => t.kernel.view({ root, cwd: '/same' }));
  for (const view of views) await view.use(words).load();
  expect(views.map((view) => view.use(words).items()[0]?.by)).toEqual(['/a', '/b']);
});

test('two kernels in one process are blind to each other', async () => {
  const heard: string[] = [];
  const ear = (name: string) =>
    plugin('ear', (ctx) => {
      ctx.tap(said, ({ text }) => void heard.push(`${name}: ${text}`));
      ctx.events.on('tick', () => heard.push(`${name}: tick`));
      ctx.contribute(words, { word: 'one', by: name });
      ctx.tap(begun, async () => {
        await Promise.resolve();
        expect(ctx.use(words).items()).toEqual([{ word: 'one', by: name }]);
      });
    });
  await using a = await bootKernel([owner, ear('a')]);
  await using b = await bootKernel([owner, ear('b')]);
  a.call(said, { text: 'hi' });
  b.kernel.events.emit('tick');
  expect(heard).toEqual(['a: hi', 'b: tick']);
  // A call of one inside a call of the other keeps each to its own.
  await a.view.enter(() => b.call(begun, { text: '' }));
  expect(b.complaints()).toEqual([]);
  await a.drop('ear');
  expect([a.view.use(words).items(), b.view.use(words).items()]).toEqual([[], [{ word: 'one', by: 'b' }]]);
  expect(new Kernel({ where: a.view.where }).snapshot().activations).toEqual([]);
});
