import { expect, test } from 'vitest';
import { type CapabilityChange, capabilityChanged, type PluginChange, pluginChanged } from './events.ts';
import type { ChangeResult } from './kernel.ts';
import type { WatchPort } from './options.ts';
import { isBalanced, owner, plugin, said, speaker, words, wordsOf } from './test/words.ts';
import { bootKernel, fakeClock } from './testing.ts';

const fails = (id: string, why = 'no') =>
  plugin(id, () => {
    throw new Error(why);
  });
const next = () => new Promise((resolve) => setImmediate(resolve));

test('a change that fails keeps the old and says why; the journal, the event and the result agree', async () => {
  const told: PluginChange[] = [];
  await using t = await bootKernel([
    owner,
    speaker('a', 'hello'),
    plugin('ear', (ctx) => ctx.tap(pluginChanged, (change) => void told.push(change))),
  ]);
  told.length = 0;
  const before = t.kernel.snapshot();
  const result = await t.put(fails('a', 'half-written'));
  expect(result).toMatchObject({
    ok: false,
    plugin: 'a',
    code: 'plugin_failed',
    message: 'plugin a failed in setup: half-written',
  });
  expect(t.kernel.snapshot()).toBe(before);
  expect(t.complaints()).toEqual(['a: kept the old: plugin a failed in setup: half-written']);
  expect(told).toMatchObject([
    { id: 'a', state: 'kept', reason: 'plugin a failed in setup: half-written\nkern plugins why a' },
  ]);
  expect(t.kernel.failures.get('builtin::a')).toMatchObject({
    unit: { id: 'a' },
    message: 'plugin a failed in setup: half-written',
  });
  await t.put(speaker('a', 'hello again'));
  expect([told.at(-1)?.state, t.kernel.failures.size]).toEqual(['live', 0]);
});

test('of several plugins in one change all come or none, and the one at fault is named', async () => {
  await using t = await bootKernel([owner]);
  const unit = (definition: ReturnType<typeof plugin>) => ({
    key: `user::${definition.id}`,
    level: 'user' as const,
    source: definition.id,
    definition,
    revision: 1,
  });
  const result = await t.kernel.change({ put: [unit(speaker('a', 'a')), unit(fails('b')), unit(speaker('c', 'c'))] });
  expect(result).toMatchObject({ ok: false, plugin: 'b' });
  expect(wordsOf(t.kernel)).toEqual([]);
  expect([...t.kernel.failures.keys()].sort()).toEqual(['user::a', 'user::b', 'user::c']);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('of plugins in a circle the one that was put is at fault, and those behind it are not named', async () => {
  await using t = await bootKernel([
    plugin('a'),
    plugin('b', undefined, { after: ['a'] }),
    plugin('behind', undefined, { after: ['b'] }),
  ]);
  const result = await t.put(plugin('a', undefined, { after: ['b'] }));
  expect(result).toMatchObject({ ok: false, plugin: 'a', code: 'requirement_cycle' });
  if (!result.ok) expect(result.message).not.toContain('behind');
});

test('who requires a plugin that goes waits for it, and comes back with it', async () => {
  await using t = await bootKernel([owner, plugin('base')]);
  const put = (definition: ReturnType<typeof plugin>) => t.put(definition, { level: 'user' });
  await put({ ...speaker('middle', 'middle'), requires: ['base'] });
  await put({ ...speaker('top', 'top'), requires: ['middle'] });
  expect(await t.drop('base')).toMatchObject({ ok: true, unloaded: expect.arrayContaining(['base', 'middle', 'top']) });
  expect(wordsOf(t.kernel)).toEqual([]);
  await t.put(plugin('unrelated'));
  expect(wordsOf(t.kernel)).toEqual([]);
  expect(await t.put(plugin('base'))).toMatchObject({ ok: true, live: ['base', 'middle', 'top'] });
  expect(wordsOf(t.kernel)).toEqual(['middle of middle', 'top of top']);
});

test('one that fails when it is to come back stops nobody, is not tried with every change, and is tried when what it needs is put', async () => {
  let setups = 0;
  let works = true;
  const top = plugin(
    'top',
    (ctx) => {
      setups += 1;
      if (!works) throw new Error('not now');
      ctx.contribute(words, { word: 'top', by: 'top' });
    },
    { requires: ['base'] },
  );
  await using t = await bootKernel([owner, plugin('base'), top]);
  await t.drop('base');
  works = false;
  expect(await t.put(plugin('base'))).toMatchObject({ ok: true, live: ['base'] });
  expect([setups, t.kernel.failures.get('builtin::top')?.message]).toEqual([2, 'plugin top failed in setup: not now']);
  await t.put(plugin('unrelated'));
  expect(setups).toBe(2);
  works = true;
  expect(await t.put(plugin('base'))).toMatchObject({ ok: true, live: ['base', 'top'] });
  expect([wordsOf(t.kernel), t.kernel.failures.size]).toEqual([['top of top'], 0]);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('another file with the id of a plugin that is there does not load', async () => {
  await using t = await bootKernel([owner]);
  await t.put(speaker('a', 'one'), { level: 'user', source: '/one.ts' });
  expect(await t.put(speaker('a', 'two'), { level: 'user', source: '/two.ts' })).toMatchObject({
    ok: false,
    code: 'id_taken',
    message: expect.stringContaining('/one.ts'),
  });
  expect(await t.put(speaker('a', 'three'), { level: 'project', source: '/three.ts' })).toMatchObject({ ok: true });
  expect(wordsOf(t.kernel)).toEqual(['three of a', 'one of a']);
});

test.each(['user', 'project', 'session'] as const)(
  'the id of a built-in is taken for a %s, also when the built-in only waits',
  async (level) => {
    await using t = await bootKernel([plugin('base'), plugin('a', undefined, { requires: ['base'] })]);
    await t.drop('base');
    expect(await t.put(plugin('a'), { level })).toMatchObject({ ok: false, code: 'id_taken' });
  },
);

test('a user may replace a built-in by saying so, a project may not', async () => {
  await using t = await bootKernel([owner, speaker('a', 'built in')]);
  const mine = { ...speaker('a', 'mine'), replaces: 'a' };
  expect(await t.put(mine, { level: 'project' })).toMatchObject({ ok: false, code: 'id_taken' });
  expect(await t.put(mine, { level: 'user' })).toMatchObject({ ok: true, live: ['a'], unloaded: ['a'] });
  expect(wordsOf(t.kernel)).toEqual(['mine of a']);
  // A new revision of what is replaced waits behind it.
  await t.put(speaker('a', 'built in, newer'), { level: 'builtin' });
  expect(wordsOf(t.kernel)).toEqual(['mine of a']);
  await t.drop('a', { level: 'user' });
  expect(wordsOf(t.kernel)).toEqual(['built in, newer of a']);
});

test('a setup that hangs fails after its limit, and what it does later does not count', async () => {
  const clock = fakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const late: string[] = [];
  await using t = await bootKernel([owner], { clock });
  const put = t.put(
    plugin('slow', async (ctx) => {
      await promise;
      try {
        ctx.contribute(words, { word: 'late', by: 'slow' });
      } catch (error) {
        late.push(String(error));
      }
    }),
  );
  await clock.advance(3_000);
  expect(await put).toMatchObject({ ok: false, plugin: 'slow', code: 'setup_late' });
  resolve();
  await next();
  expect(late).toEqual([expect.stringContaining('plugin slow used ctx.contribute after it was unloaded')]);
  expect(wordsOf(t.kernel)).toEqual([]);
});

test('what a start registers belongs to the plugin like what its setup did', async () => {
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.onStart(async () => {
        // It sees the set of plugins that it will be part of.
        expect(ctx.use(words).items()).toEqual([{ word: 'b', by: 'b' }]);
        await next();
        ctx.contribute(words, { word: 'a', by: 'a' });
      });
    }),
    speaker('b', 'b'),
  ]);
  expect(wordsOf(t.kernel)).toEqual(['a of a', 'b of b']);
});

test('what a start leaves running sees later what is there then', async () => {
  let look: () => readonly string[] = () => [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ctx.onStart(() => {
        void promise.then(() => {
          seen.push(...look());
        });
        look = () =>
          ctx
            .use(words)
            .items()
            .map(({ word }) => word);
      });
      ctx.events.on('go', () => resolve());
    }),
  ]);
  const seen: string[] = [];
  await t.put(speaker('b', 'later'));
  t.kernel.events.emit('go');
  await next();
  expect(seen).toEqual(['later']);
});

test('what a plugin contributes while another change is under way is in the next snapshot', async () => {
  let add = (): void => {};
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      add = () => void ctx.contribute(words, { word: 'meanwhile', by: 'a' });
    }),
  ]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const put = t.put(plugin('slow', () => promise));
  await next();
  add();
  expect(wordsOf(t.kernel)).toEqual(['meanwhile of a']);
  resolve();
  await put;
  expect(wordsOf(t.kernel)).toEqual(['meanwhile of a']);
});

test('a change asked for in the middle of a change is refused with an error that says so, and not waited for', async () => {
  const results: ChangeResult[] = [];
  await using t = await bootKernel([owner]);
  const asking = (at: 'setup' | 'start') =>
    plugin('asking', async (ctx) => {
      const ask = async (): Promise<void> => {
        await next();
        results.push(await t.put(speaker('b', 'hello')));
        results.push(await t.kernel.configure(t.kernel.settings, []));
        await t.kernel.settled(1_000_000);
      };
      if (at === 'setup') await ask();
      else ctx.onStart(ask);
    });
  expect(await t.put(asking('setup'))).toMatchObject({ ok: true });
  expect(await t.put(asking('start'))).toMatchObject({ ok: true });
  expect(results).toHaveLength(4);
  for (const result of results) expect(result).toMatchObject({ ok: false, plugin: 'asking', code: 'change_in_change' });
  expect(wordsOf(t.kernel)).toEqual([]);
});

test('what a setup leaves running may ask for changes once its own is through', async () => {
  let later: Promise<ChangeResult> | undefined;
  await using t = await bootKernel([owner]);
  const { promise, resolve } = Promise.withResolvers<void>();
  await t.put(
    plugin('asking', () => {
      later = promise.then(() => t.put(speaker('b', 'hello')));
    }),
  );
  resolve();
  expect(await later).toMatchObject({ ok: true });
});

test('a listener of changes that causes changes is heard after the one it answers to', async () => {
  const told: string[] = [];
  await using t = await bootKernel([owner]);
  const answers: Promise<ChangeResult>[] = [];
  await t.put(
    plugin('a', (ctx) => {
      ctx.tap(pluginChanged, ({ id }) => {
        told.push(`a hears ${id}`);
        if (id === 'first') answers.push(t.put(plugin('second')));
        if (id === 'first') ctx.contribute(words, { word: 'hello', by: 'a' });
      });
      ctx.tap(capabilityChanged, ({ added }) => void told.push(`a hears ${added.join()}`));
    }),
  );
  await t.put(
    plugin('b', (ctx) => {
      ctx.tap(pluginChanged, ({ id }) => void told.push(`b hears ${id}`));
      ctx.tap(capabilityChanged, ({ added }) => void told.push(`b hears ${added.join()}`));
    }),
  );
  told.length = 0;
  await t.put(plugin('first'));
  await Promise.all(answers);
  expect(told).toEqual([
    'a hears first',
    'b hears first',
    'a hears hello',
    'b hears hello',
    'a hears second',
    'b hears second',
  ]);
});

test('a listener that changes what it is told of at every turn is stopped', async () => {
  let times = 0;
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      const group = ctx.offer(words, 'more');
      ctx.tap(capabilityChanged, () => {
        times += 1;
        group.replace([{ word: `word ${times}`, by: 'a' }]);
      });
    }),
  ]);
  await t.put(speaker('b', 'hello'));
  expect(times).toBeLessThan(5_000);
  expect(t.complaints().join()).toContain('keeps changing what it is told of');
});

test('capability.changed says what a change adds, changes and removes', async () => {
  const changes: CapabilityChange[] = [];
  await using t = await bootKernel([
    owner,
    speaker('a', 'one', 'two'),
    plugin('ear', (ctx) => ctx.tap(capabilityChanged, (change) => void changes.push(change))),
  ]);
  changes.length = 0;
  await t.put(speaker('a', 'two', 'three'));
  await t.drop('a');
  await t.put(plugin('quiet'));
  expect(changes).toEqual([
    { capability: 'word', added: ['three'], changed: ['two'], removed: ['one'] },
    { capability: 'word', added: [], changed: [], removed: ['two', 'three'] },
  ]);
});

test('hooks are not built anew for what changes no tap', async () => {
  let add = (): void => {};
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.tap(said, () => undefined);
      add = () => void ctx.contribute(words, { word: 'hello', by: 'a' });
    }),
  ]);
  const { hooks } = t.kernel.snapshot();
  add();
  expect(t.kernel.snapshot().hooks).toBe(hooks);
  await t.put(speaker('b', 'hello'));
  expect(t.kernel.snapshot().hooks).toBe(hooks);
  await t.put(plugin('c', (ctx) => ctx.tap(said, () => undefined)));
  expect(t.kernel.snapshot().hooks).not.toBe(hooks);
});

test('settled waits for what is queued, also while it waits, for debounce windows, and not longer than it may', async () => {
  const clock = fakeClock();
  const windows: PromiseWithResolvers<void>[] = [];
  const watch: WatchPort = {
    watch: () => ({ dispose: () => {}, [Symbol.dispose]: () => {} }),
    touched: () => {},
    pending: async () => {
      await windows.at(-1)?.promise;
    },
  };
  await using t = await bootKernel([owner], { clock, watch });
  const order: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = (at: number) => t.put(plugin(`p${at}`, () => gates[at]?.promise)).then(() => order.push(`p${at}`));
  void slow(0);
  windows.push(Promise.withResolvers<void>());
  const settled = t.kernel.settled(2_000).then(() => order.push('settled'));
  await clock.advance(0);
  void slow(1);
  windows[0]?.resolve();
  gates[0]?.resolve();
  await clock.advance(0);
  expect(order).toEqual(['p0']);
  gates[1]?.resolve();
  await settled;
  expect(order).toEqual(['p0', 'p1', 'settled']);

  const never = t.kernel.track(new Promise<void>(() => {}));
  const limited = t.kernel.settled(2_000);
  await clock.advance(2_000);
  await limited;
  expect(never).toBeInstanceOf(Promise);
});
