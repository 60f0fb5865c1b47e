import { expect, test } from 'vitest';
import { defineService } from './capability.ts';
import type { Context } from './plugin.ts';
import { processes } from './process.ts';
import type { IdlePlugin } from './snapshot.ts';
import { plugin } from './test/words.ts';
import { bootKernel } from './testing.ts';

interface Clockwork {
  time(): string;
}

const clockwork = defineService<Clockwork>({ id: 'clockwork' });
const guarded = defineService<Clockwork>({ id: 'guarded', level: 'builtin' });
const house = plugin('house', undefined, { declares: [clockwork, guarded] });

const supplier = (time: string, token = clockwork, id = 'supplier') =>
  plugin(id, (ctx) => ctx.contribute(token, { time: () => time }));

/** A plugin that asks for the time whenever the test wants to know. */
function asking() {
  const box: { ctx?: Context } = {};
  const definition = plugin('asker', (ctx) => {
    box.ctx = ctx;
  });
  return { definition, now: (token = clockwork): string => box.ctx?.service(token).time() ?? 'no ctx' };
}

test('a service is looked up at every call: when its supplier reloads, who holds the token sees the new one', async () => {
  const asker = asking();
  await using t = await bootKernel([house, supplier('noon'), asker.definition]);
  expect(asker.now()).toBe('noon');
  await t.put(supplier('evening'));
  expect(asker.now()).toBe('evening');
});

test('a service that nobody supplies says so', async () => {
  const asker = asking();
  await using t = await bootKernel([house, asker.definition]);
  expect(() => asker.now()).toThrow('service clockwork is not there');
  await t.put(supplier('noon'));
  expect(asker.now()).toBe('noon');
  await t.drop('supplier');
  expect(() => asker.now()).toThrow(expect.objectContaining({ code: 'service_missing' }));
});

test('a pinned turn keeps the service it began with', async () => {
  await using t = await bootKernel([house, supplier('noon')]);
  using turn = t.view.pin();
  await t.put(supplier('evening'));
  expect([turn.service(clockwork).time(), t.view.service(clockwork).time()]).toEqual(['noon', 'evening']);
});

test("a user's supplier comes before a built-in's, a project's is none, and where the level is builtin nobody else's counts", async () => {
  await using t = await bootKernel([house, supplier('built in'), supplier('built in', guarded, 'guard')]);
  await t.put(supplier("a project's", clockwork, 'p'), { level: 'project' });
  expect(t.view.service(clockwork).time()).toBe('built in');
  await t.put(supplier("a user's", clockwork, 'u'), { level: 'user' });
  expect(t.view.service(clockwork).time()).toBe("a user's");
  await t.put(supplier("a user's", guarded, 'v'), { level: 'user' });
  await t.put(supplier("a session's", guarded, 'w'), { level: 'session' });
  expect(t.view.service(guarded).time()).toBe('built in');
  expect(
    t.view
      .use(guarded)
      .entries()
      .map(({ verdict }) => verdict),
  ).toEqual([
    { state: 'disabled', by: 'only builtin plugins supply it' },
    { state: 'disabled', by: 'only builtin plugins supply it' },
    { state: 'won' },
  ]);
});

test('a service whose plugin sleeps is there after it was loaded, also in a pinned turn', async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    return supplier('noon');
  };
  const asleep: IdlePlugin = { id: 'supplier', declares: [], contributes: { clockwork: ['clockwork'] }, load };
  await using t = await bootKernel([house]);
  t.kernel.introduce([asleep]);
  expect(() => t.view.service(clockwork)).toThrow('is not there yet');
  using turn = t.view.pin();
  await turn.use(clockwork).load();
  expect([turn.service(clockwork).time(), t.view.service(clockwork).time(), loads]).toEqual(['noon', 'noon', 1]);
});

test('ctx.spawn is the supervisor bound to the plugin: its name, its working directory, its end', async () => {
  const started: { owner: string | undefined; cwd: string | undefined; signal: AbortSignal | undefined }[] = [];
  const child = { pid: 1, result: new Promise<never>(() => {}), write: () => {}, end: () => {}, kill: async () => {} };
  const spawn = (
    _command: string,
    _args: readonly string[],
    options: { owner?: string; cwd?: string; signal?: AbortSignal } = {},
  ) => {
    started.push({ owner: options.owner, cwd: options.cwd, signal: options.signal });
    return child;
  };
  const supervisor = plugin(
    'processes',
    (ctx) => ctx.contribute(processes, { spawn, list: () => [], killAllNow: () => {}, killAll: async () => {} }),
    { declares: [processes] },
  );
  await using t = await bootKernel([
    supervisor,
    plugin('worker', (ctx) => ctx.onStart(() => void ctx.spawn('sleep', ['1']))),
  ]);
  expect(started).toMatchObject([{ owner: 'worker', cwd: t.dir }]);
  expect(started[0]?.signal?.aborted).toBe(false);
  await t.drop('worker');
  expect(started[0]?.signal?.aborted).toBe(true);
});
