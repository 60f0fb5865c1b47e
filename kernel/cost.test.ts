import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Activation } from './activation.ts';
import { costsOf, LoadTimes } from './cost.ts';
import { decide, event, transform } from './hook.ts';
import { Journal } from './report.ts';
import { anything } from './schema.ts';
import { plugin } from './test/words.ts';
import { bootKernel, capturedUi, type TestKernel } from './testing.ts';

const ping = event<{ readonly n: number }>({ id: 'ping' });
const bend = transform<{ readonly n: number }>({ id: 'bend' });
const ask = decide<{ readonly n: number }, { readonly no: string }>({ id: 'ask', answer: anything() });

// Time passes only where a test lets it.
let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

const activation = (t: TestKernel, id: string): Activation => {
  const found = t.kernel.snapshot().activations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not there`);
  return found;
};

test('what the taps of a plugin took is known by hook: calls, all of it, and the slowest', async () => {
  await using t = await bootKernel([
    plugin('a', (ctx) => {
      ctx.tap(ping, ({ n }) => {
        now += n;
      });
      ctx.tap(bend, async (value) => {
        now += 7;
        return value;
      });
    }),
    plugin('b', (ctx) => ctx.tap(ping, () => undefined)),
  ]);
  for (const n of [5, 30, 1]) t.call(ping, { n });
  await t.call(bend, { n: 1 });
  expect(costsOf(activation(t, 'a').taps)).toEqual([
    { hook: 'ping', calls: 3, ms: 36, slowestMs: 30 },
    { hook: 'bend', calls: 1, ms: 7, slowestMs: 7 },
  ]);
  expect(activation(t, 'a').hookMs).toBe(43);
  expect(costsOf(activation(t, 'b').taps)).toEqual([{ hook: 'ping', calls: 3, ms: 0, slowestMs: 0 }]);
});

test('a tap that fails has cost its time all the same', async () => {
  await using t = await bootKernel([
    plugin('a', (ctx) =>
      ctx.tap(ping, () => {
        now += 9;
        throw new Error('no luck');
      }),
    ),
  ]);
  t.call(ping, { n: 1 });
  expect(costsOf(activation(t, 'a').taps)).toEqual([{ hook: 'ping', calls: 1, ms: 9, slowestMs: 9 }]);
  expect(t.kernel.journal.faults('a')).toMatchObject({ count: 1, last: { code: 'tap_failed' } });
});

test('while a person is being asked no time is counted, however deep the question', async () => {
  const person = async (): Promise<void> => {
    await undefined;
    now += 60_000;
  };
  await using t = await bootKernel(
    [
      plugin('inner', (ctx) =>
        ctx.tap(bend, async (value) => {
          now += 3;
          await ctx.asking(person());
          now += 4;
          return value;
        }),
      ),
      plugin('outer', (ctx) =>
        ctx.tap(ask, async () => {
          now += 1;
          await ctx.call(bend, { n: 1 });
          return undefined;
        }),
      ),
    ],
    { level: 'user', ui: capturedUi() },
  );
  await t.call(ask, { n: 1 });
  expect(activation(t, 'inner').hookMs).toBe(7);
  expect(activation(t, 'outer').hookMs).toBe(8);
  expect(t.complaints()).toEqual([]);
});

test('an extension that others wait for too long is told of once, by its name; what kern itself takes is not', async () => {
  const slow = (id: string) =>
    plugin(id, (ctx) => {
      ctx.tap(ping, ({ n }) => {
        now += n;
      });
      ctx.tap(bend, async ({ n }) => {
        now += n;
        return undefined;
      });
    });
  await using t = await bootKernel([slow('ours')]);
  await t.put(slow('theirs'), { level: 'user' });
  t.call(ping, { n: 99 });
  await t.call(bend, { n: 999 });
  expect(t.complaints()).toEqual([]);
  for (const n of [100, 5_000]) t.call(ping, { n });
  await t.call(bend, { n: 1_000 });
  expect(t.complaints()).toEqual([
    'theirs: plugin theirs took 100 ms in ping, and everything stood still meanwhile: `kern plugins --why` shows what it costs',
    'theirs: plugin theirs took 1000 ms in bend, and the agent waited for it: `kern plugins --why` shows what it costs',
  ]);
});

test('what loads side by side is charged with its share: together they are the time that passed', () => {
  const times = new LoadTimes();
  const [first, second] = [times.begin(), times.begin()];
  now += 10;
  expect(second()).toBe(10);
  now += 3;
  expect(first()).toBe(3);
  now += 100;
  const third = times.begin();
  now += 4;
  expect(third()).toBe(4);
});

test('errors are counted for each plugin, also those that are no longer kept', () => {
  const journal = new Journal(2);
  for (const n of [1, 2, 3]) journal.failure('a', 'tap_failed', 'ping', new Error(`no ${n}`));
  journal.add('a', 'warning', 'log', 'careful');
  journal.add('b', 'info', 'log', 'fine');
  expect(journal.faults('a')).toMatchObject({ count: 3, last: { message: 'plugin a failed in ping: no 3' } });
  expect(journal.faults('b')).toBeUndefined();
});
