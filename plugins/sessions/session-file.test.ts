import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionAppender, SessionStorage } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { fileStorage } from './file-storage.ts';
import { self } from './owner.ts';
import { bootSessions, linesOf, note, notesIn, tempFolder, textsOf, user } from './test/stores.ts';

/** A disk with so much room; what does not fit is written as far as it does. */
function smallDisk(): SessionStorage & { room: number } {
  const files = fileStorage(new Map());
  return {
    ...files,
    id: 'small',
    room: Number.POSITIVE_INFINITY,
    async append(path, fresh): Promise<SessionAppender> {
      const appender = await files.append(path, fresh);
      return {
        ...appender,
        write: async (bytes) => {
          const fits = Math.min(bytes.length, this.room);
          if (fits === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
          this.room -= fits;
          return appender.write(bytes.subarray(0, fits));
        },
      };
    },
  };
}

test('a disk that is full in the middle of a line leaves no half line, and loses nothing', async () => {
  const storage = smallDisk();
  const { begun, reports } = await bootSessions({ storage, settings: { storage: 'small' } });
  const store = await begun();
  storage.room = 70;
  const waiting = [1, 2, 3].map((n) => store.append(note(n)));
  await expect(store.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  expect(linesOf(store.file)).toHaveLength(2);
  expect(reports).toEqual([{ type: 'write-failed', error: expect.stringContaining('ENOSPC'), pending: 3 }]);
  expect(store.entries()).toHaveLength(4);
  storage.room = Number.POSITIVE_INFINITY;
  await Promise.all(waiting);
  expect(notesIn(store.file)).toEqual([1, 2, 3]);
  expect(reports.at(-1)).toEqual({ type: 'write-restored', written: 3 });
  await store.close();
});

test('writes that come back short are gone on with', async () => {
  const files = fileStorage(new Map());
  const storage: SessionStorage = {
    ...files,
    id: 'short',
    async append(path, fresh) {
      const appender = await files.append(path, fresh);
      return { ...appender, write: (bytes) => appender.write(bytes.subarray(0, 7)) };
    },
  };
  const { begun } = await bootSessions({ storage, settings: { storage: 'short' } });
  const store = await begun();
  await Promise.all([1, 2, 3].map((n) => store.append(note(n))));
  expect(notesIn(store.file)).toEqual([1, 2, 3]);
  await store.close();
});

test('a folder that cannot be made is told, and the session is written when it can be', async () => {
  const { sessions, home, report, reports } = await bootSessions();
  writeFileSync(join(home, 'sessions'), 'a file where the folder should be');
  const store = await sessions.create({ cwd: '/x', persist: true, report });
  const waiting = store.append(user('hello'));
  await expect(store.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  expect(reports.at(0)).toMatchObject({
    type: 'write-failed',
    pending: 0,
    error: expect.stringContaining('is not a folder'),
  });
  expect(reports).toHaveLength(1);
  rmSync(join(home, 'sessions'));
  await store.append(note(1));
  await waiting;
  expect(linesOf(store.file ?? '').map(({ type }) => type)).toEqual(['session', 'message', 'custom']);
  await store.close();
});

test('a folder that has become read-only: the session opens, what is said is told to be in memory, and is written later', async () => {
  const files = fileStorage(new Map());
  let isReadonly = false;
  const writable = (): void => {
    if (isReadonly) throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  const storage: SessionStorage = {
    ...files,
    id: 'mounted',
    async append(path, fresh) {
      writable();
      return files.append(path, fresh);
    },
    async lock(path) {
      writable();
      return files.lock?.(path) ?? Promise.reject();
    },
  };
  const { begun, sessions, reports, report } = await bootSessions({ storage, settings: { storage: 'mounted' } });
  const store = await begun();
  await store.close();
  isReadonly = true;
  const again = await sessions.open(store.file, { whenBusy: 'fail', report });
  const waiting = again.append(note(1));
  await expect(again.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  expect(textsOf(again)).toEqual(['hello']);
  expect(reports.at(-1)).toMatchObject({ type: 'write-failed', error: expect.stringContaining('EROFS') });
  isReadonly = false;
  await waiting;
  expect(notesIn(store.file)).toEqual([1]);
  await again.close();
});

test('a file that is there already is never written over, nor a link followed', async () => {
  const dir = tempFolder();
  const target = join(dir, 'precious');
  writeFileSync(target, 'precious');
  symlinkSync(target, join(dir, 'link.jsonl'));
  const storage = fileStorage(new Map());
  for (const name of ['precious', 'link.jsonl'])
    await expect(storage.append(join(dir, name), true)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(storage.append(join(dir, 'link.jsonl'), false)).rejects.toThrow();
  expect(readFileSync(target, 'utf8')).toBe('precious');
});

test('a file that was deleted is made again, with all that was in it', async () => {
  const { begun, reports } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  rmSync(store.file);
  await store.append(note(2));
  expect(notesIn(store.file)).toEqual([1, 2]);
  expect(linesOf(store.file)[0]).toEqual(store.header);
  expect([statSync(store.file).mode & 0o777, reports]).toEqual([0o600, []]);
  await store.append(note(3));
  expect(notesIn(store.file)).toEqual([1, 2, 3]);
  await store.close();
});

test('a folder that was deleted is made again, with the session and its lock', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  rmSync(dirname(store.file), { recursive: true });
  await store.append(note(2));
  expect(notesIn(store.file)).toEqual([1, 2]);
  await expect(sessions.open(store.file, { whenBusy: 'fail' })).rejects.toMatchObject({ code: 'session_busy' });
  await store.close();
  expect(readdirSync(dirname(store.file))).toHaveLength(1);
});

test('a file that another one took the place of is left alone, and the session goes on in a copy', async () => {
  const { begun, reports, sessions } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  const first = { file: store.file, id: store.header.id };
  writeFileSync(`${first.file}.new`, 'somebody else was here');
  renameSync(`${first.file}.new`, first.file);
  const waiting = store.append(note(2));
  await store.flush();
  await waiting;
  await store.append(note(3));
  expect(readFileSync(first.file, 'utf8')).toBe('somebody else was here');
  expect(store.file).not.toBe(first.file);
  expect(store.header).toMatchObject({ parentSession: first.file });
  expect(store.header.id).not.toBe(first.id);
  expect(linesOf(store.file)[0]).toEqual(store.header);
  expect(notesIn(store.file)).toEqual([1, 2, 3]);
  expect(reports.map(({ type }) => type)).toEqual(['write-failed', 'moved', 'write-restored']);
  expect(reports[0]).toMatchObject({ error: expect.stringContaining(store.file) });
  const ids = store.entries().map(({ id }) => id);
  await store.close();
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries().map(({ id }) => id)).toEqual(ids);
  await again.close();
});

test('closing is enough: lines that wait go to the copy', async () => {
  const { begun, reports } = await bootSessions();
  const store = await begun();
  const file = store.file;
  writeFileSync(`${file}.new`, 'another');
  renameSync(`${file}.new`, file);
  const waiting = store.append(note(1));
  await store.close();
  await waiting;
  expect(notesIn(store.file)).toEqual([1]);
  expect(reports.map(({ type }) => type)).toEqual(['write-failed', 'moved', 'write-restored']);
});

test('a session that another program goes on in is left to it: ours goes on in a copy, and no branch is made behind anybodys back', async () => {
  const { begun, reports } = await bootSessions();
  const store = await begun();
  await store.append(note(0));
  const file = store.file;
  const theirs = '{"type":"custom","id":"00000001","parentId":null,"customType":"theirs"}\nhalf a li';
  appendFileSync(file, theirs);
  const waiting = store.append(note(1));
  await store.flush();
  await waiting;
  await store.append(note(2));
  expect(readFileSync(file, 'utf8').endsWith(theirs)).toBe(true);
  expect(store.file).not.toBe(file);
  expect(notesIn(store.file)).toEqual([0, 1, 2]);
  expect(reports[0]).toMatchObject({ error: expect.stringContaining('has gone on in the session') });
  expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
  await store.close();
});

test.skipIf(process.platform !== 'linux')(
  'the last write of the stopped owner it was taken over from drives nobody out of the session; a second one does',
  async () => {
    const { begun, sessions } = await bootSessions();
    const first = await begun();
    await first.close();
    const owner = spawn('sleep', ['60']);
    onTestFinished(() => void owner.kill('SIGKILL'));
    owner.kill('SIGSTOP');
    const { start: _, ...me } = self();
    writeFileSync(`${first.file}.lock`, JSON.stringify({ ...me, pid: owner.pid, token: 'ab' }));
    const store = await sessions.open(first.file, { whenBusy: 'fail' });
    expect(store.busy).toMatchObject({ as: 'takeover', owner: { pid: owner.pid, isStopped: true } });
    await store.append(note(1));
    const late = '{"type":"custom","id":"00000001","parentId":null,"customType":"late"}\n';
    appendFileSync(first.file, late);
    await store.append(note(2));
    expect(store.file).toBe(first.file);
    expect(notesIn(first.file)).toEqual([1, 2]);
    appendFileSync(first.file, late);
    const waiting = store.append(note(3));
    await store.flush();
    await waiting;
    expect(store.file).not.toBe(first.file);
    expect(notesIn(store.file ?? '')).toEqual([1, 2, 3]);
    await store.close();
  },
);

test('what was added between the reading of a session and the first line of ours is seen too', async () => {
  const { begun, sessions } = await bootSessions();
  const first = await begun();
  await first.close();
  const store = await sessions.open(first.file, { whenBusy: 'fail' });
  rmSync(`${first.file}.lock`);
  const intruder = await sessions.open(first.file, { whenBusy: 'fail' });
  await intruder.append(note('theirs'));
  await intruder.close();
  await store.append(note('ours'));
  expect(notesIn(first.file)).toEqual(['theirs']);
  expect(notesIn(store.file ?? '')).toEqual(['ours']);
  await store.close();
});

test('a file that was filled with something else is left, and the session is written anew in another', async () => {
  const { begun, reports } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  const file = store.file;
  for (const foreign of ['short', 'much longer than all that was said. '.repeat(100)]) {
    const before = store.file;
    writeFileSync(before, foreign);
    const waiting = store.append(note(foreign.length));
    await store.flush();
    await waiting;
    expect(readFileSync(before, 'utf8')).toBe(foreign);
    expect(store.file).not.toBe(before);
  }
  expect(store.file).not.toBe(file);
  expect(notesIn(store.file)).toEqual([1, 5, 3600]);
  expect(textsOf(store)).toEqual(['hello']);
  expect(reports[0]).toMatchObject({ error: expect.stringContaining('something else over the session') });
  await store.close();
});

/** Something happens between the look at the file and the write. */
function interrupted(): SessionStorage & { before: (path: string) => void } {
  const files = fileStorage(new Map());
  return {
    ...files,
    id: 'interrupted',
    before: () => {},
    async append(path, fresh) {
      const appender = await files.append(path, fresh);
      return {
        ...appender,
        write: (bytes) => {
          this.before(path);
          return appender.write(bytes);
        },
      };
    },
  };
}

test('a line that was under way while another program wrote is found where it lies', async () => {
  const storage = interrupted();
  const { begun } = await bootSessions({ storage, settings: { storage: 'interrupted' } });
  const store = await begun();
  storage.before = (path) => appendFileSync(path, `${JSON.stringify(note('theirs'))}\n`);
  const { id } = await store.append(note('ours'));
  storage.before = () => {};
  await store.append(note('more'));
  expect(notesIn(store.file)).toEqual(['theirs', 'ours', 'more']);
  expect(store.entry(id)).toMatchObject({ data: 'ours' });
  await store.close();
});

test('a line that was under way while the session was taken over stands in our copy, with all before it and nothing of theirs', async () => {
  const storage = interrupted();
  const { begun } = await bootSessions({ storage, settings: { storage: 'interrupted' } });
  const store = await begun();
  await store.append(note('before'));
  const file = store.file;
  storage.before = (path) => {
    storage.before = () => {};
    writeFileSync(`${path}.lock`, JSON.stringify({ ...self(), token: 'ab' }));
    appendFileSync(path, `${JSON.stringify(note('theirs'))}\n`);
  };
  const waiting = store.append(note('ours'));
  await store.flush();
  await waiting;
  expect(store.file).not.toBe(file);
  expect(notesIn(store.file)).toEqual(['before', 'ours']);
  expect(notesIn(file).slice(0, 2)).toEqual(['before', 'theirs']);
  await store.close();
});

test('a file that somebody has cut is told, and written anew with all that was said', async () => {
  const { begun, reports, sessions } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  const header = linesOf(store.file)[0];
  for (const size of [0, Buffer.byteLength(`${JSON.stringify(header)}\n`) + 7]) {
    truncateSync(store.file, size);
    const waiting = store.append(note(size === 0 ? 2 : 3));
    await store.flush();
    await waiting;
  }
  expect(reports[0]).toMatchObject({ type: 'write-failed', error: expect.stringContaining('cut') });
  expect(linesOf(store.file).map(({ type, data }) => data ?? type)).toEqual(['session', 'message', 1, 2, 3]);
  const ids = store.entries().map(({ id }) => id);
  await store.close();
  // What was said before it was opened, too.
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.context().messages).toHaveLength(1);
  truncateSync(store.file, 0);
  await again.append(note(4));
  expect(
    again
      .entries()
      .map(({ id }) => id)
      .slice(0, -1),
  ).toEqual(ids);
  expect(linesOf(store.file)[1]).toMatchObject({ type: 'message', id: ids[0] });
  await again.close();
});

test('a torn last line and a missing newline are ended, not cut off', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun();
  await store.append(note(1));
  await store.close();
  const whole = readFileSync(store.file, 'utf8');
  for (const [ending, kind] of [
    ['{"type":"custom","id":"0000', 'torn-line'],
    [`${JSON.stringify({ ...note(9), id: '0000000a', parentId: null })}`, 'no-final-newline'],
  ] as const) {
    writeFileSync(store.file, whole + ending);
    const again = await sessions.open(store.file, { whenBusy: 'fail' });
    expect(again.repairs.map((repair) => repair.kind)).toEqual([kind]);
    await again.append(note(2));
    await again.close();
    const text = readFileSync(store.file, 'utf8');
    expect(text.startsWith(`${whole}${ending}\n{`)).toBe(true);
    const third = await sessions.open(store.file, { whenBusy: 'fail' });
    expect(third.entries().at(-1)).toMatchObject({ data: 2 });
    await third.close();
  }
});

test('a session of an old version is written anew before anything is added, and kept as it was beside', async () => {
  const { sessions, home } = await bootSessions();
  const folder = join(home, 'sessions', '--x--');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'old_1.jsonl');
  const old = [
    { type: 'session', id: 'old', timestamp: '2025-01-01T00:00:00.000Z', cwd: '/x' },
    { type: 'message', timestamp: '2025-01-01T00:00:01.000Z', message: { role: 'user', content: 'hello' } },
    { type: 'message', timestamp: '2025-01-01T00:00:02.000Z', message: { role: 'user', content: 'again' } },
  ];
  const text = old.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(file, text);
  const store = await sessions.open(file, { whenBusy: 'fail' });
  expect(readFileSync(file, 'utf8')).toBe(text);
  await store.append(user('more'));
  expect(textsOf(store)).toEqual(['hello', 'again', 'more']);
  expect(readFileSync(`${file}.v1.bak`, 'utf8')).toBe(text);
  const [header, ...entries] = linesOf(file);
  expect(header).toMatchObject({ version: 3, id: 'old' });
  expect(entries.map(({ id }) => id)).toEqual(store.entries().map(({ id }) => id));
  expect(entries[2]).toMatchObject({ parentId: entries[1]?.id });
  await store.close();
  const again = await sessions.open(file, { whenBusy: 'fail' });
  expect([textsOf(again), again.repairs]).toEqual([['hello', 'again', 'more'], []]);
  await again.close();
});

test('a session of a version that nobody here knows is opened to be read', async () => {
  const { sessions, home } = await bootSessions();
  const file = join(home, 'new.jsonl');
  writeFileSync(file, `${JSON.stringify({ type: 'session', version: 9, id: 'n', timestamp: '', cwd: '/x' })}\n`);
  const store = await sessions.open(file, { whenBusy: 'fail' });
  expect(store.readonly).toMatch(/version is 9|of version 9/);
  await expect(store.append(user('x'))).rejects.toMatchObject({ code: 'session_readonly' });
  await store.close();
  expect(readdirSync(home).filter((name) => name.startsWith('new'))).toEqual(['new.jsonl']);
});

test('what is in the file is read from there, also when the session has moved', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun();
  const big = 'x'.repeat(100_000);
  const ids: string[] = [];
  // More than is held in memory.
  for (let n = 0; n < 150; n += 1) ids.push((await store.append(note(`${n} ${big}`))).id);
  const check = (opened: typeof store): void => {
    for (const [n, id] of ids.entries()) expect(opened.entry(id)).toMatchObject({ data: `${n} ${big}` });
  };
  check(store);
  writeFileSync(`${store.file}.new`, 'another');
  renameSync(`${store.file}.new`, store.file);
  const waiting = store.append(note('moved'));
  await store.flush();
  await waiting;
  check(store);
  await store.close();
  expect((await sessions.open(store.file, { whenBusy: 'readonly' })).entry(ids[0] ?? '')).toBeDefined();
});
