import { expect, test } from 'vitest';
import { z } from 'zod';
import { KernError } from './error.ts';
import type { WatchPort } from './options.ts';
import type { Context } from './plugin.ts';
import { begun, isBalanced, owner, plugin, said, words, wordsOf } from './test/words.ts';
import { bootKernel, capturedUi, fakeClock } from './testing.ts';

function countingFiles() {
  const owners = new Map<string, (changed: readonly string[]) => void>();
  const port: WatchPort = {
    watch: (name, _paths, fn) => {
      owners.set(name, fn);
      const dispose = (): void => void owners.delete(name);
      return { dispose, [Symbol.dispose]: dispose };
    },
    touched: (paths) => {
      for (const fn of [...owners.values()]) fn(paths);
    },
    pending: async () => {},
  };
  return { port, owners };
}

test('with a plugin everything goes that it registered, the last first', async () => {
  const clock = fakeClock();
  const files = countingFiles();
  const order: string[] = [];
  const ran: string[] = [];
  const whole = plugin('whole', async (ctx) => {
    ctx.defer(() => void order.push('first'));
    ctx.tap(said, () => void ran.push('tap'));
    ctx.contribute(words, { word: 'hello', by: 'whole' });
    ctx.provide(words, {
      id: 'p',
      displayName: 'P',
      priority: 0,
      load: () => ({ items: [{ item: { word: 'found', by: 'whole' } }], watch: ['/p'] }),
    });
    ctx.events.on('tick', () => ran.push('event'));
    ctx.interval(() => ran.push('interval'), 100);
    ctx.timeout(() => ran.push('timeout'), 100);
    ctx.watch(['/w'], () => ran.push('watch'));
    ctx.signal.addEventListener('abort', () => order.push('signal'));
    await ctx.keep('thing', 'x', () => ({ value: {}, release: () => void order.push('released') }));
    ctx.defer(async () => {
      await Promise.resolve();
      order.push('last');
    });
  });
  await using t = await bootKernel([owner, whole], { clock, watch: files.port });
  await t.view.use(words).load();
  expect(wordsOf(t.kernel)).toEqual(['hello of whole', 'found of whole']);
  t.call(said, { text: '' });
  t.kernel.events.emit('tick');
  t.kernel.touched(['/w']);
  await clock.advance(100);
  expect(ran.toSorted()).toEqual(['event', 'interval', 'tap', 'timeout', 'watch']);
  ran.length = 0;
  await t.drop('whole');
  await t.kernel.drained();
  expect(order).toEqual(['signal', 'last', 'first', 'released']);
  t.call(said, { text: '' });
  t.kernel.events.emit('tick');
  t.kernel.touched(['/w', '/p']);
  await clock.advance(1_000);
  expect([ran, wordsOf(t.kernel), files.owners.size, t.kernel.cells.size]).toEqual([[], [], 0, 0]);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('what is given back early is given back once', async () => {
  const undone: string[] = [];
  const clock = fakeClock();
  await using t = await bootKernel(
    [
      plugin('a', (ctx) => {
        const interval = ctx.interval(() => undone.push('tick'), 10);
        const listener = ctx.events.on('x', () => undone.push('x'));
        using _ = interval;
        listener.dispose();
        listener.dispose();
      }),
    ],
    { clock },
  );
  t.kernel.events.emit('x');
  await clock.advance(100);
  expect(undone).toEqual([]);
});

test('a disposer that throws or hangs stops none of the others', async () => {
  const clock = fakeClock();
  const order: string[] = [];
  await using t = await bootKernel(
    [
      plugin('a', (ctx) => {
        ctx.defer(() => void order.push('first'));
        ctx.defer(() => new Promise<void>(() => {}));
        ctx.defer(() => {
          throw new Error('stuck');
        });
      }),
    ],
    { clock },
  );
  await t.drop('a');
  await clock.advance(5_000);
  await t.kernel.drained();
  expect(order).toEqual(['first']);
  expect(t.complaints()).toEqual([
    'a: plugin a failed in unloading: stuck',
    'a: plugin a failed in unloading: a disposer took longer than 5000 ms',
  ]);
});

test('a ctx used after its plugin was unloaded throws an error that names the plugin', async () => {
  let ctx: Context | undefined;
  await using t = await bootKernel([
    owner,
    plugin('gone', (its) => {
      ctx = its;
    }),
  ]);
  await t.drop('gone');
  await t.kernel.drained();
  if (ctx === undefined) throw new Error('no ctx');
  const its = ctx;
  const uses: readonly (() => unknown)[] = [
    () => its.tap(said, () => undefined),
    () => its.contribute(words, { word: 'x', by: 'x' }),
    () => its.offer(words, 'x'),
    () => its.provide(words, { id: 'x', displayName: 'x', priority: 0, load: () => ({ items: [] }) }),
    () => its.use(words),
    () => its.call(said, { text: '' }),
    () => its.pin(),
    () => its.state('x', z.number(), () => 0),
    () => its.keep('x', 'x', () => ({ value: 1, release: () => {} })),
    () => its.defer(() => {}),
    () => its.onStart(() => {}),
    () => its.onCrash(() => {}),
    () => its.interval(() => {}, 1),
    () => its.timeout(() => {}, 1),
    () => its.spawn('true', []),
    () => its.watch([], () => {}),
    () => its.events.on('x', () => {}),
    () => its.events.emit('x'),
    () => its.ui.notify('x'),
    () => its.session,
  ];
  for (const use of uses)
    expect(use, use.toString()).toThrow(
      expect.objectContaining({ code: 'scope_disposed', message: expect.stringContaining('plugin gone used ctx.') }),
    );
});

test('a disposer may use what others offer, and register nothing', async () => {
  const said: unknown[] = [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.defer(() => {
        ctx.events.emit('bye');
        said.push(ctx.use(words).items().length);
        try {
          ctx.interval(() => {}, 1);
        } catch (error) {
          said.push((error as KernError).code);
        }
      });
    }),
    plugin('b', (ctx) => ctx.events.on('bye', () => said.push('bye'))),
  ]);
  await t.drop('a');
  await t.kernel.drained();
  expect(said).toEqual(['bye', 0, 'scope_disposed']);
});

test('failures of timers, listeners and watchers are their plugin’s, and stop neither the others nor the next time', async () => {
  const clock = fakeClock();
  const files = countingFiles();
  let ticks = 0;
  await using t = await bootKernel(
    [
      plugin('a', (ctx) => {
        ctx.interval(() => {
          ticks += 1;
          throw new Error('tick');
        }, 10);
        ctx.events.on('x', (async () => Promise.reject(new Error('listener'))) as () => void);
        ctx.watch(['/w'], () => {
          throw new Error('watcher');
        });
      }),
      plugin('b', (ctx) =>
        ctx.events.on('x', () => {
          ticks += 100;
        }),
      ),
    ],
    { clock, watch: files.port },
  );
  await clock.advance(20);
  t.kernel.events.emit('x');
  t.kernel.touched(['/w']);
  await clock.advance(0);
  expect(ticks).toBe(102);
  expect(t.complaints()).toEqual([
    'a: plugin a failed in an interval: tick',
    'a: plugin a failed in an interval: tick',
    'a: plugin a failed in a watcher: watcher',
    'a: plugin a failed in the event x: listener',
  ]);
});

test('a listener of the bus sees the session of who emits', async () => {
  const ui = capturedUi();
  await using t = await bootKernel([
    plugin('a', (ctx) => ctx.events.on('x', () => ctx.ui.notify('heard'))),
    plugin('b', (ctx) => ctx.tap(begun, () => ctx.events.emit('x')), { declares: [begun] }),
  ]);
  await t.kernel.view({}, ui).call(begun, { text: '' });
  expect(ui.shown).toEqual(['info: heard']);
});

test('ctx looks through the view of the call it runs in', async () => {
  const ui = capturedUi();
  const seen: string[] = [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) =>
      ctx.tap(begun, async () => {
        await Promise.resolve();
        ctx.ui.notify(ctx.where.cwd);
        try {
          seen.push(ctx.session.id);
        } catch (error) {
          seen.push((error as KernError).code);
        }
      }),
    ),
  ]);
  const view = t.kernel.view({ cwd: '/somewhere' }, ui);
  await view.call(begun, { text: '' });
  view.session = { id: 's1' } as never;
  using turn = view.pin();
  await turn.call(begun, { text: '' });
  expect([ui.shown, seen]).toEqual([
    ['info: /somewhere', 'info: /somewhere'],
    ['no_session', 's1'],
  ]);
});

test('the last chance is synchronous, comes once, and one that fails stops none of the others', async () => {
  const ran: string[] = [];
  await using t = await bootKernel([
    plugin('a', (ctx) => {
      ctx.onCrash(() => {
        throw new Error('too late');
      });
      ctx.onCrash(() => void ran.push('a'));
    }),
    plugin('b', (ctx) => ctx.onCrash(() => void ran.push('b'))),
  ]);
  t.kernel.crash();
  t.kernel.crash();
  expect(ran).toEqual(['a', 'b']);
  expect(t.complaints()).toEqual(['a: plugin a failed in onCrash: too late']);
});

test('settings are parsed, a bad value costs only itself, and is named', async () => {
  const config = z.object({ loud: z.boolean().default(false), times: z.number().default(3) });
  let got: unknown;
  const a = plugin(
    'a',
    (ctx) => {
      got = ctx.config;
    },
    { config: config as never },
  );
  await using t = await bootKernel([a], { config: { a: { loud: 'very', times: 5 } } });
  expect(got).toEqual({ loud: false, times: 5 });
  expect(t.complaints().join()).toContain('plugins.a.loud');
});

test('a channel keeps its last lines', async () => {
  await using t = await bootKernel([
    plugin('a', (ctx) => Array.from({ length: 501 }, (_, at) => ctx.channel('log').write(`line ${at}`))),
  ]);
  const lines = t.kernel.channels.get('a/log');
  expect([lines?.length, lines?.[0], lines?.at(-1)]).toEqual([500, 'line 1', 'line 500']);
  expect(new KernError('x', 'y').hint).toBeUndefined();
});

test.each([
  ['tap', (ctx: Context) => ctx.tap(undefined as never, (() => undefined) as never)],
  ['tap', (ctx: Context) => ctx.tap('tool.call' as never, (() => undefined) as never)],
  ['contribute', (ctx: Context) => ctx.contribute(undefined as never, {} as never)],
  ['use', (ctx: Context) => ctx.use({} as never)],
  ['call', (ctx: Context) => ctx.call(undefined as never, undefined as never)],
])('a misspelt token fails where it is used, with the name of its plugin: ctx.%s', async (what, use) => {
  await using t = await bootKernel([{ id: 'typo', setup: (ctx) => void use(ctx) }], { strict: false });
  expect(t.result).toMatchObject({ ok: false, code: 'bad_token' });
  expect(t.complaints().join('\n')).toContain(`plugin typo: ctx.${what} was given`);
});
