import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Capability, defineCapability } from './capability.ts';
import { codeOf } from './error.ts';
import { type CapabilityChange, capabilityChanged } from './events.ts';
import { decide, event } from './hook.ts';
import type { Context, Group, Offered } from './plugin.ts';
import { owner, plugin, said, speaker, type Word, words, wordsOf } from './test/words.ts';
import { bootKernel, type TestKernel } from './testing.ts';

/** A plugin whose ctx the test keeps. */
function held(id: string, setup: (ctx: Context) => unknown = () => undefined) {
  const box: { ctx?: Context } = {};
  const definition = plugin(id, (ctx) => {
    box.ctx = ctx;
    return setup(ctx);
  });
  const ctx = (): Context => {
    if (box.ctx === undefined) throw new Error(`${id} has not been set up`);
    return box.ctx;
  };
  return { definition, ctx };
}

const word = (text: string, by = 'a'): Word => ({ word: text, by });
const entryOf = (t: TestKernel, key: string) => {
  const entry = t.view.use(words).get(key);
  if (entry === undefined) throw new Error(`no ${key}`);
  return entry;
};

test('an offer withdrawn at run time is gone, and who holds it gets an error', async () => {
  let offered: Offered | undefined;
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      offered = ctx.contribute(words, word('hello'));
    }),
    speaker('b', 'hello'),
  ]);
  const entry = entryOf(t, 'hello');
  expect(await t.view.run(entry, ({ by }) => by)).toBe('a');
  offered?.withdraw();
  offered?.withdraw();
  expect(wordsOf(t.kernel)).toEqual(['hello of b']);
  await expect(t.view.run(entry, ({ by }) => by)).rejects.toMatchObject({ code: 'item_withdrawn' });
});

test('a group is replaced in one step', async () => {
  const changes: CapabilityChange[] = [];
  const { definition, ctx } = held('a');
  await using t = await bootKernel([
    owner,
    definition,
    plugin('ear', (its) => its.tap(capabilityChanged, (change) => void changes.push(change))),
  ]);
  changes.length = 0;
  const group = ctx().offer(words, 'server');
  group.replace([word('one'), word('two')]);
  group.replace([word('two', 'again'), word('three')]);
  expect(wordsOf(t.kernel)).toEqual(['two of again', 'three of a']);
  expect(changes).toEqual([
    { capability: 'word', added: ['one', 'two'], changed: [], removed: [] },
    { capability: 'word', added: ['three'], changed: ['two'], removed: ['one'] },
  ]);
  expect(t.view.use(words).entries()[0]?.origin.provider).toBe('server');
  group.withdraw();
  expect(wordsOf(t.kernel)).toEqual([]);
  expect(() => group.replace([])).toThrow(expect.objectContaining({ code: 'group_withdrawn' }));
});

test('in a pinned turn an item that was replaced still runs, and one that was taken out does not', async () => {
  const { definition, ctx } = held('a');
  await using t = await bootKernel([owner, definition]);
  const group = ctx().offer(words, 'server');
  const same = word('same');
  group.replace([word('one'), word('two'), same]);
  using turn = t.view.pin();
  const [one, two, three] = turn.use(words).entries();
  group.replace([word('one', 'again'), same]);
  if (one === undefined || two === undefined || three === undefined) throw new Error('three were offered');
  expect(await turn.run(one, ({ by }) => by)).toBe('a');
  expect(await turn.run(three, ({ by }) => by)).toBe('a');
  expect(await turn.run(two, ({ by }) => by).catch(codeOf)).toBe('item_withdrawn');
});

test('an item that stays in its group stays what it is, also without a key', async () => {
  const notes = defineCapability<{ readonly note: string }>({
    id: 'x/note',
    schema: z.object({ note: z.string() }),
    key: () => undefined,
  });
  const { definition, ctx } = held('x');
  await using t = await bootKernel([{ ...definition, declares: [notes] }]);
  const [stays, goes] = [{ note: 'stays' }, { note: 'goes' }];
  const group = ctx().offer(notes, 'server');
  group.replace([stays, goes]);
  const [first, second] = t.view.use(notes).entries();
  group.replace([stays]);
  if (first === undefined || second === undefined) throw new Error('two were offered');
  expect(await t.view.run(first, ({ note }) => note)).toBe('stays');
  expect(await t.view.run(second, ({ note }) => note).catch(codeOf)).toBe('item_withdrawn');
});

test('an invalid item fails the setup; later it is an entry of its own, shadows nothing, and is reported', async () => {
  const { definition, ctx } = held('z');
  await using t = await bootKernel([owner, speaker('a', 'hello')]);
  const bad = plugin('z', (its) => its.contribute(words, { word: '', by: 'z' }));
  expect(await t.put(bad)).toMatchObject({ ok: false, plugin: 'z', code: 'invalid_item' });
  await t.put(definition, { level: 'user' });
  ctx().contribute(words, { word: 'hello', by: 7 } as never);
  const entries = t.view.use(words).entries();
  expect(entries.map(({ origin, verdict }) => [origin.plugin, verdict.state])).toEqual([
    ['z', 'invalid'],
    ['a', 'won'],
  ]);
  expect(t.complaints().at(-1)).toContain('plugin z offers an invalid word: by');
});

test('the item handed out is the one that was offered, unless its kind has a normal form', async () => {
  class Special {
    readonly word = 'special';
    readonly by = 'a';
  }
  const loud = defineCapability<Word>({
    id: 'x/loud',
    schema: z.object({ word: z.string(), by: z.string() }),
    key: (item) => item.word,
    normalize: (item) => ({ ...item, word: item.word.toUpperCase() }),
  });
  const special = new Special();
  await using t = await bootKernel([
    owner,
    plugin(
      'x',
      (ctx) => {
        ctx.contribute(words, special);
        ctx.contribute(loud, special);
      },
      { declares: [loud] },
    ),
  ]);
  expect(t.view.use(words).get('special')?.item).toBe(special);
  expect(t.view.use(loud).entries()).toMatchObject([{ key: 'SPECIAL', item: { word: 'SPECIAL' } }]);
});

test('items without a key are never deduped', async () => {
  const notes = defineCapability<string>({ id: 'x/note', schema: z.string(), key: () => undefined });
  await using t = await bootKernel([
    plugin(
      'x',
      (ctx) => {
        ctx.contribute(notes, 'same');
        ctx.contribute(notes, 'same');
      },
      { declares: [notes] },
    ),
  ]);
  expect(t.view.use(notes).items()).toEqual(['same', 'same']);
});

/** The token as another copy of its module has it: same id, another object, and here another rule. */
const copyOf = (schema: z.ZodType<Word>): Capability<Word> => ({ ...words, schema, key: () => 'one key for all' });

test('of a token with two copies the declared one is in force, for offers, readers and taps', async () => {
  const lax = copyOf(z.any() as unknown as z.ZodType<Word>);
  const heard: string[] = [];
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      ctx.contribute(lax, word('one'));
      ctx.contribute(lax, word('two'));
      ctx.tap({ ...said }, ({ text }) => void heard.push(text));
    }),
  ]);
  expect(t.view.use(words).items()).toHaveLength(2);
  expect(
    t.view
      .use(lax)
      .entries()
      .map(({ key }) => key),
  ).toEqual(['one', 'two']);
  t.call(said, { text: 'hi' });
  t.call({ ...said }, { text: 'ho' });
  expect(heard).toEqual(['hi', 'ho']);
  expect(await t.put(plugin('b', (ctx) => ctx.contribute(lax, { word: '', by: 'b' })))).toMatchObject({
    ok: false,
    code: 'invalid_item',
  });
});

test("a third party's own capability and hook: one declares, another supplies and taps, a third reads and calls", async () => {
  const birds = defineCapability<{ name: string }>({
    id: 'aviary/bird',
    schema: z.object({ name: z.string() }),
    key: ({ name }) => name,
  });
  const sung = event<string>({ id: 'aviary/sung' });
  const heard: string[] = [];
  const aviary = held('aviary');
  await using t = await bootKernel([{ ...aviary.definition, declares: [birds, sung] }], { level: 'user' });
  await t.put(
    plugin(
      'keeper-of-birds',
      (ctx) => {
        ctx.contribute(birds, { name: 'wren' });
        ctx.tap(sung, (song) => void heard.push(song));
      },
      { requires: ['aviary'] },
    ),
    { level: 'project' },
  );
  expect(aviary.ctx().use(birds).items()).toEqual([{ name: 'wren' }]);
  aviary.ctx().call(sung, 'tsip');
  expect(heard).toEqual(['tsip']);
});

test("ids of strangers start with the plugin's own, and built-ins are free", async () => {
  const foreign = defineCapability<string>({ id: 'bird', schema: z.string(), key: () => undefined });
  await using t = await bootKernel([]);
  expect(await t.put(plugin('aviary', undefined, { declares: [foreign] }), { level: 'user' })).toMatchObject({
    ok: false,
    plugin: 'aviary',
    code: 'token_id',
  });
  expect(
    await t.put(plugin('aviary', undefined, { declares: [event({ id: 'aviaries/x' })] }), { level: 'user' }),
  ).toMatchObject({ code: 'token_id' });
  expect(await t.put(plugin('aviary', undefined, { declares: [foreign] }))).toMatchObject({ ok: true });
});

test('a second declarer of an id does not load', async () => {
  const own = () => event<string>({ id: 'a/x' });
  await using t = await bootKernel([plugin('a', undefined, { declares: [own()] })], { level: 'user' });
  const second = await t.put(plugin('a', undefined, { declares: [own()] }), { level: 'session' });
  expect(second).toMatchObject({ ok: false, code: 'token_taken' });
  expect(await t.put(plugin('a', undefined, { declares: [own()] }), { level: 'user' })).toMatchObject({ ok: true });
  expect(await t.put(plugin('owner', undefined, { declares: [words] }), { level: 'builtin' })).toMatchObject({
    ok: true,
  });
  expect(await t.put(plugin('other', undefined, { declares: [words] }), { level: 'builtin' })).toMatchObject({
    ok: false,
    plugin: 'other',
    code: 'token_taken',
    message: 'plugin other declares word, which owner declares already',
  });
});

test('an offer and a tap on what nobody declares are kept, unused and reported, and come in with a declaration', async () => {
  await using t = await bootKernel([]);
  expect(
    await t.put(
      plugin('a', (ctx) => {
        ctx.contribute(words, word('hello'));
        ctx.tap(said, () => undefined);
      }),
      { level: 'user' },
    ),
  ).toMatchObject({ ok: true });
  expect(t.view.use(words).entries()).toMatchObject([
    { verdict: { state: 'disabled', by: 'nobody declares this capability' } },
  ]);
  expect(t.view.use(words).items()).toEqual([]);
  const reports = t.kernel.journal.of('a').filter(({ code }) => code === 'undeclared');
  expect(reports.map(({ message }) => message)).toEqual([
    expect.stringContaining('the hook said, which no plugin declares'),
    expect.stringContaining('the capability word, which no plugin declares'),
  ]);
  await t.put(owner);
  expect(wordsOf(t.kernel)).toEqual(['hello of a']);
  await t.drop('owner');
  expect(wordsOf(t.kernel)).toEqual([]);
});

test('a new declaration parses the offers of others anew', async () => {
  const strict = { ...words, schema: z.object({ word: z.string().max(3), by: z.string() }) };
  const { definition, ctx } = held('late');
  await using t = await bootKernel([owner, speaker('a', 'hello', 'hi'), definition]);
  using turn = t.view.pin();
  await t.put({ ...owner, declares: [strict] });
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ item, verdict }) => [item.word, verdict.state]),
  ).toEqual([
    ['hello', 'invalid'],
    ['hi', 'won'],
  ]);
  expect(t.complaints().join()).toContain('an item of plugin a is no word as it is declared now');
  expect(turn.use(words).items()).toHaveLength(2);
  // Withdrawn is withdrawn, also when the table shows the item under another declaration.
  const offered = ctx().contribute({ ...words }, word('bye', 'late'));
  const bye = entryOf(t, 'bye');
  offered.withdraw();
  expect(await t.view.run(bye, ({ by }) => by).catch(codeOf)).toBe('item_withdrawn');
  await t.put(owner);
  expect(t.view.use(words).items()).toHaveLength(2);
});

test("a changed contract reloads its owner only, and the new row's rules are in force at once", async () => {
  const row = (deny: string) =>
    decide<string, { block: string }>({
      id: 'x/may',
      answer: z.object({ block: z.string() }),
      guard: { deny: () => ({ block: deny }) },
    });
  let setups = 0;
  const first = row('first');
  await using t = await bootKernel([
    plugin('x', undefined, { declares: [first] }),
    plugin('a', (ctx) => {
      setups += 1;
      ctx.tap(first, () => Promise.reject(new Error('no')));
    }),
  ]);
  expect(await t.call(first, '')).toEqual({ block: 'first' });
  await t.put(plugin('x', undefined, { declares: [row('second')] }));
  expect(await t.call(first, '')).toEqual({ block: 'second' });
  expect(setups).toBe(1);
});

test('what a session offers is seen in its own view only, and comes before all else', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello')]);
  const session = t.kernel.view();
  const group: Group<Word> = session.offer(words, 'editor', [word('hello', 'editor')]);
  expect(
    session
      .use(words)
      .entries()
      .map(({ origin, verdict }) => [origin.plugin, origin.level, verdict.state]),
  ).toEqual([
    ['editor', 'session', 'won'],
    ['a', 'builtin', 'shadowed'],
  ]);
  expect(wordsOf(t.kernel)).toEqual(['hello of a']);
  using turn = session.pin();
  const entry = turn.use(words).get('hello');
  group.withdraw();
  expect(session.use(words).items()).toEqual([word('hello', 'a')]);
  expect(entry === undefined ? entry : await turn.run(entry, ({ by }) => by).catch(codeOf)).toBe('item_withdrawn');
});

test('a mask hides winners and lets no loser through', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello', 'bye'), speaker('b', 'hello')]);
  const session = t.kernel.view();
  const mask = session.mask(words, ({ item }) => (item.word === 'hello' ? 'plan mode' : undefined));
  expect(session.use(words).items()).toEqual([word('bye')]);
  expect(session.use(words).entries()[0]?.verdict).toEqual({ state: 'disabled', by: 'plan mode' });
  expect(wordsOf(t.kernel)).toHaveLength(2);
  mask.dispose();
  expect(session.use(words).items()).toHaveLength(2);
});

test('an item that is switched off claims no key', async () => {
  await using t = await bootKernel(
    [owner, plugin('a', (ctx) => ctx.offer(words, 'off').replace([word('hello')])), speaker('b', 'hello')],
    { settings: { disabledProviders: ['off'] } },
  );
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ origin, verdict }) => [origin.plugin, verdict.state]),
  ).toEqual([
    ['a', 'disabled'],
    ['b', 'won'],
  ]);
  await using u = await bootKernel([owner, speaker('a', 'hello')], { settings: { disabledItems: ['word:hello'] } });
  expect(u.view.use(words).entries()).toMatchObject([
    { verdict: { state: 'disabled', by: 'disabledItems: [word:hello]' } },
  ]);
});
