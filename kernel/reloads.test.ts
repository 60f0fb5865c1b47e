import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { counts } from '../plugins/cli/test/soak.ts';
import type { WatchPort } from './options.ts';
import type { PluginDefinition } from './plugin.ts';
import { type Processes, processes } from './process.ts';
import { begun, isBalanced, owner, plugin, said, words } from './test/words.ts';
import { bootKernel, type TestKernel } from './testing.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** What is reachable no more is gone after a few rounds. */
async function collected(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await tick();
    collect();
  }
}

function fakeWorld() {
  const watches = new Set<string>();
  const children = new Set<AbortSignal>();
  const watch: WatchPort = {
    watch: (name) => {
      watches.add(name);
      const dispose = (): void => void watches.delete(name);
      return { dispose, [Symbol.dispose]: dispose };
    },
    touched: () => {},
    pending: async () => {},
  };
  const spawn: Processes['spawn'] = (_command, _args, { signal } = {}) => {
    if (signal !== undefined) children.add(signal);
    signal?.addEventListener('abort', () => children.delete(signal), { once: true });
    return { pid: 1, result: new Promise(() => {}), write: () => {}, end: () => {}, kill: async () => {} };
  };
  const supervisor = plugin(
    'processes',
    (ctx) => ctx.contribute(processes, { spawn, list: () => [], killAllNow: () => {}, killAll: async () => {} }),
    { declares: [processes] },
  );
  return { watch, watches, children, supervisor };
}

/** A revision that uses all there is to use, and carries a weight by which its code can be told to be gone. */
function revision(number: number, weights: WeakRef<object>[]): PluginDefinition {
  const weight = { number, bytes: new Uint8Array(50_000) };
  weights.push(new WeakRef(weight));
  return plugin('whole', async (ctx) => {
    const heavy = (): number => weight.bytes.length;
    const seen = ctx.state('seen', z.number(), () => 0);
    await ctx.keep('thing', 'same', () => ({ value: { listeners: new Map<string, number>() }, release: () => {} }));
    ctx.tap(said, () => void heavy());
    ctx.tap(begun, async () => {
      await tick();
      seen.value += heavy() > 0 ? 1 : 0;
    });
    ctx.contribute(words, {
      word: 'one',
      get by() {
        return String(heavy());
      },
    });
    ctx.offer(words, 'group').replace([{ word: 'two', by: String(heavy()) }]);
    ctx.provide(words, {
      id: 'found',
      displayName: 'Found',
      priority: 0,
      load: async () => ({ items: [{ item: { word: 'three', by: String(heavy()) } }], watch: ['/found'] }),
    });
    ctx.provide(words, {
      id: 'mute',
      displayName: 'Mute',
      priority: 0,
      limitMs: 1,
      load: () => new Promise<never>(() => heavy()),
    });
    ctx.events.on('tick', () => heavy());
    ctx.interval(heavy, 5);
    ctx.timeout(heavy, 1_000_000);
    ctx.watch(['/w'], () => void heavy());
    ctx.signal.addEventListener('abort', () => heavy());
    ctx.onCrash(() => void heavy());
    ctx.defer(() => void heavy());
    ctx.onStart(async () => {
      heavy();
      ctx.spawn('sleep', ['1000']);
      void ctx.use(words).load();
      await ctx.call(begun, { text: '' });
    });
  });
}

/** Reads, calls and pins, as a turn does. In a function of its own, whose variables are gone afterwards. */
async function exercise(t: TestKernel): Promise<void> {
  await t.view.use(words).load();
  using turn = t.view.pin();
  const [entry] = turn.use(words).entries();
  if (entry !== undefined) await turn.run(entry, ({ by }) => by);
  await turn.call(begun, { text: '' });
  t.call(said, { text: '' });
}

test('reloads leave nothing behind: no code, no timer, no watcher, no child, no handle', async () => {
  const times = counts({ test: 40, soak: 300 });
  const { watch, watches, children, supervisor } = fakeWorld();
  const before = process.getActiveResourcesInfo();
  const t = await bootKernel([owner, supervisor], { watch });
  const weights: WeakRef<object>[] = [];
  const alive = (): number => weights.filter((weight) => weight.deref() !== undefined).length;
  for (let number = 1; number <= times; number += 1) {
    expect(await t.put(revision(number, weights))).toMatchObject({ ok: true });
    await exercise(t);
    if (number % 10 === 0) await t.put(plugin('whole', () => Promise.reject(new Error('half-written'))));
  }
  await t.kernel.drained();
  await collected();
  // The live one, and what the last calls may still hold.
  expect(alive()).toBeLessThanOrEqual(3);
  expect(isBalanced(t.kernel)).toBe(true);
  expect(t.kernel.counts).toMatchObject({ live: 3, draining: 0 });
  expect([watches.size, children.size, t.kernel.cells.size]).toEqual([2, 1, 1]);

  await t.drop('whole');
  await t.kernel.drained();
  // Whatever looked through the kernel last is not asked to look again.
  t.view.use(words).items();
  t.kernel.outlook.use(words).items();
  await collected();
  expect([alive(), watches.size, children.size, t.kernel.cells.size]).toEqual([0, 0, 0, 0]);
  await t[Symbol.asyncDispose]();
  const left = (): readonly string[] => {
    const after = process.getActiveResourcesInfo();
    // What is the test runner's own may have ended meanwhile.
    for (const kind of before) after.splice(after.indexOf(kind) >>> 0, 1);
    return after;
  };
  // The runner has something to do now and then, which is over in a moment; what is left behind stays.
  await expect.poll(left).toEqual([]);
});

test('the heap does not grow with the number of reloads', async () => {
  const { watch, supervisor } = fakeWorld();
  await using t = await bootKernel([owner, supervisor], { watch });
  const heapAfter = async (reloads: number): Promise<number> => {
    for (let number = 0; number < reloads; number += 1) {
      await t.put(revision(number, []));
      await t.view.use(words).load();
    }
    await t.kernel.drained();
    await collected();
    return process.memoryUsage().heapUsed;
  };
  const few = await heapAfter(20);
  const reloads = counts({ test: 40, soak: 300 });
  const many = await heapAfter(reloads);
  // Each revision weighs 50 kB outside the heap and a few inside: a kept one would show.
  expect((many - few) / reloads).toBeLessThan(4_000);
});

test('a kernel that ended leaves no watcher and no child', async () => {
  const { watch, watches, children, supervisor } = fakeWorld();
  const weights: WeakRef<object>[] = [];
  const t = await bootKernel([owner, supervisor, revision(1, weights)], { watch });
  await t.view.use(words).load();
  await t[Symbol.asyncDispose]();
  expect([t.kernel.counts.live, t.kernel.counts.draining, watches.size, children.size]).toEqual([0, 0, 0, 0]);
});
