import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type AssistantMessage,
  type NewEntry,
  type SessionStore,
  type StoreReport,
  sessions,
  type Usage,
} from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, onTestFinished, test } from 'vitest';
import plugin from './index.ts';
import { folderName, sessionFile, sessionId } from './names.ts';
import { LineWriter, type WritableFile } from './writer.ts';

const user = (text: string): NewEntry => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
});
const free: Usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 3, cost: null };
const said = (text: string, rest: Partial<AssistantMessage> = {}): NewEntry => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: free,
    stopReason: 'stop',
    timestamp: 2,
    ...rest,
  },
});
const linesOf = (file: string): Record<string, unknown>[] => {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

async function opened(
  options: { report?: (report: StoreReport) => void; cwd?: string } = {},
): Promise<{ store: SessionStore; home: string }> {
  const t = await bootKernel([plugin]);
  onTestFinished(() => t[Symbol.asyncDispose]());
  const store = await t.view.service(sessions).create({
    cwd: options.cwd ?? '/home/user/repo',
    persist: true,
    ...(options.report === undefined ? {} : { report: options.report }),
  });
  return { store, home: t.dir };
}

function tempFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kern-sessions-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('the file appears with the first user message, and holds all that came before it', async () => {
  const { store, home } = await opened();
  const early = store.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  void store.append({ type: 'thinking_level_change', thinkingLevel: 'off' });
  await store.flush();
  expect(existsSync(join(home, 'sessions'))).toBe(false);
  await store.append(user('hello'));
  await early;
  const [header, ...entries] = linesOf(store.file ?? '');
  expect(header).toEqual(store.header);
  expect(entries.map(({ type }) => type)).toEqual(['model_change', 'thinking_level_change', 'message']);
  await store.close();
});

test('a session in which nobody said anything leaves nothing behind, and says so to who waits', async () => {
  const { store, home } = await opened();
  const early = store.append({ type: 'custom', customType: 'x', data: 1 });
  await store.close();
  await expect(early).rejects.toMatchObject({ code: 'session_empty' });
  expect(existsSync(join(home, 'sessions'))).toBe(false);
});

test('entries form a chain from the root to the leaf, with the keys in the order pi writes', async () => {
  const { store } = await opened();
  await store.append(user('a'));
  const answer = await store.append(said('b'));
  expect(store.entries().at(-1)).toBe(answer);
  const [, first, second] = linesOf(store.file ?? '');
  expect(first).toMatchObject({ parentId: null });
  expect(second).toMatchObject({ parentId: first?.id, id: answer.id });
  expect(first?.id).toMatch(/^[0-9a-f]{8}$/);
  expect(Object.keys(second ?? {})).toEqual(['type', 'id', 'parentId', 'timestamp', 'message']);
  await store.close();
});

test('the lines have the keys that pi 1.6.0 writes, in its order', async () => {
  const { store } = await opened();
  void store.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  void store.append({ type: 'thinking_level_change', thinkingLevel: 'off' });
  void store.append({ type: 'message', message: { role: 'system', content: 'you are', timestamp: 1, toolsAdded: [] } });
  await store.append(user('hi'));
  const lines = linesOf(store.file ?? '');
  const place = ['type', 'id', 'parentId', 'timestamp'];
  expect(lines.map((line) => Object.keys(line))).toEqual([
    ['type', 'version', 'id', 'timestamp', 'cwd'],
    [...place, 'provider', 'modelId'],
    [...place, 'thinkingLevel'],
    [...place, 'message'],
    [...place, 'message'],
  ]);
  expect(Object.keys(lines[3]?.message as object)).toEqual(['role', 'content', 'timestamp', 'toolsAdded']);
  await store.close();
});

test('an unknown price and a refusal are written so that pi can read them', async () => {
  const { store } = await opened();
  void store.append(user('a'));
  const kept = await store.append(said('no', { stopReason: 'refusal' }));
  const line = linesOf(store.file ?? '').at(-1)?.message;
  expect(line).toMatchObject({
    stopReason: 'stop',
    rawStopReason: 'refusal',
    usage: { input: 1, costUnknown: true, cost: { total: 0 } },
  });
  expect(kept).toMatchObject({ message: { stopReason: 'refusal', usage: { cost: null } } });
  await store.close();
});

test('the file and its folders are private', async () => {
  const { store, home } = await opened();
  await store.append(user('a'));
  const file = store.file ?? '';
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'sessions')).mode & 0o777).toBe(0o700);
  expect(dirname(file)).toBe(join(home, 'sessions', '--home-user-repo--'));
  await store.close();
});

test('many entries at once are written once each, in order', async () => {
  const { store } = await opened();
  const acknowledged: number[] = [];
  await store.append(user('begin'));
  await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      store.append({ type: 'custom', customType: 'n', data: index }).then(() => acknowledged.push(index)),
    ),
  );
  const written = linesOf(store.file ?? '').flatMap((line) => (line.type === 'custom' ? [line.data] : []));
  expect(written).toEqual(Array.from({ length: 500 }, (_, index) => index));
  expect(acknowledged).toEqual(written);
  await store.close();
});

test('an entry is acknowledged only after it can be read from the file', async () => {
  const { store } = await opened();
  await store.append(user('begin'));
  for (let index = 0; index < 20; index += 1) {
    const { id } = await store.append({ type: 'custom', customType: 'n', data: index });
    expect(linesOf(store.file ?? '').at(-1)).toMatchObject({ id });
  }
  await store.close();
});

test('an entry that is added by the acknowledgement of another is written too', async () => {
  const { store } = await opened();
  await store.append(user('begin'));
  const { promise, resolve } = Promise.withResolvers<unknown>();
  void store
    .append({ type: 'custom', customType: 'first' })
    .then(() => resolve(store.append({ type: 'custom', customType: 'second' })));
  expect(await promise).toMatchObject({ customType: 'second' });
  await store.close();
});

test('what cannot be written is told once, and is written in order when it can be', async () => {
  const dir = tempFolder();
  const blocked = join(dir, 'sessions');
  writeFileSync(blocked, 'a file where the folder should be');
  const reports: StoreReport[] = [];
  const writer = new LineWriter(join(blocked, 's.jsonl'), (report) => reports.push(report));
  const done: string[] = [];
  for (const line of ['1\n', '2\n']) void Promise.all(writer.append([line])).then(() => done.push(line));
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  expect(reports).toEqual([{ type: 'write-failed', error: expect.any(String), pending: expect.any(Number) }]);
  expect(done).toEqual([]);
  rmSync(blocked);
  await Promise.all(writer.append(['3\n']));
  expect(readFileSync(join(blocked, 's.jsonl'), 'utf8')).toBe('1\n2\n3\n');
  expect(reports.at(-1)).toEqual({ type: 'write-restored', written: 3 });
  expect(done).toEqual(['1\n', '2\n']);
  await writer.close();
});

test('what a failed write left behind is cut off before the lines are written again', async () => {
  const file = join(tempFolder(), 's.jsonl');
  let room = 7;
  const fullDisk = async (path: string): Promise<WritableFile> => {
    const handle = await open(path, 'ax');
    const write = async (bytes: Uint8Array, at: number, length: number): Promise<{ bytesWritten: number }> => {
      const fits = Math.min(length, room);
      if (fits === 0) throw new Error('ENOSPC: no space left on device, write');
      room -= fits;
      return handle.write(bytes, at, fits);
    };
    return {
      write: write as WritableFile['write'],
      truncate: (size) => handle.truncate(size),
      datasync: () => handle.datasync(),
      close: () => handle.close(),
    };
  };
  const writer = new LineWriter(file, () => {}, fullDisk);
  await Promise.all(writer.append(['one\n']));
  const second = writer.append(['two\n', 'three\n']);
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  room = 1_000;
  await writer.flush();
  await Promise.all(second);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
  await writer.close();
});

test('closing with lines that cannot be written tells those who wait', async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, 'x'), '');
  const writer = new LineWriter(join(dir, 'x', 's.jsonl'), () => {});
  const [written] = writer.append(['1\n']);
  const told = expect(written).rejects.toThrow();
  await expect(writer.close()).rejects.toMatchObject({ code: 'session_write_failed' });
  await told;
});

test('a file that is there already is never written over, nor a link followed', async () => {
  const dir = tempFolder();
  const target = join(dir, 'precious');
  writeFileSync(target, 'precious');
  symlinkSync(target, join(dir, 'link.jsonl'));
  for (const name of ['precious', 'link.jsonl']) {
    const writer = new LineWriter(join(dir, name), () => {});
    writer.append(['x\n'])[0]?.catch(() => {});
    await expect(writer.close()).rejects.toMatchObject({ code: 'session_write_failed' });
  }
  expect(readFileSync(target, 'utf8')).toBe('precious');
});

test('a session in memory has no file and acknowledges at once', async () => {
  await using t = await bootKernel([plugin]);
  const store = await t.view.service(sessions).create({ cwd: '/x', persist: false });
  const entry = await store.append(user('a'));
  expect(store.file).toBeUndefined();
  expect(store.entries()).toEqual([entry]);
  await store.flush();
  await store.close();
  expect(readdirSync(t.dir)).toEqual([]);
});

test('session ids are UUIDs of version 7 that sort by time', () => {
  const ids = [1, 1_000, 1_796_047_783_073].map((now) => sessionId(now));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
});

test('a folder name is that of pi, and stays short for a long path without two paths sharing it', () => {
  expect(folderName('/home/user/repo')).toBe('--home-user-repo--');
  expect(folderName('C:\\work\\repo')).toBe('--C--work-repo--');
  const long = `/${'x'.repeat(300)}`;
  expect(Buffer.byteLength(folderName(`${long}/a`))).toBeLessThan(256);
  expect(folderName(`${long}/a`)).not.toBe(folderName(`${long.replace('x', 'y')}/a`));
  expect(sessionFile('/k', '/a', '2026-11-30T14:09:42.985Z', 'id')).toBe(
    '/k/sessions/--a--/2026-11-30T14-09-42-985Z_id.jsonl',
  );
});
