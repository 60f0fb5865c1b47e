import { expect, test } from 'vitest';
import { entry, header, lines, openBytes } from './test/bytes.ts';

const found = async (text: string | Uint8Array, isThorough = false) => {
  const tree = await openBytes(text, { isThorough });
  const nodes = tree.nodes().map(({ id, parentId, customType }) => `${parentId ?? '-'}>${customType ?? id}`);
  return { tree, nodes, repairs: tree.repairs.map(({ line, kind }) => `${line} ${kind}`) };
};

test('a last line that was cut off is passed over, and the file ends before it', async () => {
  const whole = lines(header, entry('a', null));
  const next = JSON.stringify(entry('b', 'a'));
  for (const cut of [1, 20, next.length - 1]) {
    const { tree, nodes, repairs } = await found(whole + next.slice(0, cut));
    expect(nodes).toEqual(['->a']);
    expect(repairs).toEqual(['3 torn-line']);
    expect(tree.end).toEqual({ size: Buffer.byteLength(whole), needsNewline: false, isTorn: true });
    expect(tree.leaf).toBe('a');
  }
});

test('a last line without its newline is whole', async () => {
  const text = lines(header, entry('a', null)).trimEnd();
  const { tree, nodes, repairs } = await found(text);
  expect([nodes, repairs]).toEqual([['->a'], ['2 no-final-newline']]);
  expect(tree.end).toEqual({ size: Buffer.byteLength(text), needsNewline: true, isTorn: false });
});

test('a bad line is passed over, and what follows it is read', async () => {
  for (const bad of ['nonsense', '[1,2]', '{"a":1}', '{"type":"message","id":"x",', '7'])
    expect(await found(lines(header, entry('a', null), bad, entry('b', 'a')))).toMatchObject({
      nodes: ['->a', 'a>b'],
      repairs: ['3 bad-line'],
    });
});

test('an entry whose line is broken stays in the way to those that follow it', async () => {
  const torn = JSON.stringify(entry('b', 'a')).slice(0, -20);
  const { tree, nodes } = await found(lines(header, entry('a', null), torn, entry('c', 'b'), entry('d', 'b')));
  expect(nodes).toEqual(['->a', 'a>kern.damaged', 'b>c', 'b>d']);
  expect(tree.entries().map(({ id }) => id)).toEqual(['a', 'b', 'd']);
  expect(tree.entry('b')).toMatchObject({ type: 'custom', customType: 'kern.damaged', data: { line: 3, text: torn } });
  expect(tree.context().messages.map(({ entryId }) => entryId)).toEqual(['a', 'd']);
});

test('a line that looks right and is not is found when it is read, told once, and ends nothing', async () => {
  const broken = JSON.stringify(entry('b', 'a')).replace('said', 'sa"id');
  const { tree, nodes, repairs } = await found(lines(header, entry('a', null), broken, entry('c', 'b')));
  expect([nodes, repairs]).toEqual([['->a', 'a>b', 'b>c'], []]);
  for (let time = 0; time < 3; time += 1)
    expect(tree.context().messages.map(({ entryId }) => entryId)).toEqual(['a', 'c']);
  expect(tree.repairs).toMatchObject([{ line: 3, kind: 'bad-line' }]);
  expect(tree.node('b')).toMatchObject({ type: 'custom', customType: 'kern.damaged' });
  expect((await found(lines(header, entry('a', null), broken, entry('c', 'b')), true)).repairs).toEqual(['3 bad-line']);
});

test('a broken last line is found at once, though it ends like a whole one', async () => {
  const broken = JSON.stringify(entry('b', 'a')).replace('said', 'sa"id');
  const { tree, repairs } = await found(lines(header, entry('a', null), broken));
  expect(repairs).toEqual(['3 bad-line']);
  expect(tree.leaf).toBe('a');
});

test('an entry that another program wrote behind a torn one is read', async () => {
  const torn = JSON.stringify(entry('b', 'a')).slice(0, -12);
  const merged = `${torn}${JSON.stringify(entry('c', 'a'))}`;
  for (const after of [[], [entry('d', 'c')]]) {
    for (const isThorough of [false, true]) {
      const { tree, nodes, repairs } = await found(lines(header, entry('a', null), merged, ...after), isThorough);
      expect(repairs).toEqual(['3 bad-line']);
      expect(nodes.filter((node) => !node.endsWith('damaged'))).toEqual(['->a', 'a>c', ...after.map(() => 'c>d')]);
      expect(tree.entry('c')).toMatchObject({ message: { content: [{ text: 'said in c' }] } });
      expect(tree.leaf).toBe(after.length === 0 ? 'c' : 'd');
    }
  }
});

test('entries that stand on one line are all read, though none follows them', async () => {
  const two = `${JSON.stringify(entry('b', 'a'))}${JSON.stringify(entry('c', 'b'))}${JSON.stringify(entry('d', 'a'))}`;
  for (const isThorough of [false, true]) {
    const { tree, nodes, repairs } = await found(lines(header, entry('a', null), two, entry('e', 'a')), isThorough);
    expect([nodes, repairs]).toEqual([['->a', 'a>b', 'b>c', 'a>d', 'a>e'], ['3 bad-line']]);
    expect(tree.entry('c')).toMatchObject({ message: { content: [{ text: 'said in c' }] } });
  }
  const within = entry('b', 'a', 'custom', { customType: 'x', data: [entry('no', 'a'), entry('no', 'b')] });
  expect(await found(lines(header, entry('a', null), within))).toMatchObject({ nodes: ['->a', 'a>x'], repairs: [] });
});

test('of two entries with one id the second gets another, the same one each time, and keeps what follows it', async () => {
  const text = lines(header, entry('a', null), entry('b', 'a'), entry('b', 'a'), entry('c', 'b'), entry('d', 'c'));
  const { tree, nodes, repairs } = await found(text);
  const second = tree.nodes()[2]?.id ?? '';
  expect(second).toMatch(/^[0-9a-f]{8}$/);
  expect(nodes).toEqual(['->a', 'a>b', `a>${second}`, `${second}>c`, 'c>d']);
  expect(repairs).toEqual(['4 duplicate-id']);
  expect((await found(text)).nodes).toEqual(nodes);
});

test('an entry without an id gets one, the same one each time', async () => {
  const { id: _, ...rest } = entry('x', 'a') as { id: string };
  const text = lines(header, entry('a', null), rest, entry('c', 'a'));
  const { tree, repairs } = await found(text);
  expect(repairs).toEqual(['3 missing-id']);
  expect(tree.nodes()[1]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{8}$/), parentId: 'a' });
  expect((await found(text)).tree.nodes()).toEqual(tree.nodes());
});

test('an entry whose parent is lost follows the one before it, and so do its siblings', async () => {
  const { parentId: _, ...orphan } = entry('d', null) as { parentId: null };
  const { nodes, repairs } = await found(
    lines(header, entry('a', null), entry('b', 'lost'), entry('c', 'b'), entry('e', 'lost'), orphan),
  );
  expect(nodes).toEqual(['->a', 'a>b', 'b>c', 'a>e', 'e>d']);
  expect(repairs.toSorted()).toEqual(['3 lost-parent', '5 lost-parent', '6 lost-parent']);
});

test('an entry may come before its parent', async () => {
  const { nodes, repairs } = await found(lines(header, entry('b', 'a'), entry('c', 'b'), entry('a', null)));
  expect([nodes, repairs]).toEqual([['a>b', 'b>c', '->a'], []]);
});

test('an entry that is its own parent, and a circle of entries, are opened', async () => {
  expect(await found(lines(header, entry('a', null), entry('b', 'b'), entry('c', 'b')))).toMatchObject({
    nodes: ['->a', 'a>b', 'b>c'],
    repairs: ['3 parent-cycle'],
  });
  const { tree, nodes, repairs } = await found(
    lines(header, entry('a', null), entry('b', 'd'), entry('c', 'b'), entry('d', 'c'), entry('e', 'd')),
  );
  expect([nodes, repairs]).toEqual([['->a', 'a>b', 'b>c', 'c>d', 'd>e'], ['3 parent-cycle']]);
  expect(tree.entries()).toHaveLength(5);
  expect((await found(lines(header, entry('a', 'b'), entry('b', 'a')))).nodes).toEqual(['->a', 'a>b']);
});

test('a file without a header is read when its lines are entries, and written with one before anything is added', async () => {
  const { tree, nodes, repairs } = await found(lines(entry('a', null), entry('b', 'a')));
  expect(nodes).toEqual(['->a', 'a>b']);
  expect(repairs).toEqual(['1 no-header']);
  expect(tree.header).toEqual({ ...header, cwd: '' });
  expect(tree.needsMigration).toBe(true);
});

test('lines before the header are tolerated: a title silently, entries with a word', async () => {
  expect((await found(lines({ type: 'title', v: 1, title: 'T' }, header, entry('a', null)))).repairs).toEqual([]);
  const { tree, nodes, repairs } = await found(lines(entry('a', null), header, entry('b', 'a')));
  expect([nodes, repairs]).toEqual([['->a', 'a>b'], ['2 line-before-header']]);
  expect(tree.header).toEqual(header);
  expect((await found(lines('junk', header, entry('a', null)))).repairs).toEqual(['1 bad-line']);
  expect((await found(lines(header, entry('a', null), header))).repairs).toEqual(['3 bad-line']);
});

test('what is no session is refused with a word of what to do', async () => {
  for (const text of [
    'hello\n',
    lines({ hello: 1 }),
    '\u0089PNG\r\n\u001a\nxxxx',
    lines({ type: 'user', uuid: 'a', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'claude' } }),
    lines({ timestamp: 't', type: 'session_meta', payload: { id: 'codex' } }),
  ])
    await expect(openBytes(text), text).rejects.toMatchObject({ code: 'session_unreadable' });
});

test('an empty file, or one of blanks or zeros, is a session in which nothing was said', async () => {
  for (const text of ['', '\n', ' \r\n \n', '\0'.repeat(5_000), '{"type":"ses', '{"type": "session","version":3,"id']) {
    const { tree, nodes, repairs } = await found(text);
    expect(nodes).toEqual([]);
    expect(repairs.at(-1)).toBe('1 no-header');
    expect([tree.leaf, tree.needsMigration]).toEqual([null, true]);
  }
});

test('zeros that a power loss has left are passed over, and what follows them is read', async () => {
  const before = lines(header, entry('a', null));
  const zeros = '\0'.repeat(10_000);
  const torn = await found(before + zeros);
  expect(torn.repairs).toEqual(['3 torn-line']);
  expect(torn.tree.end).toEqual({ size: Buffer.byteLength(before), needsNewline: false, isTorn: true });
  const behind = await found(`${before}${zeros}${lines(entry('b', 'a'), entry('c', 'b'))}`);
  expect(behind.nodes).toEqual(['->a', 'a>b', 'b>c']);
  expect(behind.repairs).toEqual(['3 bad-line']);
  expect(behind.tree.entry('b')).toMatchObject({ message: { content: [{ text: 'said in b' }] } });
  const within = `${JSON.stringify(entry('b', 'a')).slice(0, -9)}${zeros}`;
  const merged = await found(`${before}${within}${lines(entry('c', 'a'))}`);
  expect(merged.nodes.at(-1)).toBe('a>c');
  expect(merged.repairs).toEqual(['3 bad-line']);
});

test('half a character stays in the file, is told by a thorough look, and reaches no model', async () => {
  const text = lines(header, JSON.stringify(entry('a', null)).replace('said', 'sa\\ud83did'), entry('b', 'a'));
  const { tree, repairs } = await found(text, true);
  expect(repairs).toEqual(['2 lone-surrogate']);
  expect(JSON.stringify(tree.entry('a'))).toContain('sa\\ud83did');
  expect(JSON.stringify(tree.context().messages[0])).toContain('sa�id');
  const bytes = Buffer.from(lines(header, entry('a', null)));
  bytes[bytes.indexOf('said')] = 0xff;
  expect((await found(bytes, true)).repairs).toEqual(['2 lone-surrogate']);
});

test('brackets within brackets end nothing', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const line = JSON.stringify(entry('b', 'a', 'custom_message', { customType: 'x', details: 0, content: 'x' })).replace(
    '"details":0',
    `"details":${deep}`,
  );
  const { tree } = await found(lines(header, entry('a', null), line, entry('c', 'b')));
  expect(tree.context().messages.map(({ entryId }) => entryId)).toContain('c');
});
