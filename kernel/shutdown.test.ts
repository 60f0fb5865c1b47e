import { expect, test } from 'vitest';
import { defineCapability } from './capability.ts';
import { codeOf } from './error.ts';
import { anything } from './schema.ts';
import { begun, isBalanced, owner, plugin, speaker, wordsOf } from './test/words.ts';
import { bootKernel, fakeClock } from './testing.ts';

interface Job {
  run(): Promise<string>;
}

const jobs = defineCapability<Job>({ id: 'job', schema: anything(), key: () => 'job' });
const worker = plugin('worker', undefined, { declares: [jobs] });
const next = () => new Promise((resolve) => setImmediate(resolve));

test('the end: all are told at once, calls may end, dependents go first', async () => {
  const order: string[] = [];
  const noting = (id: string, requires: readonly string[] = []) =>
    plugin(
      id,
      (ctx) => {
        ctx.signal.addEventListener('abort', () => order.push(`${id} told`));
        ctx.defer(() => void order.push(`${id} gone`));
      },
      { requires },
    );
  const { promise, resolve } = Promise.withResolvers<string>();
  const t = await bootKernel([
    worker,
    noting('a'),
    noting('b', ['a']),
    plugin('c', (ctx) => ctx.contribute(jobs, { run: () => promise })),
  ]);
  const entry = t.view.use(jobs).get('job');
  const call = entry === undefined ? entry : t.view.run(entry, (job) => job.run());
  const end = t[Symbol.asyncDispose]();
  await next();
  expect(order).toEqual(['b told', 'a told']);
  resolve('done');
  expect(await call).toBe('done');
  await end;
  expect(order.slice(2)).toEqual(['b gone', 'a gone']);
  expect(isBalanced(t.kernel)).toBe(true);
  expect(t.kernel.counts.live).toBe(0);
});

test('the end waits five seconds for calls and five for disposers, all in all', async () => {
  const clock = fakeClock();
  const order: string[] = [];
  const hanging = (id: string) =>
    plugin(id, (ctx) => {
      ctx.defer(() => void order.push(id));
      ctx.defer(() => new Promise<void>(() => {}));
      ctx.tap(begun, () => new Promise(() => {}));
    });
  const t = await bootKernel([owner, hanging('a'), hanging('b'), hanging('c')], { clock });
  void t.call(begun, { text: '' });
  let isOver = false;
  const end = t.kernel.shutdown().then(() => {
    isOver = true;
  });
  await clock.advance(9_999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await end;
  expect(isOver).toBe(true);
});

test('who waits for a call into what ends gets an error', async () => {
  const clock = fakeClock();
  const t = await bootKernel(
    [worker, plugin('c', (ctx) => ctx.contribute(jobs, { run: () => new Promise(() => {}) }))],
    { clock },
  );
  const entry = t.view.use(jobs).get('job');
  const call = entry === undefined ? entry : t.view.run(entry, (job) => job.run()).catch(codeOf);
  await t[Symbol.asyncDispose]();
  expect(await call).toBe('plugin_gone');
});

test('a change that runs when the end comes goes no further, and those behind it do not begin', async () => {
  const t = await bootKernel([owner]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const ran: string[] = [];
  const running = t.put(
    plugin('slow', async (ctx) => {
      ctx.onStart(() => void ran.push('start'));
      await promise;
    }),
  );
  const queued = t.put(plugin('queued', () => void ran.push('queued')));
  await next();
  const end = t.kernel.shutdown();
  resolve();
  await end;
  expect([await running, await queued, await t.put(speaker('after', 'x'))]).toMatchObject([
    { code: 'kernel_closed' },
    { code: 'kernel_closed' },
    { code: 'kernel_closed' },
  ]);
  expect([ran, wordsOf(t.kernel), t.complaints()]).toEqual([[], [], []]);
  expect(isBalanced(t.kernel)).toBe(true);
  await t[Symbol.asyncDispose]();
});

test('a plugin that ends everything does not wait for itself, and two who do end it once', async () => {
  let gone = 0;
  // Its time stands still: who waited for itself would wait for ever.
  const t = await bootKernel(
    [
      owner,
      plugin('quitter', (ctx) => {
        ctx.tap(begun, () => t.kernel.shutdown());
        ctx.defer(() => {
          gone += 1;
        });
      }),
    ],
    { clock: fakeClock() },
  );
  await t.call(begun, { text: '' });
  await t.kernel.shutdown();
  expect(gone).toBe(1);
  await t[Symbol.asyncDispose]();
});

test('after the end no timer is left', async () => {
  const clock = fakeClock();
  let ticks = 0;
  const t = await bootKernel([owner, plugin('a', (ctx) => ctx.interval(() => ticks++, 10))], { clock });
  using _turn = t.view.pin();
  await t.drop('a');
  await t[Symbol.asyncDispose]();
  ticks = 0;
  await clock.advance(60_000);
  expect([ticks, t.kernel.draining]).toEqual([0, []]);
});
