import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../plugins/cli/test/soak.ts';
import type { PluginUnit } from './activation.ts';
import type { Level } from './capability.ts';
import { Kernel, unitKey } from './kernel.ts';
import type { PluginDefinition } from './plugin.ts';
import { owner, pick, plugin, said, speaker, words } from './test/words.ts';
import { bootKernel } from './testing.ts';

const where = { cwd: '/work', root: '/work', home: '/home' };
const levels: readonly Level[] = ['builtin', 'user', 'project', 'session'];

const unit = (definition: PluginDefinition, level: Level): PluginUnit => ({
  key: unitKey(level, level === 'project' ? where.root : undefined, definition.id),
  level,
  source: definition.id,
  definition,
  revision: 1,
  ...(level === 'project' ? { root: where.root } : {}),
});

/** Thirty plugins of all levels that fight for twelve words, some before others. */
const thirty = Array.from({ length: 30 }, (_, at): PluginUnit => {
  const definition = plugin(
    `p${(at * 7) % 30}`,
    (ctx) => {
      ctx.contribute(words, { word: `w${at % 12}`, by: ctx.id });
      ctx.contribute(words, { word: `w${(at * 5) % 12}`, by: `${ctx.id}, second` });
      const group = ctx.offer(words, 'more');
      group.replace([{ word: `w${(at + 1) % 12}`, by: `${ctx.id}, grouped` }]);
      ctx.tap(said, ({ text }) => void (text satisfies string));
    },
    at % 4 === 0 ? { after: [`p${(at * 7 + 7) % 30}`] } : {},
  );
  return unit(definition, levels[at % 4] ?? 'user');
});

async function tableOf(changes: readonly (readonly PluginUnit[])[]): Promise<string> {
  const kernel = new Kernel({ where });
  await kernel.change({ put: [unit(owner, 'builtin')] });
  for (const put of changes) await kernel.change({ put });
  const entries = kernel.outlook.use(words).entries();
  const table = entries.map(({ item, origin, verdict }) => [item, origin, verdict]);
  const order = kernel.snapshot().activations.map(({ unit: { key } }) => key);
  await kernel.shutdown();
  return JSON.stringify({ table, order });
}

test('thirty plugins in any order, at once or one after the other, give one table', { timeout: 120_000 }, async () => {
  const expected = await tableOf([thirty]);
  expect(expected).toContain('shadowed');
  const order = fc.shuffledSubarray(thirty, { minLength: thirty.length });
  expect(await tableOf(thirty.map((one) => [one]))).toBe(expected);
  expect(await tableOf(thirty.toReversed().map((one) => [one]))).toBe(expected);
  await fc.assert(
    fc.asyncProperty(order, fc.constantFrom(30, 30, 30, 15, 7), async (shuffled, size) => {
      const changes = Array.from({ length: Math.ceil(shuffled.length / size) }, (_, at) =>
        shuffled.slice(at * size, (at + 1) * size),
      );
      expect(await tableOf(changes)).toBe(expected);
    }),
    { numRuns: 200, seed: seed(), endOnFailure: true },
  );
});

test('the level decides who wins, and the alphabet never does', async () => {
  const put = levels.map((level, at) => unit(speaker(['a', 'b', 'c', 'd'][at] ?? 'e', 'one'), level));
  const backwards = levels.map((level, at) => unit(speaker(['d', 'c', 'b', 'a'][at] ?? 'e', 'one'), level));
  for (const units of [put, backwards]) {
    const kernel = new Kernel({ where });
    await kernel.change({ put: [unit(owner, 'builtin'), ...units] });
    const entries = kernel.outlook.use(words).entries();
    expect(entries.map(({ origin: { level, priority } }) => [level, priority])).toEqual([
      ['session', 400],
      ['project', 300],
      ['user', 200],
      ['builtin', 100],
    ]);
    await kernel.shutdown();
  }
});

test('two plugins that contribute one name both load; the winner is named to the loser, whoever came first', async () => {
  for (const [first, second] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    await using t = await bootKernel([owner]);
    await t.put(speaker(first, 'hello'), { level: 'user' });
    expect(await t.put(speaker(second, 'hello'), { level: 'user' })).toMatchObject({ ok: true });
    const [winner, loser] = t.view.use(words).entries();
    expect(winner).toMatchObject({ origin: { plugin: 'one' }, verdict: { state: 'won' } });
    expect(loser).toMatchObject({
      origin: { plugin: 'two' },
      verdict: { state: 'shadowed', by: { plugin: 'one', level: 'user' } },
    });
    expect(t.view.use(words).items()).toEqual([{ word: 'hello', by: 'one' }]);
  }
});

test('an offer may ask for another priority than that of its level', async () => {
  await using t = await bootKernel([
    owner,
    speaker('a', 'hi'),
    plugin('b', (ctx) => ctx.contribute(words, { word: 'hi', by: 'b' }, { priority: 150 })),
  ]);
  expect(t.view.use(words).get('hi')?.origin).toMatchObject({ plugin: 'b', priority: 150 });
});

test('required plugins and those named in after come first, whatever their names', async () => {
  await using t = await bootKernel([
    owner,
    plugin('a', undefined, { requires: ['z'] }),
    plugin('b', undefined, { after: ['y', 'nobody'] }),
    plugin('y'),
    plugin('z'),
  ]);
  const order = t.kernel.snapshot().activations.map(({ id }) => id);
  expect(order.indexOf('z')).toBeLessThan(order.indexOf('a'));
  expect(order.indexOf('y')).toBeLessThan(order.indexOf('b'));
});

test('a group that is replaced keeps its place among the groups of its plugin', async () => {
  let replace = (): void => {};
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => {
      const first = ctx.offer(words, 'first');
      const second = ctx.offer(words, 'second');
      first.replace([{ word: 'hi', by: 'first' }]);
      second.replace([{ word: 'hi', by: 'second' }]);
      replace = () => first.replace([{ word: 'hi', by: 'first, again' }]);
    }),
  ]);
  replace();
  expect(t.view.use(words).items()).toEqual([{ word: 'hi', by: 'first, again' }]);
});

test('where the first answer counts the nearest level is asked first', async () => {
  const answering = (id: string): PluginDefinition => plugin(id, (ctx) => ctx.tap(pick, () => id));
  await using t = await bootKernel([owner, answering('a')]);
  await t.put(answering('z'), { level: 'user' });
  expect(t.call(pick, { text: 'who?' })).toBe('z');
});

test('random plugins with random requirements are ordered with what each needs before it', async () => {
  const graph = fc.array(fc.array(fc.nat({ max: 11 }), { maxLength: 3 }), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(graph, async (needs) => {
      const put = needs.map((list, at) =>
        unit(
          plugin(`p${at}`, undefined, { requires: list.filter((other) => other < at).map((other) => `p${other}`) }),
          'user',
        ),
      );
      const kernel = new Kernel({ where });
      expect(await kernel.change({ put: put.toReversed() })).toMatchObject({ ok: true });
      const order = kernel.snapshot().activations;
      for (const [
        at,
        {
          unit: { definition },
        },
      ] of order.entries()) {
        for (const id of definition.requires ?? []) expect(order.findIndex((one) => one.id === id)).toBeLessThan(at);
      }
      await kernel.shutdown();
    }),
    { numRuns: counts({ test: 30, soak: 300 }), seed: seed() },
  );
});
