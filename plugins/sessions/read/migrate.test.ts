import { expect, test } from 'vitest';
import { answered, entry, header, lines, openBytes, said } from './test/bytes.ts';

const { version: _, ...first } = header;
const plain = (type: string, rest: object): object => ({ type, timestamp: '2025-11-30T14:09:43.000Z', ...rest });

test('a session of the first version has ids and a line of parents, the same each time', async () => {
  const text = lines(
    { ...first, provider: 'old', modelId: 'model', thinkingLevel: 'low' },
    plain('message', said('one')),
    plain('message', answered('two', [], { provider: '', model: '' })),
    plain('message', said('three')),
    plain('compaction', { summary: 'so far', firstKeptEntryIndex: 3, tokensBefore: 9 }),
    plain('message', said('four')),
  );
  const tree = await openBytes(text);
  expect(tree).toMatchObject({ version: 1, needsMigration: true, readonlyReason: undefined, repairs: [] });
  const ids = tree.nodes().map(({ id }) => id);
  expect(new Set(ids).size).toBe(5);
  expect(tree.nodes().map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)]);
  expect((await openBytes(text)).nodes()).toEqual(tree.nodes());
  expect(tree.entry(ids[3] ?? '')).toMatchObject({ firstKeptEntryId: ids[2] });
  const { messages, models, thinking } = tree.context();
  expect(messages.map(({ entryId }) => entryId)).toEqual([ids[3], ids[2], ids[4]]);
  expect(models).toEqual({ default: 'old/model' });
  expect(thinking).toBe('low');
});

test('what hooks said in the second version is a custom message', async () => {
  const hooked = { message: { role: 'hookMessage', customType: 'h', content: 'x', display: true, timestamp: 1 } };
  const tree = await openBytes(lines({ ...header, version: 2 }, entry('a', null, 'message', hooked)));
  expect(tree).toMatchObject({ version: 2, needsMigration: true });
  expect(tree.entry('a')).toMatchObject({ message: { role: 'custom', customType: 'h', content: [{ text: 'x' }] } });
});

test('a session that is written anew is of this version, with the same entries, and read from its new place', async () => {
  const text = lines(
    { ...first, future: 1 },
    plain('message', said('one größer')),
    'broken',
    plain('message', { message: { role: 'hookMessage', customType: 'h', content: 'x', timestamp: 1 } }),
    plain('compaction', { summary: 'so far', firstKeptEntryIndex: 1, tokensBefore: 9 }),
    plain('message', said('two')),
  );
  let file = text;
  const bytes = (): Buffer => Buffer.from(file);
  const storage = {
    async *read() {
      yield bytes();
    },
    readSync: (_: string, at: number, length: number) => bytes().subarray(at, at + length),
  };
  const { SessionTree } = await import('./session-tree.ts');
  const tree = await SessionTree.open(storage, 'x.jsonl');
  const before = [tree.nodes(), tree.context()];
  const { lines: rewritten, done } = tree.rewrite();
  file = [...rewritten].join('');
  done();
  expect(tree.needsMigration).toBe(false);
  expect([tree.nodes(), tree.context()]).toEqual(before);
  const again = await SessionTree.open(storage, 'x.jsonl');
  expect(again).toMatchObject({ version: 3, needsMigration: false, repairs: [], leaf: tree.leaf });
  expect(again.context()).toEqual(tree.context());
  expect(again.header).toEqual({ ...header, future: 1 });
  const kept = again.nodes().find(({ customType }) => customType === 'kern.damaged');
  expect(again.entry(kept?.id ?? '')).toMatchObject({ data: { line: 3, text: 'broken' } });
});
