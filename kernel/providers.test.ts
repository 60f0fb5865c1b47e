import { expect, test } from 'vitest';
import type { Provider, ProviderAnswer } from './capability.ts';
import { type CapabilityChange, capabilityChanged } from './events.ts';
import { Kernel, unitKey } from './kernel.ts';
import type { WatchPort } from './options.ts';
import type { Context, PluginDefinition } from './plugin.ts';
import type { SettingsPort } from './settings.ts';
import { owner, plugin, speaker, type Word, words } from './test/words.ts';
import { bootKernel, fakeClock, fixedSettings, type TestKernel } from './testing.ts';

type Load = Provider<Word>['load'];

const word = (text: string, by = 'p'): Word => ({ word: text, by });
const items = (...list: readonly Word[]): ProviderAnswer<Word> => ({ items: list.map((item) => ({ item })) });

/** A plugin with one provider. */
const provider = (id: string, load: Load, rest: Partial<Provider<Word>> = {}) =>
  plugin(id, (ctx) => ctx.provide(words, { id, displayName: id.toUpperCase(), priority: 0, load, ...rest }));

const seen = (t: TestKernel): readonly string[] =>
  t.view
    .use(words)
    .items()
    .map(({ word, by }) => `${word} of ${by}`);

/** Files that change when the test says so. */
function fakeFiles() {
  const watches = new Map<string, { paths: readonly string[]; fn: (changed: readonly string[]) => void }>();
  const history: { readonly open: number; readonly since: number | undefined }[] = [];
  const note = (since?: number): void => void history.push({ open: watches.size, since });
  const port: WatchPort = {
    watch: (name, paths, fn, since) => {
      const watch = { paths, fn };
      watches.set(name, watch);
      note(since);
      const dispose = (): void => {
        if (watches.get(name) === watch) watches.delete(name);
        note();
      };
      return { dispose, [Symbol.dispose]: dispose };
    },
    touched: () => {},
    pending: async () => {},
  };
  const change = (path: string): void => {
    for (const { paths, fn } of [...watches.values()]) if (paths.includes(path)) fn([path]);
  };
  return { port, change, watches, history };
}

test('all providers load at once', async () => {
  const order: string[] = [];
  const both = Promise.withResolvers<void>();
  const waiting =
    (id: string): Load =>
    async () => {
      order.push(id);
      if (order.length === 2) both.resolve();
      await both.promise;
      return items(word(id, id));
    };
  await using t = await bootKernel([owner, provider('a', waiting('a')), provider('b', waiting('b'))]);
  expect(seen(t)).toEqual([]);
  await t.view.use(words).load();
  expect(seen(t)).toEqual(['a of a', 'b of b']);
});

test('a provider is asked once a place, however many read at the same time', async () => {
  const places: string[] = [];
  await using t = await bootKernel([
    owner,
    provider('a', async ({ cwd }) => {
      places.push(cwd);
      return items(word(cwd));
    }),
  ]);
  const elsewhere = t.kernel.view({ cwd: '/elsewhere' });
  await Promise.all([t.view.use(words).load(), t.view.use(words).load(), elsewhere.use(words).load()]);
  await t.view.use(words).load();
  expect(places.sort()).toEqual(['/elsewhere', t.view.where.cwd].sort());
  expect(elsewhere.use(words).items()).toEqual([word('/elsewhere')]);
});

test('one that throws becomes a warning with its display name, and takes nothing from the others', async () => {
  const bad: readonly [string, Load][] = [
    ['throws', () => Promise.reject(new Error('no network'))],
    ['nonsense', () => ({ nothing: true }) as never],
  ];
  await using t = await bootKernel([
    owner,
    ...bad.map(([id, load]) => provider(id, load)),
    provider('good', () => ({ ...items(word('fine')), warnings: ['one file is odd'] })),
  ]);
  await t.view.use(words).load();
  expect(seen(t)).toEqual(['fine of p']);
  expect(t.complaints().toSorted()).toEqual([
    'good: [GOOD] one file is odd',
    'nonsense: [NONSENSE] load() answered without a list of items',
    'throws: [THROWS] no network',
  ]);
  expect(t.kernel.warnings('throws')).toEqual(['[THROWS] no network']);
});

test('one that is late becomes a warning; its items join when they come, and nobody waits for it again', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<ProviderAnswer<Word>>();
  const changes: CapabilityChange[] = [];
  const ear = plugin('ear', (ctx) => ctx.tap(capabilityChanged, (change) => void changes.push(change)));
  await using t = await bootKernel(
    [
      owner,
      ear,
      provider('slow', () => answer.promise, { limitMs: 700 }),
      provider('quick', () => items(word('here'))),
    ],
    { clock },
  );
  const load = t.view.use(words).load();
  await clock.advance(700);
  await load;
  expect(seen(t)).toEqual(['here of p']);
  expect(t.kernel.warnings('slow')).toEqual(['[SLOW] no answer within 700 ms; its items join when they come']);
  await t.view.use(words).load();
  using turn = t.view.pin();
  answer.resolve(items(word('there')));
  await clock.advance(0);
  expect(seen(t)).toEqual(['here of p', 'there of p']);
  expect(turn.use(words).items()).toHaveLength(1);
  expect(changes.at(-1)).toEqual({ capability: 'word', added: ['there'], changed: [], removed: [] });
  expect(t.kernel.warnings('slow')).toEqual([]);
});

test('a signal ends the waiting, not the question', async () => {
  const answer = Promise.withResolvers<ProviderAnswer<Word>>();
  await using t = await bootKernel([owner, provider('slow', () => answer.promise)]);
  const stop = new AbortController();
  const load = t.view.use(words).load(stop.signal);
  stop.abort(new Error('enough'));
  await expect(load).rejects.toThrow('enough');
  answer.resolve(items(word('there')));
  await t.view.use(words).load();
  expect(seen(t)).toEqual(['there of p']);
});

test('an invalid item shadows nothing: validation comes before dedupe', async () => {
  const odd = { word: 'hello', by: 7 } as unknown as Word;
  await using t = await bootKernel([
    owner,
    provider('first', () => items(odd, word('fine')), { priority: 9 }),
    provider('second', () => items(word('hello', 'second'))),
  ]);
  await t.view.use(words).load();
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ item, origin, verdict }) => [item.word, origin.provider, verdict.state]),
  ).toEqual([
    ['hello', 'first', 'invalid'],
    ['fine', 'first', 'won'],
    ['hello', 'second', 'won'],
  ]);
});

test('what a provider leaves out in favour of another file is listed as shadowed by that, and takes no place', async () => {
  const load = (): ProviderAnswer<Word> => ({
    items: [
      { item: word('hi', 'second'), path: '/b', givesWayTo: '/a' },
      { item: word('hi', 'third'), path: '/c' },
    ],
  });
  await using t = await bootKernel([owner, provider('p', load)]);
  await t.view.use(words).load();
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ origin, verdict }) => [origin.path, verdict]),
  ).toEqual([
    ['/b', { state: 'shadowed', by: expect.objectContaining({ provider: 'p', path: '/a' }) }],
    ['/c', { state: 'won' }],
  ]);
});

test('readers know who has not answered yet', async () => {
  const late = Promise.withResolvers<ProviderAnswer<Word>>();
  await using t = await bootKernel([
    owner,
    provider('slow', () => late.promise, { limitMs: 10 }),
    provider('broken', () => Promise.reject(new Error('no'))),
    provider('quick', () => items(word('a'))),
  ]);
  const reader = t.view.use(words);
  await reader.load();
  expect(reader.missing().toSorted()).toEqual(['broken', 'slow']);
  late.resolve(items());
  await expect.poll(() => reader.missing()).toEqual(['broken']);
});

test("a provider's priority orders within its level only, and project comes before user", async () => {
  const leveled =
    (level: 'user' | 'project', by: string): Load =>
    () => ({ items: [{ item: word('hello', by), level, path: `/${by}` }] });
  await using t = await bootKernel([
    owner,
    provider('a', leveled('user', 'user high'), { priority: 1_000 }),
    provider('b', leveled('user', 'user low'), { priority: 1 }),
    provider('c', leveled('project', 'project low'), { priority: 1 }),
    provider('d', leveled('project', 'project high'), { priority: 2 }),
    provider('e', () => items(word('hello', 'built in')), { priority: 5_000 }),
  ]);
  await t.view.use(words).load();
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ item }) => item.by),
  ).toEqual(['project high', 'project low', 'user high', 'user low', 'built in']);
  expect(t.view.use(words).entries()[0]?.origin).toEqual({
    plugin: 'd',
    provider: 'd',
    level: 'project',
    priority: 300,
    path: '/project high',
  });
});

test('a direct offer comes before what a provider of its level found, and two providers of a plugin keep their order', async () => {
  const two = plugin('two', (ctx) => {
    for (const id of ['z', 'a'])
      ctx.provide(words, { id, displayName: id, priority: 0, load: async () => items(word('found', id)) });
    ctx.contribute(words, word('hello', 'direct'));
  });
  await using t = await bootKernel([owner, two, provider('p', () => items(word('hello', 'found')), { priority: 99 })]);
  await t.view.use(words).load();
  expect(seen(t)).toEqual(['hello of direct', 'found of z']);
});

test("a project's plugin speaks for its own level only", async () => {
  await using t = await bootKernel([owner]);
  await t.put(
    provider('p', () => ({ items: [{ item: word('hello'), level: 'user' }] })),
    { level: 'project' },
  );
  await t.view.use(words).load();
  expect(t.view.use(words).entries()[0]?.origin.level).toBe('project');
});

test('settings switch a provider off at one level or reorder it, live', async () => {
  const load: Load = () => ({
    items: [
      { item: word('u', 'x'), level: 'user' },
      { item: word('p', 'x'), level: 'project' },
    ],
  });
  const settings = (version: number, off: readonly string[], priority?: number): SettingsPort => ({
    ...fixedSettings({}, {}, version),
    provider: (id, level) => ({ off: off.includes(level) ? `providers.${id}.${level}: false` : undefined, priority }),
  });
  await using t = await bootKernel([
    owner,
    provider('x', load),
    provider('y', () => ({ items: [{ item: word('u', 'y'), level: 'user' }] }), { priority: 1 }),
  ]);
  await t.view.use(words).load();
  expect(seen(t)).toEqual(['p of x', 'u of y']);
  await t.kernel.configure(settings(1, ['project']), ['providers.x']);
  expect(
    t.view
      .use(words)
      .entries()
      .map(({ verdict }) => verdict.state),
  ).toEqual(['disabled', 'won', 'shadowed']);
  await t.kernel.configure(settings(2, [], 5), ['providers.x']);
  expect(seen(t)).toEqual(['p of x', 'u of x']);
});

test('what steps in where a provider is switched off is told as a change, as if a file had', async () => {
  const load =
    (by: string): Load =>
    () => ({ items: [{ item: word('u', by), level: 'user' }] });
  const settings = (version: number, off: readonly string[]): SettingsPort => ({
    ...fixedSettings({}, {}, version),
    provider: (id) => ({ off: off.includes(id) ? `providers.${id}: false` : undefined, priority: undefined }),
  });
  const told: CapabilityChange[] = [];
  await using t = await bootKernel([
    owner,
    provider('x', load('x'), { priority: 1 }),
    provider('y', load('y')),
    plugin('ear', (ctx) => ctx.tap(capabilityChanged, (change) => void told.push(change))),
  ]);
  await t.view.use(words).load();
  told.length = 0;
  await t.kernel.configure(settings(1, ['x']), ['providers.x']);
  await t.kernel.configure(settings(2, ['x', 'y']), ['providers.y']);
  await t.kernel.configure(settings(3, ['x', 'y']), ['model']);
  const change = { capability: words.id, added: [], changed: [], removed: [] };
  expect(told).toEqual([
    { ...change, changed: ['u'] },
    { ...change, removed: ['u'] },
  ]);
});

test('a provider that is switched off is not asked', async () => {
  let asked = 0;
  const load: Load = () => {
    asked += 1;
    return items(word('hello'));
  };
  await using t = await bootKernel([owner, provider('off', load)], { settings: { disabledProviders: ['off'] } });
  await t.view.use(words).load();
  expect(asked).toBe(0);
});

test('a change of a watched file asks again, and a provider that fails then takes nothing away', async () => {
  const files = fakeFiles();
  let say = 'one';
  const load: Load = () => {
    if (say === 'fail') throw new Error('half-written');
    return { ...items(word(say)), watch: ['/skills'] };
  };
  await using t = await bootKernel([owner, provider('a', load)], { watch: files.port });
  await t.view.use(words).load();
  say = 'two';
  files.change('/skills');
  await t.kernel.settled(1_000);
  expect(seen(t)).toEqual(['two of p']);
  say = 'fail';
  files.change('/skills');
  await t.kernel.settled(1_000);
  expect([seen(t), t.kernel.warnings('a')]).toEqual([['two of p'], ['[A] half-written']]);
  say = 'three';
  files.change('/skills');
  await t.kernel.settled(1_000);
  expect([seen(t), t.kernel.warnings('a')]).toEqual([['three of p'], []]);
});

test('settled waits for a provider that a file woke, without holding up the event loop', async () => {
  const files = fakeFiles();
  let say = 'one';
  const load: Load = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { ...items(word(say)), watch: ['/skills'] };
  };
  await using t = await bootKernel([owner, provider('a', load)], { watch: files.port });
  await t.view.use(words).load();
  say = 'two';
  files.change('/skills');
  await t.kernel.settled(10_000);
  expect(seen(t)).toEqual(['two of p']);
});

test('of two questions the later one counts, whichever answer comes first', async () => {
  const files = fakeFiles();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = -1;
  const load: Load = async () => {
    asked += 1;
    const text = asked === 0 ? 'start' : await answers[asked - 1]?.promise;
    return { ...items(word(text ?? 'none')), watch: ['/skills'] };
  };
  await using t = await bootKernel([owner, provider('a', load)], { watch: files.port });
  await t.view.use(words).load();
  files.change('/skills');
  files.change('/skills');
  answers[1]?.resolve('new');
  await new Promise((resolve) => setImmediate(resolve));
  answers[0]?.resolve('old');
  await t.kernel.settled(1_000);
  expect(seen(t)).toEqual(['new of p']);
});

test('a provider whose plugin reloads answers anew before the swap, and is watched on', async () => {
  const files = fakeFiles();
  const read =
    (say: () => string): Load =>
    async () => ({ ...items(word(say())), watch: ['/skills'] });
  let say = 'two';
  await using t = await bootKernel(
    [
      owner,
      provider(
        'a',
        read(() => 'one'),
      ),
    ],
    { watch: files.port },
  );
  await t.view.use(words).load();
  const states: string[] = [];
  const reload = t.put(
    provider(
      'a',
      read(() => say),
    ),
  );
  const look = setInterval(() => states.push(seen(t).join()), 0);
  await reload;
  clearInterval(look);
  expect(seen(t)).toEqual(['two of p']);
  expect(states).not.toContain('');
  say = 'three';
  files.change('/skills');
  await t.kernel.settled(1_000);
  expect(seen(t)).toEqual(['three of p']);
});

test('a reloaded provider that is late joins when it comes', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<ProviderAnswer<Word>>();
  await using t = await bootKernel([owner, provider('a', () => items(word('one')))], { clock });
  await t.view.use(words).load();
  const reload = t.put(provider('a', () => answer.promise));
  await clock.advance(2_000);
  expect(await reload).toMatchObject({ ok: true });
  expect(seen(t)).toEqual([]);
  answer.resolve(items(word('two')));
  await clock.advance(0);
  expect(seen(t)).toEqual(['two of p']);
});

test('what a provider answered goes with it, and so does what it watched', async () => {
  const files = fakeFiles();
  let ctx: Context | undefined;
  const holder = plugin('holder', (its) => {
    ctx = its;
  });
  const load: Load = () => ({ ...items(word('hello')), watch: ['/skills'] });
  await using t = await bootKernel([owner, holder, provider('a', load)], { watch: files.port });
  const provided = ctx?.provide(words, {
    id: 'b',
    displayName: 'B',
    priority: 0,
    load: () => ({ ...items(word('bye')), watch: ['/more'] }),
  });
  await t.view.use(words).load();
  expect([seen(t), files.watches.size]).toEqual([['hello of p', 'bye of p'], 2]);
  provided?.dispose();
  expect([seen(t), files.watches.size]).toEqual([['hello of p'], 1]);
  await t.drop('a');
  expect([seen(t), files.watches.size]).toEqual([[], 0]);
});

test('what a pinned view loads for the first time it sees, and then always the same', async () => {
  const files = fakeFiles();
  let say = 'one';
  await using t = await bootKernel([owner, provider('a', () => ({ ...items(word(say)), watch: ['/skills'] }))], {
    watch: files.port,
  });
  using turn = t.view.pin();
  expect(turn.use(words).items()).toEqual([]);
  await turn.use(words).load();
  expect(turn.use(words).items()).toEqual([word('one')]);
  say = 'two';
  files.change('/skills');
  await t.kernel.settled(1_000);
  await turn.use(words).load();
  expect([turn.use(words).items(), t.view.use(words).items()]).toEqual([[word('one')], [word('two')]]);
});

test('a pinned view asks the revision it was pinned with', async () => {
  await using t = await bootKernel([owner, provider('a', () => items(word('old')))]);
  using turn = t.view.pin();
  await t.put(provider('a', () => items(word('new'))));
  await turn.use(words).load();
  await t.view.use(words).load();
  expect([turn.use(words).items(), t.view.use(words).items()]).toEqual([[word('old')], [word('new')]]);
});

test('readers may choose the providers whose entries they see', async () => {
  await using t = await bootKernel([
    owner,
    speaker('s', 'direct'),
    provider('a', () => items(word('a'))),
    provider('b', () => items(word('b'))),
  ]);
  await t.view.use(words).load();
  const of = (options: { providers?: string[]; exclude?: string[] }) =>
    t.view
      .use(words)
      .entries(options)
      .map(({ item }) => item.word);
  expect([of({ providers: ['a'] }), of({ exclude: ['a'] })]).toEqual([['a'], ['direct', 'b']]);
});

test('a provider that is none, or one id twice, fails the setup', async () => {
  await using t = await bootKernel([owner]);
  expect(await t.put(plugin('a', (ctx) => ctx.provide(words, { id: 'a' } as never)))).toMatchObject({
    ok: false,
    code: 'bad_provider',
  });
  const twice = plugin('a', (ctx) => {
    for (const displayName of ['One', 'Two'])
      ctx.provide(words, { id: 'same', displayName, priority: 0, load: () => items() });
  });
  expect(await t.put(twice)).toMatchObject({ ok: false, code: 'provider_twice' });
});

test('a provider is asked for the levels that are on, and again when one more is wanted', async () => {
  const asked: string[] = [];
  const load: Load = (_where, _signal, levels) => {
    asked.push(levels.join('+'));
    return { items: levels.map((level) => ({ item: word(level), level })) };
  };
  let off: string | undefined = 'user';
  let version = 0;
  const settings: SettingsPort = {
    ...fixedSettings({}, {}),
    get version() {
      return version;
    },
    provider: (_id, level) => ({ off: level === off ? `${level}: false` : undefined, priority: undefined }),
  };
  const where = { cwd: '/p', root: '/p', home: '/h' };
  const kernel = new Kernel({ where, settings });
  const unit = (definition: PluginDefinition) => ({
    key: unitKey('builtin', undefined, definition.id),
    level: 'builtin' as const,
    source: 'test',
    definition,
    revision: 1,
  });
  await kernel.change({ put: [unit(owner), unit(provider('a', load))] });
  const view = kernel.view();
  const found = async (): Promise<readonly string[]> => {
    await view.use(words).load();
    return view
      .use(words)
      .entries()
      .map((entry) => `${entry.item.word} ${entry.verdict.state}`);
  };
  expect(await found()).toEqual(['project won']);
  expect(await found()).toEqual(['project won']);
  expect(asked).toEqual(['project']);
  off = undefined;
  version += 1;
  expect(await found()).toEqual(['project won', 'user won']);
  expect(asked).toEqual(['project', 'project+user']);
  off = 'project';
  version += 1;
  // What is known already is hidden without asking anyone.
  expect(await found()).toEqual(['project disabled', 'user won']);
  expect(asked).toHaveLength(2);
  await kernel.shutdown();
});

test('what an answer depends on is watched without a break, from the moment on at which it was asked for', async () => {
  const files = fakeFiles();
  const asked: number[] = [];
  const load: Load = () => {
    asked.push(Date.now());
    return { ...items(word('hello')), watch: ['/skills'] };
  };
  await using t = await bootKernel([owner, provider('a', load)], { watch: files.port });
  const before = Date.now();
  await t.view.use(words).load();
  const [{ since } = { since: undefined }] = files.history;
  expect([before, since, asked[0]]).toEqual([before, since, asked[0]].sort());
  files.change('/skills');
  await t.kernel.settled(1_000);
  await t.put(provider('a', load));
  // One, the next beside it, the first gone, and so on.
  expect(files.history.map(({ open }) => open)).toEqual([1, 2, 1, 2, 1]);
  expect(files.history.filter((one) => one.open === 2).every((one) => one.since !== undefined)).toBe(true);
});

test('places that nobody has asked for in a long time are forgotten, in silence; what is in use stays', async () => {
  const clock = fakeClock();
  const files = fakeFiles();
  const told: string[] = [];
  let asked = 0;
  const load: Load = ({ cwd }) => {
    asked += 1;
    return { ...items(word(cwd)), watch: [cwd] };
  };
  const listener = plugin('listener', (ctx) =>
    ctx.tap(capabilityChanged, ({ removed, changed }) => void told.push(...removed, ...changed)),
  );
  await using t = await bootKernel([owner, listener, provider('a', load)], { clock, watch: files.port });
  await t.view.use(words).load();
  const look = async (nth: number): Promise<readonly string[]> => {
    const reader = t.kernel.view({ cwd: `/place-${nth}`, root: `/place-${nth}` }).use(words);
    await reader.load();
    return reader.items().map((item) => item.word);
  };
  // Many at once are all there.
  const all = Array.from({ length: 50 }, (_, nth) => nth);
  expect(await Promise.all(all.map((nth) => look(nth)))).toEqual(all.map((nth) => [`/place-${nth}`]));
  expect(t.kernel.snapshot().answers.size).toBe(51);
  await clock.advance(10 * 60_000);
  expect(await look(49)).toEqual(['/place-49']);
  expect([t.kernel.snapshot().answers.size, files.watches.size, asked]).toEqual([33, 33, 51]);
  expect(seen(t)).toHaveLength(1);
  expect(await look(0)).toEqual(['/place-0']);
  expect(asked).toBe(52);
  expect(told).toEqual([]);
});
