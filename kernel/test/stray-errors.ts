// Run by stray-errors.test.ts in a process of its own: a test runner catches what nobody caught.
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { event } from '../hook.ts';
import { type Context, installProcessHandlers, Kernel, type PluginDefinition } from '../index.ts';
import { unitKey } from '../kernel.ts';

const go = event<{ readonly n: number }>({ id: 'go' });
const where = { cwd: '/', root: '/', home: '/' };

async function kernelWith(plugins: Readonly<Record<string, (ctx: Context) => unknown>>): Promise<Kernel> {
  const kernel = new Kernel({ where });
  for (const [id, setup] of Object.entries({ owner: () => undefined, ...plugins })) {
    const definition: PluginDefinition = { id, setup, ...(id === 'owner' ? { declares: [go] } : {}) };
    const result = await kernel.change({
      put: [{ key: unitKey('builtin', undefined, id), level: 'builtin', source: id, definition, revision: 1 }],
    });
    if (!result.ok) throw result.error;
  }
  return kernel;
}

const fail = (text: string): never => {
  throw new Error(text);
};

/** Each is a plugin that leaves an error behind that nobody waits for. */
const strays: Readonly<Record<string, (ctx: Context) => unknown>> = {
  rejection: (ctx) => ctx.tap(go, () => void Promise.reject(new Error('rejection'))),
  async: (ctx) =>
    ctx.tap(go, () => {
      void (async () => {
        await sleep(1);
        fail('async');
      })();
    }),
  timer: (ctx) => ctx.tap(go, () => void setTimeout(() => fail('timer'), 1)),
  setup: () => void setTimeout(() => fail('setup'), 1),
  tick: (ctx) => ctx.tap(go, () => process.nextTick(() => fail('tick'))),
  interval: (ctx) => {
    const timer = ctx.interval(() => {
      timer.dispose();
      setTimeout(() => fail('interval'), 1);
    }, 1);
  },
  emitter: (ctx) =>
    ctx.tap(go, () => {
      const emitter = new EventEmitter();
      setTimeout(() => emitter.emit('error', new Error('emitter')), 1);
    }),
  socket: (ctx) => ctx.tap(go, () => void connect(1, '127.0.0.1').ref()),
  signal: (ctx) => ctx.signal.addEventListener('abort', () => fail('signal')),
  disposer: (ctx) => ctx.defer(() => void setTimeout(() => fail('disposer'), 1)),
  // Throws long after its plugin is gone.
  late: () => void setTimeout(() => fail('late'), 30),
  start: (ctx) => ctx.onStart(() => void Promise.reject(new Error('start'))),
};

const stray = (kernel: Kernel): readonly (readonly [string, string])[] =>
  kernel.journal
    .all()
    .flatMap(({ code, plugin, cause }) =>
      code === 'stray_error' ? [[plugin, cause instanceof Error ? cause.message : ''] as const] : [],
    );

/** Time enough for what is expected, and none wasted where it comes at once. */
async function until(isThere: () => boolean): Promise<void> {
  for (let wait = 0; wait < 1_000 && !isThere(); wait += 1) await sleep(10);
  // What is too much comes as well.
  await sleep(30);
}

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const cases: Readonly<Record<string, () => Promise<void>>> = {
  async owned() {
    const kernel = await kernelWith(strays);
    installProcessHandlers(kernel);
    kernel.outlook.call(go, { n: 1 });
    await kernel.change({ drop: ['signal', 'disposer', 'late'].map((id) => unitKey('builtin', undefined, id)) });
    await until(() => stray(kernel).length >= Object.keys(strays).length);
    print(stray(kernel).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    await kernel.shutdown();
    print('alive');
  },

  /** Two kernels, each with its own errors; what is neither's goes to the host, once. */
  async two() {
    const hosts: string[] = [];
    process.on('uncaughtException', (error) => hosts.push(error.message));
    process.on('unhandledRejection', (error) => hosts.push(String(error)));
    const kernels = await Promise.all(
      ['one', 'two'].map((id) => kernelWith({ [id]: (ctx) => ctx.tap(go, () => void setTimeout(() => fail(id), 1)) })),
    );
    const removers = kernels.map((kernel) => installProcessHandlers(kernel));
    for (const kernel of kernels) kernel.outlook.call(go, { n: 1 });
    setTimeout(() => fail('nobody'), 5);
    void Promise.reject('a rejection of nobody');
    await until(() => hosts.length >= 4 && kernels.every((kernel) => stray(kernel).length > 0));
    // A host that listens hears everything, as it asked to; what is owned is booked on its plugin as well.
    print({ kernels: kernels.map(stray), hosts });
    for (const remove of removers) remove();
    print(process.listenerCount('uncaughtException'));
  },

  async 'one of two, with a say'() {
    const unowned: string[] = [];
    const [one, two] = await Promise.all(
      ['one', 'two'].map((id) => kernelWith({ [id]: (ctx) => ctx.tap(go, () => void setTimeout(() => fail(id), 1)) })),
    );
    if (one === undefined || two === undefined) throw new Error('two kernels were made');
    installProcessHandlers(one, (error, kind) =>
      unowned.push(`${kind}: ${error instanceof Error ? error.message : error}`),
    );
    installProcessHandlers(two);
    two.outlook.call(go, { n: 1 });
    setTimeout(() => fail('nobody'), 5);
    void Promise.reject('nobody, rejected');
    await until(() => stray(two).length > 0 && unowned.length >= 2);
    print({ two: stray(two), unowned });
  },

  /** An error of nobody ends the process as if no kernel were there. */
  async 'nobody, thrown'() {
    for (const _ of [1, 2]) installProcessHandlers(await kernelWith({}));
    setTimeout(() => fail('of nobody'), 1);
    await sleep(200);
    print('alive');
  },

  async 'nobody, rejected'() {
    for (const _ of [1, 2]) installProcessHandlers(await kernelWith({}));
    void Promise.reject(new Error('of nobody'));
    await sleep(200);
    print('alive');
  },

  /** A host that embeds the kernel without its handlers keeps Node's own ways. */
  async 'not installed'() {
    const kernel = await kernelWith({ timer: strays.timer ?? (() => undefined) });
    kernel.outlook.call(go, { n: 1 });
    await sleep(200);
    print('alive');
  },
};

await cases[process.argv[2] ?? '']?.();
