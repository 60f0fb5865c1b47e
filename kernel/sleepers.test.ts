import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Capability, defineCapability } from './capability.ts';
import { codeOf } from './error.ts';
import { type CapabilityChange, capabilityChanged } from './events.ts';
import { unitKey } from './kernel.ts';
import type { PluginDefinition } from './plugin.ts';
import type { IdlePlugin } from './snapshot.ts';
import { isBalanced, owner, plugin, said, speaker, words, wordsOf } from './test/words.ts';
import { bootKernel, fakeClock, fixedSettings, type TestKernel } from './testing.ts';

/** A manifest, and how often what it stands for was loaded and set up. */
function asleep(definition: PluginDefinition, manifest: Partial<IdlePlugin>) {
  const count = { loads: 0, setups: 0 };
  const plugin: IdlePlugin = {
    id: definition.id,
    declares: [],
    contributes: {},
    ...manifest,
    load: async () => {
      count.loads += 1;
      const setup: PluginDefinition['setup'] = (ctx) => {
        count.setups += 1;
        return definition.setup(ctx);
      };
      return { ...definition, setup };
    },
  };
  return { plugin, count };
}

async function houseWith(...plugins: readonly IdlePlugin[]): Promise<TestKernel> {
  const t = await bootKernel([owner]);
  t.kernel.introduce(plugins);
  return t;
}

test('a sleeping plugin wakes when what it supplies is read, once however many read', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(a.plugin);
  expect(wordsOf(t.kernel)).toEqual([]);
  await t.kernel
    .view()
    .use(said as never as Capability<never>)
    .load();
  expect(a.count.loads).toBe(0);
  await Promise.all([t.view.use(words).load(), t.view.use(words).load(), t.kernel.view().use(words).load()]);
  await t.view.use(words).load();
  expect([wordsOf(t.kernel), a.count, t.kernel.sleeping]).toEqual([['hello of a'], { loads: 1, setups: 1 }, []]);
});

test('asked for one key, only those wake that may have it', async () => {
  const [a, b, c] = [
    asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } }),
    asleep(speaker('b', 'bye'), { contributes: { word: ['bye'] } }),
    asleep(speaker('c', 'what'), { contributes: { word: '*' } }),
  ];
  await using t = await houseWith(a.plugin, b.plugin, c.plugin);
  await t.view.use(words).load(undefined, 'hello');
  expect([a.count.setups, b.count.setups, c.count.setups]).toEqual([1, 0, 1]);
  expect(t.view.use(words).get('hello')?.origin.plugin).toBe('a');
});

test('what is asked for in one breath wakes in one change', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  const b = asleep(speaker('b', 'bye'), { contributes: { word: ['bye'] } });
  await using t = await houseWith(a.plugin, b.plugin);
  const before = t.kernel.snapshot().number;
  const reader = t.view.use(words);
  await Promise.all([reader.load(undefined, 'hello'), reader.load(undefined, 'bye')]);
  expect(t.kernel.snapshot().number).toBe(before + 1);
  expect(wordsOf(t.kernel).toSorted()).toEqual(['bye of b', 'hello of a']);
});

test('reading a capability wakes the plugin that declares it', async () => {
  const birds = defineCapability<string>({ id: 'bird', schema: z.string(), key: (name) => name });
  const aviary = asleep(
    plugin('aviary', (ctx) => ctx.contribute(birds, 'owl'), { declares: [birds] }),
    { declares: [birds], contributes: {} },
  );
  await using t = await houseWith(aviary.plugin);
  await t.view.use(birds).load();
  expect(t.view.use(birds).items()).toEqual(['owl']);
});

test('tokens of a sleeping plugin are in force: what others offer is parsed by them', async () => {
  const strict = defineCapability<string>({ id: 'bird', schema: z.string().max(3), key: (name) => name });
  const aviary = asleep(plugin('aviary', undefined, { declares: [strict] }), { declares: [strict], contributes: {} });
  await using t = await houseWith(aviary.plugin);
  const lax = { ...strict, schema: z.string() };
  expect(await t.put(plugin('a', (ctx) => ctx.contribute(lax, 'kestrel')))).toMatchObject({
    ok: false,
    code: 'invalid_item',
  });
  await t.put(plugin('a', (ctx) => ctx.contribute(lax, 'owl')));
  expect([t.view.use(lax).items(), aviary.count.loads]).toEqual([['owl'], 0]);
});

test('one sleeper that fails does not stop the others, is not tried again at every use, and its failure is on record', async () => {
  const bad = asleep(
    plugin('bad', () => {
      throw new Error('no key');
    }),
    { contributes: { word: '*' } },
  );
  const missing: IdlePlugin = {
    id: 'missing',
    declares: [],
    contributes: { word: '*' },
    load: () => Promise.reject(new Error('Cannot find module')),
  };
  const good = asleep(speaker('good', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(bad.plugin, missing, good.plugin);
  await t.view.use(words).load();
  await t.view.use(words).load();
  expect(wordsOf(t.kernel)).toEqual(['hello of good']);
  expect(bad.count.setups).toBeLessThanOrEqual(2);
  const failures = [...t.kernel.failures.values()].map(({ unit, message }) => [unit.id, message]);
  expect(failures).toEqual(
    expect.arrayContaining([
      ['bad', 'plugin bad failed in setup: no key'],
      ['missing', 'plugin missing failed in loading: Cannot find module'],
    ]),
  );
  expect(t.kernel.sleeping).toEqual([]);
  expect(isBalanced(t.kernel)).toBe(true);
});

test('a sleeper whose code never comes holds nobody up for ever', async () => {
  const clock = fakeClock();
  await using t = await bootKernel([owner], { clock });
  t.kernel.introduce([{ id: 'stuck', declares: [], contributes: { word: '*' }, load: () => new Promise(() => {}) }]);
  const load = t.view.use(words).load();
  await clock.advance(10_000);
  await load;
  expect(t.complaints()).toEqual(['stuck: plugin stuck failed in loading: it did not load within 10000 ms']);
});

test('a sleeper whose code has another id than its manifest does not wake', async () => {
  await using t = await houseWith({
    id: 'a',
    declares: [],
    contributes: { word: '*' },
    load: async () => speaker('b', 'hello'),
  });
  await t.view.use(words).load();
  expect([wordsOf(t.kernel), t.complaints().join()]).toEqual([
    [],
    expect.stringContaining('its manifest says a, its code b'),
  ]);
});

test('required sleepers wake with who requires them, before it', async () => {
  const order: string[] = [];
  const noting = (id: string, requires: readonly string[] = []) => plugin(id, () => void order.push(id), { requires });
  const [base, middle] = [asleep(noting('z-base'), {}), asleep(noting('y-middle', ['z-base']), {})];
  await using t = await houseWith(base.plugin, middle.plugin);
  expect(await t.put(noting('a', ['y-middle']), { level: 'user' })).toMatchObject({
    ok: true,
    live: ['z-base', 'y-middle', 'a'],
  });
  expect(order).toEqual(['z-base', 'y-middle', 'a']);
});

test('when a required sleeper does not wake, who requires it does not load, and both are on record', async () => {
  const bad = asleep(
    plugin('bad', () => Promise.reject(new Error('no'))),
    {},
  );
  await using t = await houseWith(bad.plugin);
  const key = unitKey('user', undefined, 'a');
  expect(await t.put(plugin('a', undefined, { requires: ['bad'] }), { level: 'user' })).toMatchObject({
    ok: false,
    plugin: 'bad',
  });
  expect([...t.kernel.failures.keys()].sort()).toEqual(['builtin::bad', key]);
  expect(t.kernel.failures.get(key)?.message).toContain('plugin bad failed in setup: no');
});

test('boot loads those that tap a hook, as one change, and leaves the others asleep', async () => {
  const heard: string[] = [];
  const ear = asleep(
    plugin('ear', (ctx) => ctx.tap(said, ({ text }) => void heard.push(text))),
    { taps: ['said'] },
  );
  const sleepy = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(ear.plugin, sleepy.plugin);
  expect(await t.kernel.boot()).toMatchObject({ ok: true, live: ['ear'] });
  t.call(said, { text: 'hi' });
  expect([heard, sleepy.count.loads]).toEqual([['hi'], 0]);
});

test('reading inside a setup does not wait for the change it is part of', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(a.plugin);
  const seen: number[] = [];
  const reader = plugin('reader', async (ctx) => {
    await ctx.use(words).load();
    seen.push(ctx.use(words).items().length);
    ctx.onStart(async () => {
      await ctx.use(words).load();
    });
  });
  expect(await t.put(reader)).toMatchObject({ ok: true });
  await t.view.use(words).load();
  expect([seen, wordsOf(t.kernel), a.count.setups]).toEqual([[0], ['hello of a'], 1]);
});

test('a pinned view sees what its sleepers bring once it reads them, and nothing of those that came later', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(a.plugin);
  using turn = t.view.pin();
  const late = asleep(speaker('late', 'late'), { contributes: { word: ['late'] } });
  t.kernel.introduce([late.plugin]);
  await turn.use(words).load();
  expect(
    turn
      .use(words)
      .items()
      .map(({ word }) => word),
  ).toEqual(['hello']);
  expect(wordsOf(t.kernel)).toEqual(['hello of a', 'late of late']);
  await t.put(speaker('a', 'changed'));
  await turn.use(words).load();
  expect(
    turn
      .use(words)
      .items()
      .map(({ word }) => word),
  ).toEqual(['hello']);
});

// --- On, off and replaced ------------------------------------------------------------------------------------------

test('a sleeper that is switched off does not wake, and is there again when it is switched on', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await bootKernel([owner], { config: { a: false } });
  t.kernel.introduce([a.plugin]);
  await t.view.use(words).load();
  expect(a.count.loads).toBe(0);
  await t.kernel.configure(fixedSettings({}, {}, 1), ['plugins.a']);
  await t.view.use(words).load();
  expect(wordsOf(t.kernel)).toEqual(['hello of a']);
});

test('a built-in that woke and is switched off goes, and comes back when it is switched on', async () => {
  const a = asleep(speaker('a', 'hello'), { contributes: { word: ['hello'] } });
  await using t = await houseWith(a.plugin);
  await t.view.use(words).load();
  expect(await t.kernel.configure(fixedSettings({ a: false }, {}, 1), ['plugins.a'])).toMatchObject({
    ok: true,
    unloaded: ['a'],
  });
  expect(wordsOf(t.kernel)).toEqual([]);
  expect(await t.kernel.configure(fixedSettings({}, {}, 2), ['plugins.a'])).toMatchObject({ ok: true, live: ['a'] });
  expect([wordsOf(t.kernel), a.count.loads]).toEqual([['hello of a'], 1]);
});

test('a built-in that taps, switched off at boot, is loaded when it is switched on', async () => {
  const heard: string[] = [];
  const ear = asleep(
    plugin('ear', (ctx) => ctx.tap(said, ({ text }) => void heard.push(text))),
    { taps: ['said'] },
  );
  await using t = await bootKernel([owner], { config: { ear: false } });
  t.kernel.introduce([ear.plugin]);
  expect(await t.kernel.boot()).toMatchObject({ ok: true, live: [] });
  t.call(said, { text: 'unheard' });
  await t.kernel.configure(fixedSettings({}, {}, 1), ['plugins.ear']);
  t.call(said, { text: 'heard' });
  expect(heard).toEqual(['heard']);
});

test("a user's plugin that replaces a sleeping built-in keeps it asleep, satisfies who requires it, and gives way when it goes", async () => {
  const read = asleep(speaker('tools.read', 'built in'), { contributes: { word: '*' } });
  await using t = await houseWith(read.plugin);
  const mine = { ...speaker('my-read', 'mine'), replaces: 'tools.read' };
  expect(await t.put(mine, { level: 'user' })).toMatchObject({ ok: true });
  expect(await t.put(plugin('needs', undefined, { requires: ['tools.read'] }))).toMatchObject({
    ok: true,
    live: ['needs'],
  });
  await t.view.use(words).load();
  expect([wordsOf(t.kernel), read.count.loads]).toEqual([['mine of my-read'], 0]);
  await t.drop('my-read', { level: 'user' });
  await t.view.use(words).load();
  expect(wordsOf(t.kernel)).toEqual(['built in of tools.read']);
  // Now that it runs, the same again: replaced, it goes; and it comes back.
  await t.put({ ...mine, id: 'tools.read', replaces: 'tools.read' }, { level: 'user' });
  expect(wordsOf(t.kernel)).toEqual(['mine of my-read']);
  await t.drop('tools.read', { level: 'user' });
  expect(wordsOf(t.kernel)).toEqual(['built in of tools.read']);
});

// --- Stubs ---------------------------------------------------------------------------------------------------------

interface Spell {
  readonly name: string;
  cast(at: string): Promise<string>;
}

const spellSchema = z.custom<Spell>(
  (value) => typeof (value as Spell | undefined)?.name === 'string' && typeof (value as Spell).cast === 'function',
  'a spell is {name, cast(at)}',
);

const spells = defineCapability<Spell>({
  id: 'spell',
  schema: spellSchema,
  key: ({ name }) => name,
  stub: (descriptor, wake) => {
    const { name } = z.object({ name: z.string() }).parse(descriptor);
    return { name, cast: async (at) => (await wake()).cast(at) };
  },
});
const magic = plugin('magic', undefined, { declares: [spells] });

const wizard = (says = 'fire', id = 'wizard', name = 'spark') =>
  plugin(id, (ctx) => {
    ctx.contribute(spells, { name, cast: async (at) => `${says} at ${at} by ${ctx.revision}` });
  });

function sleepingWizard(definition = wizard(), rest: Partial<IdlePlugin> = {}) {
  return asleep(definition, {
    contributes: { spell: ['spark'] },
    stubs: { spell: [{ name: 'spark' }] },
    source: '/wizard/package.json',
    ...rest,
  });
}

async function tower(...plugins: readonly IdlePlugin[]): Promise<TestKernel> {
  const t = await bootKernel([magic]);
  t.kernel.introduce(plugins);
  return t;
}

const spark = (view: TestKernel['view']) => {
  const entry = view.use(spells).get('spark');
  if (entry === undefined) throw new Error('no spark');
  return entry;
};

test('an item known from a manifest is a stub: reading it wakes nobody, calling it wakes its plugin and goes on to the real one', async () => {
  const { plugin: manifest, count } = sleepingWizard();
  await using t = await tower(manifest);
  await t.view.use(spells).load();
  expect(t.view.use(spells).entries()).toMatchObject([
    {
      key: 'spark',
      origin: { plugin: 'wizard', level: 'builtin', path: '/wizard/package.json' },
      verdict: { state: 'won' },
    },
  ]);
  expect(count.loads).toBe(0);
  expect(await t.view.run(spark(t.view), (spell) => spell.cast('orc'))).toBe('fire at orc by 1');
  expect([count, t.kernel.sleeping]).toEqual([{ loads: 1, setups: 1 }, []]);
  expect(t.view.use(spells).entries()).toHaveLength(1);
});

test('where something is set for a plugin, what its manifest tells does not count: it wakes to say what it supplies', async () => {
  const { plugin: manifest, count } = sleepingWizard();
  await using t = await bootKernel([magic], { config: { wizard: { loud: true } } });
  t.kernel.introduce([manifest]);
  expect(t.view.use(spells).entries()).toEqual([]);
  await t.view.use(spells).load();
  expect(count.loads).toBe(1);
  expect(t.view.use(spells).entries()).toHaveLength(1);
});

test('a stub that is called directly forwards as well, and two calls at once wake its plugin once', async () => {
  const { plugin: manifest, count } = sleepingWizard();
  await using t = await tower(manifest);
  const { item } = spark(t.view);
  expect(
    await Promise.all([item.cast('orc'), item.cast('elf'), t.view.run(spark(t.view), (spell) => spell.cast('owl'))]),
  ).toEqual(['fire at orc by 1', 'fire at elf by 1', 'fire at owl by 1']);
  expect(count).toEqual({ loads: 1, setups: 1 });
});

test('a stub held in a pinned turn wakes its plugin and forwards, then and later', async () => {
  const { plugin: manifest } = sleepingWizard();
  await using t = await tower(manifest);
  using turn = t.view.pin();
  const held = spark(turn);
  expect(await turn.run(held, (spell) => spell.cast('orc'))).toBe('fire at orc by 1');
  await t.put(wizard('ice'));
  expect(await turn.run(held, (spell) => spell.cast('orc'))).toContain('ice at orc');
  expect(turn.use(spells).items()).toHaveLength(1);
});

test('a call through a stub is a call in the plugin that woke: a reload lets it end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = plugin('wizard', (ctx) =>
    ctx.contribute(spells, { name: 'spark', cast: () => promise.then(() => `of ${ctx.revision}`) }),
  );
  const { plugin: manifest } = sleepingWizard(slow);
  await using t = await tower(manifest);
  const call = t.view.run(spark(t.view), (spell) => spell.cast('orc'));
  while (t.kernel.active('builtin::wizard') === undefined) await new Promise((next) => setImmediate(next));
  await new Promise((next) => setImmediate(next));
  await t.put(wizard());
  await t.kernel.drained();
  expect(t.kernel.draining.map(({ id }) => id)).toEqual(['wizard']);
  resolve();
  expect(await call).toBe('of 1');
});

test('a stub whose plugin does not wake answers with why, and its plugin is not tried at every call', async () => {
  const broken = plugin('wizard', () => {
    throw new Error('no wand');
  });
  const { plugin: manifest, count } = sleepingWizard(broken);
  await using t = await tower(manifest);
  const entry = spark(t.view);
  for (const _ of [1, 2]) {
    const error: unknown = await t.view.run(entry, (spell) => spell.cast('orc')).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'stub_empty', message: expect.stringContaining('no wand') });
  }
  expect(count.setups).toBe(1);
  expect(t.view.use(spells).items()).toEqual([]);
});

test('a manifest that promises more than setup brings is told by whoever calls it', async () => {
  const { plugin: manifest } = sleepingWizard(wizard('fire', 'wizard', 'flame'));
  await using t = await tower(manifest);
  await expect(t.view.run(spark(t.view), (spell) => spell.cast('orc'))).rejects.toMatchObject({
    code: 'stub_empty',
    message: expect.stringContaining('its setup offers no spell spark'),
  });
  expect(
    t.view
      .use(spells)
      .items()
      .map(({ name }) => name),
  ).toEqual(['flame']);
});

test('a line of a manifest of which no item can be made is an invalid entry', async () => {
  const { plugin: manifest } = sleepingWizard(wizard(), { stubs: { spell: [{ nom: 'spark' }] } });
  await using t = await tower(manifest);
  expect(t.view.use(spells).entries()).toMatchObject([{ origin: { plugin: 'wizard' }, verdict: { state: 'invalid' } }]);
  // It stands for nothing, so that reading has to wake the plugin.
  await t.view.use(spells).load();
  expect(t.view.use(spells).items()).toHaveLength(1);
});

test('that a stub became the real item is no change of the capability', async () => {
  const changes: CapabilityChange[] = [];
  const { plugin: manifest } = sleepingWizard();
  await using t = await tower(manifest);
  await t.put(plugin('ear', (ctx) => ctx.tap(capabilityChanged, (change) => void changes.push(change))));
  await t.view.run(spark(t.view), (spell) => spell.cast('orc'));
  expect(changes).toEqual([]);
  await t.put(wizard('ice'));
  expect(changes).toEqual([{ capability: 'spell', added: [], changed: ['spark'], removed: [] }]);
});

test('stubs compete by level like any other item', async () => {
  const { plugin: builtin } = sleepingWizard();
  const { plugin: users } = sleepingWizard(wizard('acid', 'druid'), { level: 'user', source: '/druid' });
  await using t = await tower(builtin, users);
  expect(
    t.view
      .use(spells)
      .entries()
      .map(({ origin, verdict }) => [origin.plugin, verdict.state]),
  ).toEqual([
    ['druid', 'won'],
    ['wizard', 'shadowed'],
  ]);
  expect(await t.view.run(spark(t.view), (spell) => spell.cast('orc'))).toBe('acid at orc by 1');
  expect(t.kernel.active(unitKey('user', undefined, 'druid'))?.unit.source).toBe('/druid');
});

test("a project's sleeper is seen, and woken, from its project only", async () => {
  const { plugin: manifest, count } = sleepingWizard(wizard(), {
    level: 'project',
    root: '/one',
    contributes: { spell: ['spark'], word: '*' },
  });
  await using t = await tower(manifest);
  const [here, there] = ['/one', '/two'].map((root) => t.kernel.view({ root, cwd: root }));
  expect(there?.use(spells).items()).toEqual([]);
  await there?.use(words).load();
  expect(count.loads).toBe(0);
  expect(await here?.run(spark(here), (spell) => spell.cast('orc'))).toBe('fire at orc by 1');
});

test('a stub called while plugins are set up says that it cannot wake, instead of waiting for ever', async () => {
  const { plugin: manifest } = sleepingWizard();
  await using t = await tower(manifest);
  const hasty = plugin('hasty', async (ctx) => {
    const [entry] = ctx.use(spells).entries();
    if (entry !== undefined) await ctx.run(entry, (spell) => spell.cast('orc'));
  });
  expect(await t.put(hasty)).toMatchObject({ ok: false, plugin: 'hasty', code: 'stub_in_change' });
});

test('a stub of a plugin that was dropped while it slept is gone', async () => {
  const { plugin: manifest } = sleepingWizard(wizard(), { level: 'user' });
  await using t = await tower(manifest);
  const entry = spark(t.view);
  await t.drop('wizard', { level: 'user' });
  expect(t.view.use(spells).entries()).toEqual([]);
  expect(await t.view.run(entry, (spell) => spell.cast('orc')).catch(codeOf)).toBe('stub_empty');
});

// --- Manifests -----------------------------------------------------------------------------------------------------

test('a manifest with the id of a built-in, with tokens that are not its own, or taken, is refused and changes nothing', async () => {
  const { plugin: builtin } = sleepingWizard();
  await using t = await tower(builtin);
  const stranger = (manifest: Partial<IdlePlugin>): IdlePlugin => ({
    id: 'x',
    level: 'user',
    declares: [],
    contributes: {},
    load: async () => plugin('x'),
    ...manifest,
  });
  const before = t.kernel.snapshot();
  expect(() => t.kernel.introduce([stranger({ id: 'wizard' })])).toThrow(expect.objectContaining({ code: 'id_taken' }));
  expect(() => t.kernel.introduce([stranger({ declares: [spells] })])).toThrow(
    expect.objectContaining({ code: 'token_id' }),
  );
  expect(() => t.kernel.introduce([stranger({ level: 'builtin', declares: [spells] })])).toThrow(
    expect.objectContaining({ code: 'token_taken' }),
  );
  expect(t.kernel.snapshot()).toBe(before);
  t.kernel.introduce([stranger({})]);
  expect(t.kernel.sleeping.map(({ id }) => id)).toEqual(['wizard', 'x']);
});

test('an edited manifest takes the place of the one before, and code that is put wakes the sleeper', async () => {
  const first = sleepingWizard(wizard(), { level: 'user' });
  const second = sleepingWizard(wizard('frost'), { level: 'user' });
  await using t = await tower(first.plugin);
  t.kernel.introduce([second.plugin]);
  expect(await t.view.run(spark(t.view), (spell) => spell.cast('orc'))).toBe('frost at orc by 1');
  const third = sleepingWizard(wizard(), { id: 'other', level: 'user', stubs: {} });
  t.kernel.introduce([third.plugin]);
  await t.put(wizard('put', 'other', 'flash'), { level: 'user', source: 'built-in' });
  await t.kernel.view().use(words).load();
  expect([t.kernel.sleeping, third.count.loads]).toEqual([[], 0]);
});

test('a manifest that becomes known in the middle of a change is not lost, nor are its tokens', async () => {
  const birds = defineCapability<string>({ id: 'bird', schema: z.string(), key: (name) => name });
  const aviary = asleep(plugin('aviary', undefined, { declares: [birds] }), {
    declares: [birds],
    contributes: { word: ['hello'] },
  });
  await using t = await bootKernel([owner, plugin('owls', (ctx) => ctx.contribute(birds, 'owl'))]);
  const { promise, resolve } = Promise.withResolvers<void>();
  let setups = 0;
  const change = t.put(
    plugin('slow', async () => {
      setups += 1;
      await promise;
    }),
  );
  while (setups === 0) await new Promise((next) => setImmediate(next));
  t.kernel.introduce([aviary.plugin]);
  resolve();
  expect(await change).toMatchObject({ ok: true });
  expect(t.view.use(birds).items()).toEqual(['owl']);
  expect([t.kernel.sleeping.map(({ id }) => id), aviary.count.loads]).toEqual([['aviary'], 0]);
  expect(isBalanced(t.kernel)).toBe(true);
});
