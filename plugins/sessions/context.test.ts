import { expect, test } from 'vitest';
import { answered, entry, header, lines, openBytes, result, said } from './read/test/bytes.ts';

type Written = readonly [id: string, type: string, rest: object];

/** A branch of entries one after the other. */
async function branch(...entries: readonly Written[]) {
  const placed = entries.map(([id, type, rest], nth) => entry(id, entries[nth - 1]?.[0] ?? null, type, rest));
  return openBytes(lines(header, ...placed));
}

const message = (id: string, rest: object): Written => [id, 'message', rest];
const compaction = (id: string, firstKeptEntryId: string, rest: object = {}): Written => [
  id,
  'compaction',
  { summary: `summary in ${id}`, firstKeptEntryId, tokensBefore: 100, ...rest },
];
const ids = (tree: Awaited<ReturnType<typeof branch>>): (string | undefined)[] =>
  tree.context().messages.map(({ entryId }) => entryId);

test('an empty session comes to nothing', async () => {
  expect((await branch()).context()).toEqual({
    messages: [],
    models: {},
    thinking: undefined,
    mode: undefined,
    name: undefined,
    injectedRules: [],
    system: undefined,
  });
});

test('messages, custom messages and summaries of branches are read; custom entries and labels are not', async () => {
  const tree = await branch(
    message('s', { message: { role: 'system', content: 'you are', timestamp: 1 } }),
    message('a', said('one')),
    ['b', 'custom', { customType: 'x', data: 1 }],
    ['c', 'custom_message', { customType: 'note', content: 'text', display: false, details: 7 }],
    ['d', 'branch_summary', { fromId: 'root', summary: 'tried' }],
    ['e', 'label', { targetId: 'a', label: 'l' }],
    ['f', 'usage', { kind: 'new' }],
    message('g', { message: { role: 'bashExecution', command: 'ls', output: 'a.txt', exitCode: 1, timestamp: 1 } }),
    message('h', {
      message: { role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true, timestamp: 1 },
    }),
    message('i', { message: { role: 'fileMention', files: [{ path: 'a.txt', content: 'A' }], timestamp: 1 } }),
  );
  const { messages, system } = tree.context();
  expect(messages.map(({ entryId }) => entryId)).toEqual(['a', 'c', 'd', 'g', 'i']);
  expect(messages[1]?.message).toEqual({
    role: 'custom',
    customType: 'note',
    content: [{ type: 'text', text: 'text' }],
    display: false,
    details: 7,
    timestamp: Date.parse('2026-11-30T14:09:43.000Z'),
  });
  expect(messages[2]?.message).toMatchObject({ role: 'custom', customType: 'kern.branch-summary' });
  expect(JSON.stringify(messages[3]?.message.content)).toContain('exit code 1');
  expect(messages[4]?.message.content).toEqual([{ type: 'text', text: '<file path="a.txt">\nA\n</file>' }]);
  expect(system).toMatchObject({ content: 'you are' });
});

test('the summary comes first, then what the compaction keeps, then what was said since', async () => {
  const tree = await branch(
    message('a', said('one')),
    message('b', answered('two')),
    message('c', said('three')),
    compaction('k', 'b'),
    message('d', answered('four')),
  );
  expect(ids(tree)).toEqual(['k', 'b', 'c', 'd']);
  const first = tree.context().messages[0]?.message;
  expect(first).toMatchObject({ role: 'custom', customType: 'kern.compaction' });
  expect(JSON.stringify(first)).toContain('summary in k');
  expect(tree.context()).toEqual(tree.context());
});

test('of several compactions the latest counts, and only what is needed is read', async () => {
  const tree = await branch(
    message('a', said('one')),
    compaction('k', 'a'),
    message('b', said('two')),
    compaction('l', 'b'),
    message('c', said('three')),
  );
  expect(ids(tree)).toEqual(['l', 'b', 'c']);
  expect(tree.context('b').messages.map(({ entryId }) => entryId)).toEqual(['k', 'a', 'b']);
});

test('a compaction that keeps what is not before it leaves what follows it, and says so once', async () => {
  const tree = await branch(message('a', said('one')), compaction('k', 'nowhere'), message('b', said('two')));
  expect(ids(tree)).toEqual(['k', 'b']);
  expect(ids(tree)).toEqual(['k', 'b']);
  expect(tree.repairs).toMatchObject([{ line: 3, kind: 'lost-first-kept' }]);
});

test('a compaction that was taken back no longer counts, nor do the edits that belong to it', async () => {
  const tree = await branch(
    message('a', said('one')),
    compaction('k', 'a'),
    message('b', said('two')),
    ['x', 'context_edit', { targetId: 'a', replacement: null }],
    compaction('l', 'b'),
    message('c', said('three')),
    ['u', 'custom', { customType: 'kern.compaction-undone', data: { targetId: 'l', edits: ['x'] } }],
    message('d', said('four')),
  );
  expect(ids(tree)).toEqual(['k', 'a', 'b', 'c', 'd']);
  expect(tree.context('c').messages.map(({ entryId }) => entryId)).toEqual(['l', 'b', 'c']);
});

test('images of a request that is still at work follow the summary', async () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const tree = await branch(
    message('a', said('one')),
    compaction('k', 'a', { details: { kern: { requests: { texts: [], images: [image, 7] } } } }),
  );
  expect(tree.context().messages[0]?.message.content).toMatchObject([{ type: 'text' }, image]);
});

test('an edit of the context hides an entry or says something else in its place', async () => {
  const tree = await branch(
    message('a', said('one')),
    message('b', answered('failed')),
    ['x', 'context_edit', { targetId: 'b', replacement: null }],
    [
      'y',
      'context_edit',
      said('other') && { targetId: 'a', replacement: (said('other') as { message: object }).message },
    ],
    message('c', answered('two')),
  );
  expect(tree.context().messages).toMatchObject([
    { entryId: 'a', message: { content: [{ text: 'other' }] } },
    { entryId: 'c' },
  ]);
  expect(tree.context('b').messages.map(({ entryId }) => entryId)).toEqual(['a', 'b']);
});

test('every call has one result right behind it, and every result its call', async () => {
  const tree = await branch(
    message('r', result('none')),
    message('a', said('one')),
    message('b', answered('', ['c1', 'c2', 'c3'])),
    message('s', said('between')),
    message('r2', result('c2')),
    message('r1', result('c1')),
    message('r1b', result('c1', 'again')),
    message('d', answered('done')),
    message('r3', result('c3', 'too late')),
  );
  const { messages } = tree.context();
  expect(messages.map(({ entryId }) => entryId)).toEqual(['a', 'b', 'r1', 'r2', undefined, 's', 'd']);
  expect(messages[4]?.message).toMatchObject({ role: 'toolResult', toolCallId: 'c3', toolName: 'read', isError: true });
});

test('results whose calls lie before the cut of a compaction are not read', async () => {
  const tree = await branch(
    message('a', said('one')),
    message('b', answered('', ['c1'])),
    message('r', result('c1')),
    message('d', answered('two')),
    compaction('k', 'r'),
  );
  expect(ids(tree)).toEqual(['k', 'd']);
});

test('of a reply that was cut off thinking without a signature goes, and a reply that says nothing', async () => {
  const thinking = { type: 'thinking', thinking: 'hm' };
  const signed = { ...thinking, thinkingSignature: 'sig' };
  const tree = await branch(
    message('a', said('one')),
    message('b', answered('', [], { content: [thinking], stopReason: 'aborted' })),
    message('c', answered('', [], { content: [thinking, signed, { type: 'text', text: 'so' }], stopReason: 'error' })),
    message('d', answered('', [], { content: [thinking, { type: 'text', text: 'fine' }] })),
    message('e', answered('', [], { content: [] })),
  );
  expect(tree.context().messages.map(({ message: { content } }) => content.length)).toEqual([1, 2, 2]);
});

test('models, thinking, mode, rules and the head are those in force at the leaf, also before a compaction', async () => {
  const tree = await branch(
    message('s1', { message: { role: 'system', content: 'first', timestamp: 1 } }),
    ['m1', 'model_change', { provider: 'p', modelId: 'one' }],
    ['m2', 'model_change', { model: 'q/small/x', role: 'smol' }],
    ['t1', 'thinking_level_change', { thinkingLevel: 'high' }],
    ['d1', 'mode_change', { mode: 'plan', data: { a: 1 } }],
    ['r1', 'ttsr_injection', { injectedRules: ['one', 'two'] }],
    message('a', said('hi')),
    ['m3', 'model_change', { provider: 'p', modelId: 'two' }],
    ['r2', 'ttsr_injection', { injectedRules: ['two', 'three'] }],
    message('s2', { message: { role: 'system', content: 'second', timestamp: 1, toolsAdded: [] } }),
    message('s3', { message: { role: 'system', content: '', timestamp: 1, toolsRemoved: ['x'] } }),
    compaction('k', 's3'),
    ['t2', 'thinking_level_change', { thinkingLevel: 'strange' }],
  );
  expect(tree.context()).toMatchObject({
    models: { default: 'p/two', smol: 'q/small/x' },
    thinking: undefined,
    mode: { mode: 'plan', data: { a: 1 } },
    injectedRules: ['one', 'two', 'three'],
    system: { content: 'second' },
  });
  expect(tree.context('m2')).toMatchObject({
    models: { default: 'p/one' },
    mode: undefined,
    system: { content: 'first' },
  });
});

test('without a word about the model it is the one that answered last', async () => {
  const tree = await branch(message('a', said('hi')), message('b', answered('yes')));
  expect(tree.context().models).toEqual({ default: 'p/m' });
});
