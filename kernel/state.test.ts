import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Kept, State } from './plugin.ts';
import { anything } from './schema.ts';
import { plugin } from './test/words.ts';
import { bootKernel, fakeClock } from './testing.ts';

/** A plugin whose state the test can reach, live or not. */
function counter(schema = z.object({ n: z.number() }) as z.ZodType<{ n: number }>) {
  const seen: { state?: State<{ n: number }>; atSetup?: number } = {};
  const definition = plugin('counter', (ctx) => {
    seen.state = ctx.state('count', schema, () => ({ n: 0 }));
    seen.atSetup = seen.state.value.n;
  });
  return { definition, seen };
}

test('state carries over what was written until the swap', async () => {
  const one = counter();
  const two = counter();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using t = await bootKernel([one.definition]);
  if (one.seen.state !== undefined) one.seen.state.value = { n: 1 };
  const { setup } = two.definition;
  const reload = t.put({ ...two.definition, setup: async (ctx) => void (await Promise.all([setup(ctx), promise])) });
  await t.kernel.view().settled(5);
  expect(two.seen.atSetup).toBe(1);
  // Written while the new revision is set up already.
  if (one.seen.state !== undefined) one.seen.state.value = { n: 2 };
  resolve();
  await reload;
  expect(two.seen.state?.value).toEqual({ n: 2 });
});

test('what old code writes after the swap does not reach the new', async () => {
  const one = counter(anything() as never);
  const two = counter(anything() as never);
  await using t = await bootKernel([one.definition]);
  await t.put(two.definition);
  if (one.seen.state !== undefined) one.seen.state.value.n = 7;
  expect(two.seen.state?.value).toEqual({ n: 0 });
});

test('a value that the new schema refuses starts anew, and that is said', async () => {
  const one = counter();
  const two = counter(z.object({ n: z.number().max(10) }));
  await using t = await bootKernel([one.definition]);
  if (one.seen.state !== undefined) one.seen.state.value = { n: 99 };
  expect(await t.put(two.definition)).toMatchObject({ ok: true });
  expect(two.seen.state?.value).toEqual({ n: 0 });
  expect(t.complaints().join()).toContain('does not take the state count');
});

test('a schema that throws, or an initial value that does, stops no swap', async () => {
  const one = counter();
  await using t = await bootKernel([one.definition]);
  let times = 0;
  const schema = {
    '~standard': {
      validate: (): never => {
        throw new Error('no such value');
      },
    },
  };
  const initial = (): { n: number } => {
    times += 1;
    if (times > 1) throw new Error('only once');
    return { n: 5 };
  };
  let state: State<{ n: number }> | undefined;
  const next = plugin('counter', (ctx) => {
    state = ctx.state('count', schema, initial);
  });
  expect(await t.put(next)).toMatchObject({ ok: true });
  expect(state?.value).toEqual({ n: 5 });
});

test('a failed change leaves the state of the old alone', async () => {
  const one = counter();
  await using t = await bootKernel([one.definition]);
  await t.put(
    plugin('counter', (ctx) => {
      ctx.state('count', z.object({ n: z.number() }), () => ({ n: 0 })).value.n = 50;
      throw new Error('half-written');
    }),
  );
  expect(one.seen.state?.value).toEqual({ n: 0 });
});

/** A resource that counts how often it was acquired and released. */
function resource() {
  const log = { acquired: 0, released: 0 };
  const release = (): void => {
    log.released += 1;
  };
  const acquire = (): Kept<{ readonly number: number }> => {
    log.acquired += 1;
    return { value: { number: log.acquired }, release };
  };
  return { log, acquire };
}

test('keep hands over the same object while the fingerprint is equal, and releases it when nobody refers to it', async () => {
  const { log, acquire } = resource();
  const got: unknown[] = [];
  const keeper = (fingerprint: string) =>
    plugin('keeper', async (ctx) => void got.push(await ctx.keep('it', fingerprint, acquire)));
  await using t = await bootKernel([keeper('same')]);
  await t.put(keeper('same'));
  expect(got[1]).toBe(got[0]);
  await t.put(keeper('other'));
  await t.kernel.drained();
  expect(got[2]).not.toBe(got[0]);
  expect(log).toEqual({ acquired: 2, released: 1 });
  await t.drop('keeper');
  await t.kernel.drained();
  expect(log).toEqual({ acquired: 2, released: 2 });
  expect(t.kernel.cells.size).toBe(0);
});

test('a change that fails releases what it took, and the old keeps what it has', async () => {
  const { log, acquire } = resource();
  const keeper = (fingerprint: string, fails: boolean) =>
    plugin('keeper', async (ctx) => {
      await ctx.keep('it', fingerprint, acquire);
      if (fails) throw new Error('no');
    });
  await using t = await bootKernel([keeper('a', false)]);
  await t.put(keeper('b', true));
  expect(log).toEqual({ acquired: 2, released: 1 });
  await t.put(keeper('a', false));
  expect(log).toEqual({ acquired: 2, released: 1 });
});

test('who keeps one thing twice at once gets it once', async () => {
  const { log, acquire } = resource();
  let same = false;
  await using t = await bootKernel([
    plugin('keeper', async (ctx) => {
      const [one, two] = await Promise.all([
        ctx.keep('it', 'x', async () => acquire()),
        ctx.keep('it', 'x', async () => acquire()),
      ]);
      same = one === two;
    }),
  ]);
  expect(same).toBe(true);
  await t.drop('keeper');
  await t.kernel.drained();
  expect(log).toEqual({ acquired: 1, released: 1 });
});

test('what is acquired for a setup that was given up is released, and keeps nobody waiting', async () => {
  const clock = fakeClock();
  const { log, acquire } = resource();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using t = await bootKernel([], { clock });
  const hanging = t.put(plugin('keeper', (ctx) => ctx.keep('it', 'a', () => promise.then(acquire))));
  await clock.advance(3_000);
  expect(await hanging).toMatchObject({ ok: false, code: 'setup_late' });
  expect(await t.put(plugin('keeper', (ctx) => ctx.keep('it', 'a', acquire)))).toMatchObject({ ok: true });
  resolve();
  await clock.advance(0);
  expect(log).toEqual({ acquired: 2, released: 1 });
  expect(t.kernel.cells.size).toBe(1);
});

const listen = (port: number): Promise<Kept<Server>> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ value: server, release: () => new Promise<void>((done) => server.close(() => done())) }),
    );
  });

const portOf = (server: Server | undefined): number | undefined => {
  const address = server?.address();
  return typeof address === 'object' ? address?.port : undefined;
};

test('keep with exclusive reloads the owner of a port, and takes the port again when the change fails', async () => {
  const servers: Server[] = [];
  const on = (port: number, fingerprint: string, then = (): void => {}) =>
    plugin('server', async (ctx) => {
      servers.push(await ctx.keep('port', fingerprint, () => listen(port), { exclusive: true }));
      then();
    });
  await using t = await bootKernel([on(0, 'any')]);
  const port = portOf(servers[0]) ?? 0;
  expect(port).toBeGreaterThan(0);

  // The same port, which only one may have: the old one lets go first.
  expect(await t.put(on(port, 'fixed'))).toMatchObject({ ok: true });
  expect([servers[0]?.listening, portOf(servers[1])]).toEqual([false, port]);

  const fails = (): never => {
    throw new Error('after it took the port');
  };
  expect(await t.put(on(port, 'fixed, in vain', fails))).toMatchObject({ ok: false });
  await t.view.settled(5_000);
  expect([servers[1]?.listening, servers[2]?.listening, portOf(servers[3])]).toEqual([false, false, port]);
  expect(t.kernel.active('builtin::server')).toBeDefined();

  await t.drop('server');
  await t.kernel.drained();
  expect(servers.map(({ listening }) => listening)).toEqual([false, false, false, false]);
});

test('what a kept resource does later is booked on the revision that has it then', async () => {
  let tick = (): void => {};
  const owners: (number | undefined)[] = [];
  const keeper = (): ReturnType<typeof plugin> =>
    plugin('keeper', (ctx) =>
      ctx.keep('it', 'x', () => {
        const timer = setInterval(() => owners.push(t.kernel.owners.current()?.activation?.unit.revision), 1);
        tick = () => clearInterval(timer);
        return { value: timer, release: () => clearInterval(timer) };
      }),
    );
  await using t = await bootKernel([]);
  await t.put(keeper());
  await t.put(keeper());
  await t.kernel.drained();
  owners.length = 0;
  while (owners.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  tick();
  expect(new Set(owners)).toEqual(new Set([t.kernel.active('builtin::keeper')?.unit.revision]));
});
