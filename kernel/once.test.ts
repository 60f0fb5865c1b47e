import { expect, test } from 'vitest';
import { defineCapability } from './capability.ts';
import type { Context } from './plugin.ts';
import type { Schema } from './schema.ts';
import { owner, plugin, said, speaker, type Word, words } from './test/words.ts';
import { bootKernel } from './testing.ts';

/** A kind that counts how often its items are parsed and asked for their key. */
function counting() {
  const count = { parsed: 0, keyed: 0 };
  const schema: Schema<Word> = {
    '~standard': {
      validate: (value) => {
        count.parsed += 1;
        return { value: value as Word };
      },
    },
  };
  const key = ({ word }: Word): string => {
    count.keyed += 1;
    return word;
  };
  return { count, token: defineCapability<Word>({ id: 'counted', schema, key }) };
}

test('an offer is parsed once, when it is made, however many snapshots and tables follow', async () => {
  const { count, token } = counting();
  let ctx: Context | undefined;
  const a = plugin(
    'a',
    (its) => {
      ctx = its;
      for (const word of ['one', 'two', 'three']) its.contribute(token, { word, by: 'a' });
    },
    { declares: [token] },
  );
  await using t = await bootKernel([owner, a]);
  for (let round = 0; round < 5; round += 1) {
    ctx?.contribute(words, { word: `word ${round}`, by: 'a' });
    await t.put(speaker(`b${round}`, 'hello'));
    for (const view of [t.view, t.kernel.view(), t.view.pin()]) expect(view.use(token).items()).toHaveLength(3);
  }
  expect(count).toEqual({ parsed: 3, keyed: 3 });
});

test('an offer made with a copy of the token is parsed once for the declaration that is in force', async () => {
  const { count, token } = counting();
  await using t = await bootKernel([
    owner,
    plugin('a', (ctx) => ctx.contribute({ ...token }, { word: 'one', by: 'a' })),
  ]);
  await t.put(plugin('x', undefined, { declares: [token] }));
  const { parsed } = count;
  for (let round = 0; round < 5; round += 1) {
    await t.put(speaker(`b${round}`, 'hello'));
    expect(t.view.use(token).items()).toHaveLength(1);
  }
  expect([parsed, count.parsed]).toEqual([2, 2]);
});

test('a table is made once, until something it is made of changes', async () => {
  await using t = await bootKernel([owner, speaker('a', 'hello')]);
  const reader = t.view.use(words);
  const items = reader.items();
  expect(reader.items()).toBe(items);
  expect(t.view.use(words).get('hello')).toBe(t.view.use({ ...words }).get('hello'));
  await t.put(speaker('b', 'bye'));
  expect(reader.items()).not.toBe(items);
});

test('a snapshot shares what did not change with the one before', async () => {
  let ctx: Context | undefined;
  const a = plugin('a', (its) => {
    ctx = its;
    its.tap(said, () => undefined);
  });
  await using t = await bootKernel([owner, a]);
  const before = t.kernel.snapshot();
  ctx?.contribute(words, { word: 'hello', by: 'a' });
  const after = t.kernel.snapshot();
  expect(after.number).toBe(before.number + 1);
  expect([after.hooks === before.hooks, after.declarations === before.declarations]).toEqual([true, true]);
  expect(Object.isFrozen(after) && Object.isFrozen(after.offers) && Object.isFrozen(after.activations)).toBe(true);
});
