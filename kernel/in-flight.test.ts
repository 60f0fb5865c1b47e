import { expect, test } from 'vitest';
import type { Entry } from './capability.ts';
import { defineCapability } from './capability.ts';
import { codeOf } from './error.ts';
import { anything } from './schema.ts';
import { begun, isBalanced, owner, plugin, said, speaker, veto, words } from './test/words.ts';
import { bootKernel, fakeClock, type TestKernel } from './testing.ts';

interface Job {
  readonly name: string;
  run(): Promise<string> | string;
}

const jobs = defineCapability<Job>({ id: 'job', schema: anything(), key: ({ name }) => name });
const worker = plugin('worker', undefined, { declares: [jobs] });

const hour = 3_600_000;

/** A job that answers with its revision once it is let go. */
function slowJob(revision: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended: string[] = [];
  const definition = plugin('slow', (ctx) => {
    ctx.contribute(jobs, { name: 'slow', run: () => promise.then(() => `revision ${revision}`) });
    ctx.signal.addEventListener('abort', () => ended.push('told'));
    ctx.defer(() => void ended.push('gone'));
  });
  return { definition, letGo: resolve, ended };
}

const slow = (t: TestKernel): Entry<Job> => {
  const entry = t.view.use(jobs).get('slow');
  if (entry === undefined) throw new Error('no job is offered');
  return entry;
};

test('a call in flight across a reload ends on the old code, the next starts on the new, also an hour later', async () => {
  const clock = fakeClock();
  const one = slowJob(1);
  const two = slowJob(2);
  await using t = await bootKernel([worker, one.definition], { clock });
  const first = t.view.run(slow(t), (job) => job.run());
  await t.put(two.definition);
  two.letGo();
  expect(await t.view.run(slow(t), (job) => job.run())).toBe('revision 2');
  await clock.advance(hour);
  expect(one.ended).toEqual([]);
  expect(t.kernel.draining.map(({ id }) => id)).toEqual(['slow']);
  one.letGo();
  expect(await first).toBe('revision 1');
  await t.kernel.drained();
  expect(one.ended).toEqual(['told', 'gone']);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('revisions in between that nobody holds go at once', async () => {
  const one = slowJob(1);
  await using t = await bootKernel([worker, one.definition]);
  const call = t.view.run(slow(t), (job) => job.run());
  const between = [2, 3, 4].map((revision) => slowJob(revision));
  for (const { definition } of between) await t.put(definition);
  await t.kernel.drained();
  expect(between.map(({ ended }) => ended.at(-1))).toEqual(['gone', 'gone', undefined]);
  expect(t.kernel.draining).toHaveLength(1);
  one.letGo();
  await call;
});

test('a handler in flight counts like a call', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isGone = false;
  await using t = await bootKernel([
    owner,
    plugin('ear', (ctx) => {
      ctx.tap(begun, () => promise);
      ctx.defer(() => {
        isGone = true;
      });
    }),
  ]);
  const call = t.call(begun, { text: 'now' });
  await t.put(plugin('ear'));
  await t.kernel.drained();
  expect(isGone).toBe(false);
  resolve();
  await call;
  await t.kernel.drained();
  expect(isGone).toBe(true);
});

test('a pinned turn sees one set of plugins, and never a later contribution', async () => {
  let add = (): void => {};
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.contribute(words, { word: 'old', by: 'a' });
      add = () => void ctx.contribute(words, { word: 'late', by: 'a' });
    }),
  ]);
  const turn = t.view.pin();
  add();
  await t.put(speaker('b', 'new'));
  await t.put(speaker('a', 'newer'));
  await t.drop('b');
  const seen = (view: typeof turn): readonly string[] =>
    view
      .use(words)
      .items()
      .map(({ word }) => word);
  expect(seen(turn)).toEqual(['old']);
  expect(seen(t.view)).toEqual(['newer']);
  const again = turn.pin();
  turn[Symbol.dispose]();
  await t.kernel.drained();
  expect(seen(again)).toEqual(['old']);
  expect(t.kernel.draining).toHaveLength(1);
  again[Symbol.dispose]();
  await t.kernel.drained();
  expect(t.kernel.draining).toEqual([]);
  // Released, it is a view like any other, and keeps nothing in memory.
  expect(seen(turn)).toEqual(['newer']);
});

test('hooks called through a pinned view run the old taps', async () => {
  const heard: string[] = [];
  const ear = (name: string) => plugin('ear', (ctx) => ctx.tap(said, () => void heard.push(name)));
  await using t = await bootKernel([owner, ear('old')]);
  using turn = t.view.pin();
  await t.put(ear('new'));
  turn.call(said, { text: '' });
  t.call(said, { text: '' });
  expect(heard).toEqual(['old', 'new']);
});

test('code reached through ctx in a pinned call sees what the pin sees', async () => {
  await using t = await bootKernel([
    owner,
    worker,
    speaker('a', 'old'),
    plugin('asker', (ctx) =>
      ctx.contribute(jobs, {
        name: 'slow',
        run: async () =>
          ctx
            .use(words)
            .items()
            .map(({ word }) => word)
            .join(),
      }),
    ),
  ]);
  using turn = t.view.pin();
  await t.put(speaker('a', 'new'));
  const entry = turn.use(jobs).get('slow');
  if (entry === undefined) throw new Error('no job');
  expect(await turn.run(entry, (job) => job.run())).toBe('old');
  expect(await t.view.run(slow(t), (job) => job.run())).toBe('new');
});

test('removed code is told at once and gets five seconds; who waits then gets an error, not a hang', async () => {
  const clock = fakeClock();
  const { definition, ended } = slowJob(1);
  await using t = await bootKernel([worker, definition], { clock });
  using turn = t.view.pin();
  const call = t.view.run(slow(t), (job) => job.run()).catch((error) => codeOf(error));
  await t.drop('slow');
  expect(ended).toEqual(['told']);
  await clock.advance(4_999);
  expect(ended).toEqual(['told']);
  await clock.advance(1);
  expect(await call).toBe('plugin_gone');
  expect(ended).toEqual(['told', 'gone']);
  const held = turn.use(jobs).get('slow');
  expect(held === undefined ? held : await turn.run(held, (job) => job.run()).catch((error) => codeOf(error))).toBe(
    'plugin_gone',
  );
  expect(isBalanced(t.kernel)).toBe(true);
});

test('a removed plugin takes its older revisions along', async () => {
  const clock = fakeClock();
  const one = slowJob(1);
  await using t = await bootKernel([worker, one.definition], { clock });
  using _turn = t.view.pin();
  await t.put(slowJob(2).definition);
  expect(one.ended).toEqual([]);
  await t.drop('slow');
  expect(one.ended).toEqual(['told']);
  await clock.advance(5_000);
  expect(one.ended).toEqual(['told', 'gone']);
  expect(t.kernel.draining).toEqual([]);
});

test('a guarding tap whose plugin is removed while a person thinks denies', async () => {
  const clock = fakeClock();
  await using t = await bootKernel(
    [owner, plugin('policy', (ctx) => ctx.tap(veto, () => ctx.asking(new Promise<undefined>(() => {}))))],
    { clock },
  );
  const call = t.call(veto, { text: 'rm' });
  await clock.advance(hour);
  await t.drop('policy');
  await clock.advance(5_000);
  expect(await call).toEqual({ block: 'policy failed: it was unloaded meanwhile' });
});

test('what holds an entry keeps its plugin loaded, and lets go with its own plugin', async () => {
  const { definition, ended } = slowJob(1);
  await using t = await bootKernel([
    worker,
    definition,
    plugin('holder', (ctx) => {
      ctx.onStart(() => {
        const entry = ctx.use(jobs).get('slow');
        if (entry !== undefined) ctx.hold(entry);
      });
    }),
  ]);
  await t.put(slowJob(2).definition);
  await t.kernel.drained();
  expect(ended).toEqual([]);
  await t.drop('holder');
  await t.kernel.drained();
  expect(ended).toEqual(['told', 'gone']);
});

test('a pin that a plugin forgets goes with it', async () => {
  const clock = fakeClock();
  const { definition, ended } = slowJob(1);
  const pinner = plugin('pinner', (ctx) => ctx.onStart(() => void ctx.pin()));
  await using t = await bootKernel([worker, definition, pinner], { clock });
  await t.put(slowJob(2).definition);
  await t.kernel.drained();
  expect(ended).toEqual([]);
  await t.drop('pinner');
  // It holds itself too: until its time is over.
  await clock.advance(5_000);
  await t.kernel.drained();
  expect(ended).toEqual(['told', 'gone']);
});

test('a tap that never answers lets its plugin go when it is late', async () => {
  const clock = fakeClock();
  await using t = await bootKernel([owner, plugin('ear', (ctx) => ctx.tap(begun, () => new Promise(() => {})))], {
    clock,
  });
  const call = t.call(begun, { text: '' });
  await t.put(plugin('ear'));
  expect(t.kernel.draining).toHaveLength(1);
  await clock.advance(5_000);
  await call;
  await t.kernel.drained();
  expect(t.kernel.draining).toEqual([]);
});

test('an error of an item carries its plugin; one with a code stays what it is', async () => {
  await using t = await bootKernel([
    worker,
    plugin('slow', (ctx) =>
      ctx.contribute(jobs, { name: 'slow', run: () => Promise.reject(new Error('out of paper')) }),
    ),
  ]);
  await expect(t.view.run(slow(t), (job) => job.run())).rejects.toMatchObject({
    code: 'plugin_failed',
    plugin: 'slow',
    message: 'plugin slow failed in slow: out of paper',
  });
});

test('an entry of another kernel is not run', async () => {
  const one = slowJob(1);
  await using t = await bootKernel([worker, one.definition]);
  await using other = await bootKernel([worker, slowJob(1).definition]);
  await expect(other.view.run(slow(t), (job) => job.run())).rejects.toMatchObject({ code: 'foreign_entry' });
});
