import { expect, test } from 'vitest';
import { SessionTree } from './session-tree.ts';
import { answered, bytesStorage, entry, fixture, header, lines, name, openBytes, result, said } from './test/bytes.ts';

const ids = (tree: SessionTree): string[] => tree.nodes().map(({ id }) => id);

test('a session of pi opens as it is, and every entry is in the shape of the contract', async () => {
  const text = fixture('pi-1.6.0.jsonl');
  const tree = await openBytes(text);
  const written = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(tree.header).toEqual(written[0]);
  expect(tree.repairs).toEqual([]);
  expect(tree).toMatchObject({ version: 3, readonlyReason: undefined, needsMigration: false, leaf: '002cc071' });
  expect(tree.end).toEqual({ size: Buffer.byteLength(text), needsNewline: false, isTorn: false });
  expect(tree.entries()).toEqual(written.slice(1));
  expect(tree.nodes().map(({ role }) => role ?? '')).toEqual(
    written.slice(1).map(({ message }) => message?.role ?? ''),
  );
});

test('a session of oh-my-pi opens, with its title slot and what it says in other words', async () => {
  const text = fixture('oh-my-pi-18.jsonl').replace('"title": ""', '"title": "Long text"');
  const tree = await openBytes(text);
  expect(tree.repairs).toEqual([]);
  expect(tree.name).toBe('Long text');
  expect(tree.header).toMatchObject({ id: '01a22cc6-9a88-7070-834b-f76ac8a048a2', cwd: '/home/user/repo' });
  const entries = tree.entries();
  expect(entries[0]).toMatchObject({ type: 'model_change', provider: 'kb', modelId: 'kb-model' });
  expect(entries[1]).toMatchObject({ type: 'thinking_level_change', thinkingLevel: 'off' });
  expect(entries.at(-1)).toMatchObject({ type: 'custom', customType: 'session_exit', id: 'c658ef78' });
  const { messages, models, thinking } = tree.context();
  expect(messages.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
  expect(models).toEqual({ default: 'kb/kb-model' });
  expect(thinking).toBe('off');
});

test('a tree has the same entries in whatever pieces its file comes', async () => {
  const whole = await openBytes(fixture('pi-1.6.0.jsonl'));
  for (const chunk of [1, 7, 1000, 1_000_000]) {
    const tree = await openBytes(fixture('pi-1.6.0.jsonl'), { chunk });
    expect(tree.nodes()).toEqual(whole.nodes());
    expect(tree.entries()).toEqual(whole.entries());
  }
});

test('carriage returns, empty lines and a byte order mark are no entries and no faults', async () => {
  const text = `\ufeff${lines(header, '', entry('a', null), '  ', entry('b', 'a'))}\n\n`.replaceAll('\n', '\r\n');
  const tree = await openBytes(text);
  expect(tree.repairs).toEqual([]);
  expect(ids(tree)).toEqual(['a', 'b']);
  expect(tree.entry('b')).toMatchObject({ message: { content: [{ type: 'text', text: 'said in b' }] } });
  expect(tree.end).toEqual({ size: Buffer.byteLength(text), needsNewline: false, isTorn: false });
});

test('the leaf is the last entry, or where the last entry says that it was moved to', async () => {
  const text = lines(header, entry('a', null), entry('b', 'a'), entry('c', 'b'));
  const moved = (parentId: string | null): object =>
    entry('d', parentId, 'custom', { customType: 'kern.leaf', data: { target: parentId } });
  expect((await openBytes(text)).leaf).toBe('c');
  expect((await openBytes(text + lines(moved('a')))).leaf).toBe('a');
  expect((await openBytes(text + lines(moved(null)))).leaf).toBeNull();
  expect((await openBytes(text + lines(moved('a'), entry('e', 'a')))).leaf).toBe('e');
});

test('a branch is what leads to its entry, and an unknown entry is an error that says so', async () => {
  const tree = await openBytes(lines(header, entry('a', null), entry('b', 'a'), entry('c', 'a'), entry('d', null)));
  expect(tree.entries('c').map(({ id }) => id)).toEqual(['a', 'c']);
  expect(tree.entries(null)).toEqual([]);
  expect(tree.entries().map(({ id }) => id)).toEqual(['d']);
  expect(tree.entry('x')).toBeUndefined();
  expect(tree.node('c')).toEqual({
    id: 'c',
    parentId: 'a',
    type: 'message',
    role: 'user',
    timestamp: '2026-11-30T14:09:43.000Z',
  });
  expect(() => tree.entries('x')).toThrow(expect.objectContaining({ code: 'session_entry_not_found' }));
  expect(() => tree.moveLeaf('x')).toThrow(expect.objectContaining({ code: 'session_entry_not_found' }));
});

test('the latest label of an entry counts, and the latest name of the session, wherever in the tree it was given', async () => {
  const tree = await openBytes(
    lines(
      header,
      entry('a', null),
      entry('l1', 'a', 'label', { targetId: 'a', label: 'one' }),
      entry('n1', 'a', 'session_info', { name: 'first' }),
      entry('l2', 'a', 'label', { targetId: 'a', label: 'two' }),
      entry('l3', 'a', 'label', { targetId: 'l1', label: 'gone' }),
      entry('l4', 'a', 'label', { targetId: 'l1' }),
      entry('n2', 'a', 'session_info', { name: 'second' }),
      entry('b', 'a'),
    ),
  );
  expect(tree.label('a')).toBe('two');
  expect(tree.label('l1')).toBeUndefined();
  expect(tree.name).toBe('second');
  expect(tree.context('a').name).toBe('second');
  tree.place({ type: 'session_info', name: '' });
  expect(tree.name).toBeUndefined();
  tree.place({ type: 'label', targetId: 'a' });
  expect(tree.label('a')).toBeUndefined();
});

test('an entry that is placed follows the leaf, and is itself until it is written', async () => {
  const tree = SessionTree.empty({ ...header, type: 'session', version: 3 });
  expect(tree.leaf).toBeNull();
  const data = { big: 'object' };
  const first = tree.place({ type: 'custom', customType: 'x', data });
  const second = tree.place({ type: 'mode_change', mode: 'plan' });
  expect(first).toMatchObject({ parentId: null, id: expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(Object.keys(first)).toEqual(['type', 'id', 'parentId', 'timestamp', 'customType', 'data']);
  expect(first.type === 'custom' && first.data).toBe(data);
  expect(second.parentId).toBe(first.id);
  expect(tree.entry(first.id)).toBe(first);
  expect(tree.nodes().map(({ type }) => type)).toEqual(['custom', 'mode_change']);
  tree.moveLeaf(first.id);
  const mark = tree.place({ type: 'custom', customType: 'kern.leaf', data: { target: first.id } });
  expect(mark.parentId).toBe(first.id);
  expect(tree.leaf).toBe(first.id);
  tree.moveLeaf(null);
  expect(tree.leaf).toBeNull();
});

test('what was written is read from the file when it is asked for', async () => {
  const begun = lines(header, entry('a', null));
  const more: Buffer[] = [Buffer.from(begun)];
  const storage = {
    ...bytesStorage(begun),
    readSync: (_: string, at: number, length: number) => Buffer.concat(more).subarray(at, at + length),
  };
  const tree = await SessionTree.open(storage, name);
  const placed = tree.place({ type: 'custom', customType: 'x', data: 'y'.repeat(9 * 1024 * 1024) });
  const at = Buffer.byteLength(begun);
  const line = Buffer.from(`${JSON.stringify(placed)}\n`);
  more.push(line);
  tree.wrote(placed.id, at, line.length);
  expect(tree.entry(placed.id)).not.toBe(placed);
  expect(tree.entry(placed.id)).toEqual(placed);
  expect(tree.entries().map(({ id }) => id)).toEqual(['a', placed.id]);
});

test('entries of types that nobody here knows are part of the tree, with all they hold', async () => {
  const text = lines(
    header,
    entry('a', null),
    entry('b', 'a', 'usage', { kind: 'x', usage: { input: 1 } }),
    entry('c', 'b'),
  );
  const tree = await openBytes(text);
  expect(tree.entries().map(({ type }) => type)).toEqual(['message', 'foreign', 'message']);
  expect(tree.entry('b')).toMatchObject({
    type: 'foreign',
    foreignType: 'usage',
    parentId: 'a',
    raw: { type: 'usage', kind: 'x', usage: { input: 1 } },
  });
  expect(tree.node('b')?.type).toBe('usage');
});

test('what kern says in custom entries since pi has no word for it is read as what it is', async () => {
  const custom = (id: string, customType: string, data: unknown): object =>
    entry(id, 'a', 'custom', { customType, data });
  const tree = await openBytes(
    lines(
      header,
      entry('a', null),
      custom('m', 'kern.mode_change', { mode: 'plan', data: { file: 'x' } }),
      custom('r', 'kern.ttsr_injection', { injectedRules: ['one', 7] }),
      custom('i', 'kern.session_init', { systemPrompt: 's', task: 't', tools: ['read'] }),
      custom('o', 'other', { mode: 'plan' }),
      entry('f', 'a', 'custom_message', {
        customType: 'kern.file-mention',
        content: [{ type: 'text', text: 'for pi' }],
        display: true,
        details: { files: [{ path: 'a.txt', content: 'A' }], timestamp: 5 },
      }),
    ),
  );
  expect(tree.entry('m')).toMatchObject({ type: 'mode_change', mode: 'plan', data: { file: 'x' } });
  expect(tree.entry('r')).toMatchObject({ type: 'ttsr_injection', injectedRules: ['one'] });
  expect(tree.entry('i')).toMatchObject({ type: 'session_init', tools: ['read'] });
  expect(tree.entry('o')).toMatchObject({ type: 'custom', customType: 'other' });
  expect(tree.entry('f')).toMatchObject({
    type: 'message',
    message: { role: 'fileMention', files: [{ path: 'a.txt', content: 'A' }], timestamp: 5 },
  });
  expect(tree.nodes().map(({ type, role, customType }) => role ?? customType ?? type)).toEqual([
    'user',
    'mode_change',
    'ttsr_injection',
    'session_init',
    'other',
    'fileMention',
  ]);
});

test('a newer version can be read, and says why nothing is added to it', async () => {
  const tree = await openBytes(lines({ ...header, version: 4 }, entry('a', null)));
  expect(tree.readonlyReason).toContain('version 4');
  expect(tree.repairs).toMatchObject([{ kind: 'unknown-version' }]);
  expect(ids(tree)).toEqual(['a']);
  const odd = await openBytes(lines({ ...header, version: 'next' }, entry('a', null)));
  expect(odd.readonlyReason).toContain('unknown');
});

test('references to blobs are what they stand for; a missing one stays, and is told', async () => {
  const [image, text, gone] = ['1', '2', '3'].map((digit) => digit.repeat(64));
  const content = [
    { type: 'image', data: `blob:sha256:${image}`, mimeType: 'image/png' },
    { type: 'text', text: `blob:sha256:${text}` },
    { type: 'image', data: `blob:sha256:${gone}`, mimeType: 'image/png' },
    { type: 'text', text: 'not blob:sha256:1 alone' },
  ];
  const file = lines(header, entry('a', null, 'message', { message: { role: 'user', content, timestamp: 1 } }));
  const blobs = new Map([
    [image, Buffer.from([0xff, 0])],
    [text, Buffer.from('größer')],
  ]);
  const tree = await openBytes(file, { resolveBlob: (hash) => blobs.get(hash) });
  expect(tree.entry('a')).toMatchObject({
    message: {
      content: [{ data: '/wA=' }, { text: 'größer' }, { data: `blob:sha256:${gone}` }, { text: content[3]?.text }],
    },
  });
  expect(tree.repairs).toMatchObject([{ line: 2, kind: 'missing-blob' }]);
  expect(tree.context().messages[0]?.message.content[2]).toEqual({
    type: 'text',
    text: '(an image that is no longer there)',
  });
  expect((await openBytes(file)).entry('a')).toMatchObject({
    message: { content: [{ data: `blob:sha256:${image}` }, {}, {}, {}] },
  });
});

test('messages with things missing are read as far as they go', async () => {
  const odd = (message: unknown): object => ({ message });
  const messages: unknown[] = [
    { role: 'user' },
    { role: 'user', content: [null, 7, 'text', { type: 'text' }, { type: 'new' }, { type: 'text', text: 'kept' }] },
    { role: 'assistant' },
    { role: 'assistant', content: 'text', stopReason: 'pending', usage: { input: 'x', cost: null } },
    {
      role: 'assistant',
      content: [
        { type: 'toolCall', name: 'read' },
        { type: 'toolCall', id: 'c', arguments: '{"a":' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'no' }], stopReason: 'stop', rawStopReason: 'refusal' },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }],
      usage: { input: 1, costUnknown: true, cost: { total: 0 } },
    },
    { role: 'toolResult' },
    { role: 'system', content: ['a', { type: 'text', text: 'b' }] },
    { role: 'developer', content: 'dev' },
    { role: 'hookMessage', customType: 'h', content: 'hooked' },
    { role: 'bashExecution' },
    { role: 'pythonExecution', code: '1+1', output: '2' },
    { role: 'branchSummary', summary: 'left' },
    { role: 'fileMention', files: [{ path: 'a' }, 7] },
    { role: 'stranger', content: 'x' },
    'no object',
  ];
  const tree = await openBytes(
    lines(
      header,
      ...messages.map((message, nth) => entry(`${nth}`, nth === 0 ? null : `${nth - 1}`, 'message', odd(message))),
    ),
  );
  const read = tree.entries().map((one) => (one.type === 'message' ? one.message : one));
  expect(read).toMatchObject([
    { content: [], timestamp: Date.parse('2026-11-30T14:09:43.000Z') },
    { content: [{ text: 'text' }, { text: 'kept' }] },
    { content: [], stopReason: 'stop', usage: { input: 0, totalTokens: 0, cost: null }, provider: '' },
    { content: [{ text: 'text' }], stopReason: 'aborted', usage: { input: 0 } },
    {
      content: [
        { id: 'call_0', arguments: {} },
        { id: 'c', arguments: {}, invalidArguments: '{"a":' },
      ],
      stopReason: 'toolUse',
    },
    { stopReason: 'refusal' },
    { usage: { input: 1, totalTokens: 1, cost: null } },
    { toolCallId: '', content: [], isError: false },
    { content: 'a\n\nb' },
    { role: 'custom', customType: 'developer', display: false },
    { role: 'custom', customType: 'h', content: [{ text: 'hooked' }] },
    { role: 'bashExecution', command: '', output: '' },
    { role: 'bashExecution', command: 'python: 1+1', output: '2' },
    { role: 'custom', customType: 'kern.branch-summary', content: [{ text: 'left' }] },
    { files: [{ path: 'a', content: '' }] },
    { type: 'foreign', foreignType: 'message', raw: { message: { role: 'stranger' } } },
    { type: 'foreign', foreignType: 'message' },
  ]);
  expect(tree.repairs).toEqual([]);
});

test('a message that kern wrote is read as it was, unknown price and refusal included', async () => {
  const kept = answered('no', [], { stopReason: 'refusal', responseId: 'r' }) as { message: Record<string, unknown> };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { ...(kept.message.usage as object), cost, costUnknown: true };
  const onDisk = { message: { ...kept.message, usage, stopReason: 'stop', rawStopReason: 'refusal' } };
  const tree = await openBytes(lines(header, entry('a', null, 'message', onDisk)));
  expect(tree.entry('a')).toMatchObject(kept);
  const { message } = tree.entry('a') as unknown as { message: object };
  expect(Object.keys(message).sort()).toEqual(Object.keys(kept.message).sort());
});

test('a list of nodes does not change under whoever holds it', async () => {
  const tree = await openBytes(
    lines(header, entry('a', null), entry('b', 'a', 'message', result('c')), entry('d', 'a', 'message', said('x'))),
  );
  const before = tree.nodes();
  tree.place({ type: 'session_info', name: 'n' });
  expect(before).toHaveLength(3);
  expect(tree.nodes()).toHaveLength(4);
});

test('an entry of a file that is gone is an error that says so, and nothing is forgotten', async () => {
  const text = lines(header, entry('a', null));
  let isThere = true;
  const there = bytesStorage(text);
  const storage = {
    ...there,
    readSync: (path: string, at: number, length: number) => {
      if (!isThere) throw new Error('ENOENT: no such file');
      return there.readSync(path, at, length);
    },
  };
  const tree = await SessionTree.open(storage, name);
  isThere = false;
  expect(() => tree.entry('a')).toThrow(expect.objectContaining({ code: 'session_unreadable' }));
  isThere = true;
  expect(tree.entry('a')).toMatchObject({ type: 'message' });
});
