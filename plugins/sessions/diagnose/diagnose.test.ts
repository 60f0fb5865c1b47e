import type { SessionStorage } from 'kern/contracts';
import { expect, test } from 'vitest';
import { answered, bytesStorage, entry, fixture, header, lines, openBytes, result, said } from '../read/test/bytes.ts';
import { diagnoseFile } from './diagnose.ts';
import { repairFile } from './repair.ts';

const diagnose = (text: string) => diagnoseFile(bytesStorage(text), 'x.jsonl');

/** Mends a text, and answers with the copy. */
async function mend(text: string | Uint8Array) {
  const files = new Map<string, Uint8Array>([['x.jsonl', Buffer.from(text as string)]]);
  const bytes = (path: string): Uint8Array => files.get(path) ?? new Uint8Array();
  const storage = {
    size: async (path: string) => files.get(path)?.length,
    read: (path: string) => bytesStorage(bytes(path)).read(path),
    readSync: (path: string, at: number, length: number) => bytes(path).subarray(at, at + length),
    replace: async (path: string, content: Iterable<string>) => {
      files.set(path, Buffer.from([...content].join('')));
    },
  } as unknown as SessionStorage;
  const diagnosis = await repairFile(storage, 'x.jsonl', 'y.jsonl');
  const copy = Buffer.from(bytes('y.jsonl')).toString();
  await expect(repairFile(storage, 'x.jsonl', 'y.jsonl')).rejects.toMatchObject({ code: 'session_exists' });
  return { diagnosis, copy, tree: await openBytes(copy) };
}

test('a sound session is called sound, with its dialect, its entries and its branches', async () => {
  expect(await diagnose(fixture('pi-1.6.0.jsonl'))).toEqual({
    file: 'x.jsonl',
    version: 3,
    dialect: 'pi',
    entries: 22,
    branches: 1,
    repairs: [],
    sound: true,
  });
  expect(await diagnose(fixture('oh-my-pi-18.jsonl'))).toMatchObject({ dialect: 'oh-my-pi', sound: true });
  const kern = lines(
    header,
    entry('a', null),
    entry('b', 'a'),
    entry('c', 'a'),
    entry('l', 'a', 'custom', { customType: 'kern.leaf', data: { target: 'a' } }),
  );
  expect(await diagnose(kern)).toMatchObject({ dialect: 'kern', branches: 2, sound: true });
  expect(await diagnose(lines(header))).toMatchObject({ dialect: 'unknown', entries: 0, branches: 0, sound: true });
});

test('what is wrong is told by line', async () => {
  const text = lines(
    header,
    entry('a', null),
    JSON.stringify(entry('b', 'a')).replace('said', 'sa"id'),
    entry('a', 'b'),
    entry('c', 'nowhere'),
    entry('k', 'c', 'compaction', { summary: 's', firstKeptEntryId: 'gone', tokensBefore: 1 }),
    entry('k2', 'k', 'compaction', { summary: 's', firstKeptEntryId: 'c', tokensBefore: 1 }),
  );
  const { repairs, sound } = await diagnose(`${text}{"type":"mess`);
  expect(sound).toBe(false);
  expect(repairs.map(({ line, kind }) => `${line} ${kind}`)).toEqual([
    '3 bad-line',
    '4 duplicate-id',
    '5 lost-parent',
    '6 lost-first-kept',
    '8 torn-line',
  ]);
});

test('a blob that is gone is told', async () => {
  const image = { type: 'image', data: `blob:sha256:${'1'.repeat(64)}`, mimeType: 'image/png' };
  const text = lines(
    header,
    entry('a', null, 'message', { message: { role: 'user', content: [image], timestamp: 1 } }),
  );
  expect((await diagnose(text)).sound).toBe(true);
  const { repairs } = await diagnoseFile(bytesStorage(text), 'x.jsonl', { resolveBlob: () => undefined });
  expect(repairs).toMatchObject([{ line: 2, kind: 'missing-blob' }]);
});

test('a copy of a sound session is the same to the byte', async () => {
  const text = fixture('pi-1.6.0.jsonl').split('\n').slice(1).join('\n');
  const { copy, diagnosis } = await mend(`${JSON.stringify(header)}\n${text}`);
  expect(copy.split('\n').slice(1).join('\n')).toBe(text);
  expect(diagnosis).toMatchObject({ sound: true, file: 'y.jsonl' });
});

test('a copy is sound, goes on at the same leaf with the same context, and holds what was broken', async () => {
  const torn = JSON.stringify(entry('b', 'a')).slice(0, -20);
  const merged =
    JSON.stringify(entry('x', 'c')).slice(0, -30) + JSON.stringify(entry('y', 'c', 'message', said('two')));
  const text = `${lines(
    'junk before',
    header,
    entry('a', null),
    torn,
    entry('c', 'b', 'message', said('one')),
    merged,
    entry('w', 'y', 'message', answered('', ['t'])),
    entry('z', 'w', 'message', result('t')),
    entry('k', 'z', 'compaction', { summary: 's', firstKeptEntryId: 'gone', tokensBefore: 1 }),
    JSON.stringify(entry('e', 'k', 'message', said('half'))).replace('half', 'half \\ud83d'),
    'junk behind',
  )}{"type":"message","id":"torn`;
  const before = await openBytes(text);
  const { diagnosis, copy, tree } = await mend(text);
  expect(diagnosis.repairs).toEqual([]);
  expect(diagnosis).toMatchObject({ sound: true, version: 3 });
  expect(tree.leaf).toBe(before.leaf);
  expect(tree.context()).toEqual(before.context());
  for (const { id, customType } of before.nodes())
    if (customType !== 'kern.damaged') expect(tree.node(id)).toBeDefined();
  const kept = tree.nodes().flatMap(({ id, customType }) => (customType === 'kern.damaged' ? [tree.entry(id)] : []));
  const texts = kept.map((one) => (one?.type === 'custom' ? (one.data as { text: string }).text : ''));
  expect(texts).toEqual([
    'junk before',
    torn,
    merged.slice(0, merged.indexOf('{"type"', 9)),
    'junk behind',
    '{"type":"message","id":"torn',
    expect.stringContaining('half \\ud83d'),
  ]);
  expect(copy.endsWith('\n')).toBe(true);
});

test('bytes that are no text are kept too', async () => {
  const bytes = Buffer.concat([Buffer.from(lines(header, entry('a', null))), Buffer.from([0xff, 0xfe, 0x01, 0x0a])]);
  const { diagnosis, tree } = await mend(bytes);
  expect(diagnosis.sound).toBe(true);
  const kept = tree.nodes().find(({ customType }) => customType === 'kern.damaged');
  expect(tree.entry(kept?.id ?? '')).toMatchObject({ data: { line: 3, base64: '//4B' } });
  expect(tree.leaf).toBe('a');
});

test('a copy of a session without a header has one, and of a newer version stays of that version', async () => {
  const { diagnosis, copy } = await mend(lines(entry('a', null)));
  expect(diagnosis).toMatchObject({ sound: true, entries: 1, version: 3 });
  expect(JSON.parse(copy.split('\n')[0] ?? '')).toMatchObject({ type: 'session', version: 3 });
  const newer = await mend(lines({ ...header, version: 9 }, entry('a', null), 'junk'));
  expect(newer.diagnosis).toMatchObject({ version: 9, repairs: [{ kind: 'unknown-version' }] });
});

test('what is no session is not mended', async () => {
  await expect(mend('hello\n')).rejects.toMatchObject({ code: 'session_unreadable' });
});
