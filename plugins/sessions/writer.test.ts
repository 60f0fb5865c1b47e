import type { StoreReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { type LinePort, LineWriter, type WriterParts } from './writer.ts';

/** Keeps what is written, and fails as long as it is told to. */
function fakePort(): LinePort & {
  text: string;
  writes: number;
  syncs: number;
  failure: string | undefined;
  syncFailure: string | undefined;
} {
  return {
    text: '',
    writes: 0,
    syncs: 0,
    failure: undefined,
    syncFailure: undefined,
    async write(bytes) {
      if (this.failure !== undefined) throw new Error(this.failure);
      const at = Buffer.byteLength(this.text);
      this.text += bytes.toString();
      this.writes += 1;
      return at;
    },
    async sync() {
      if (this.syncFailure !== undefined) throw new Error(this.syncFailure);
      this.syncs += 1;
    },
    async close() {},
  };
}

function writing(port: LinePort, rest: Partial<WriterParts> = {}): { writer: LineWriter; reports: StoreReport[] } {
  const reports: StoreReport[] = [];
  const writer = new LineWriter({
    port,
    report: (report) => reports.push(report),
    settings: { fsync: 'never' },
    writeBlob: async () => {},
    name: () => 's.jsonl',
    ...rest,
  });
  return { writer, reports };
}

const lines = (...texts: string[]): { text: string }[] => texts.map((text) => ({ text: `${text}\n` }));

test('what comes in one breath goes out in one write, and each line learns its place', async () => {
  const port = fakePort();
  const { writer } = writing(port);
  const places = Promise.all([...writer.append(lines('one')), ...writer.append(lines('zwei ä', 'three'))]);
  expect(await places).toEqual([
    { at: 0, length: 3 },
    { at: 4, length: 7 },
    { at: 12, length: 5 },
  ]);
  expect([port.text, port.writes]).toEqual(['one\nzwei ä\nthree\n', 1]);
  await writer.close();
});

test('what cannot be written is told once for each cause, and is written in order when it can be', async () => {
  const port = fakePort();
  port.failure = 'no space';
  const { writer, reports } = writing(port, { retryMs: 1_000_000 });
  const done: string[] = [];
  for (const text of ['1', '2']) void Promise.all(writer.append(lines(text))).then(() => done.push(text));
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  port.failure = 'read-only';
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  expect(reports.map((report) => report.type === 'write-failed' && [report.error, report.pending])).toEqual([
    ['no space', 2],
    ['read-only', 2],
  ]);
  expect([done, writer.pending]).toEqual([[], 2]);
  port.failure = undefined;
  await Promise.all(writer.append(lines('3')));
  expect(port.text).toBe('1\n2\n3\n');
  expect(reports.at(-1)).toEqual({ type: 'write-restored', written: 3 });
  expect(done).toEqual(['1', '2']);
  await writer.close();
});

test('nobody has to ask: what could not be written is tried again by itself', async () => {
  const port = fakePort();
  port.failure = 'no space';
  const { writer, reports } = writing(port, { retryMs: 1 });
  const [written] = writer.append(lines('1'));
  await expect(writer.flush()).rejects.toThrow();
  port.failure = undefined;
  await written;
  expect([port.text, reports.at(-1)]).toEqual(['1\n', { type: 'write-restored', written: 1 }]);
  await writer.close();
});

test('closing with lines that cannot be written tells those who wait', async () => {
  const port = fakePort();
  port.failure = 'no space';
  const { writer } = writing(port);
  const [written] = writer.append(lines('1'));
  const told = expect(written).rejects.toThrow();
  await expect(writer.close()).rejects.toMatchObject({ code: 'session_write_failed' });
  await told;
});

test('with fsync always a line is acknowledged when it is on the disk, and written once however often that fails', async () => {
  const port = fakePort();
  port.syncFailure = 'EIO';
  const { writer, reports } = writing(port, { settings: { fsync: 'always' }, retryMs: 1_000_000 });
  let isAcknowledged = false;
  const [written] = writer.append(lines('1'));
  void written?.then(() => {
    isAcknowledged = true;
  });
  await expect(writer.flush()).rejects.toThrow('1 entries');
  await expect(writer.flush()).rejects.toThrow('EIO');
  expect([isAcknowledged, port.text]).toEqual([false, '1\n']);
  port.syncFailure = undefined;
  await Promise.all(writer.append(lines('2')));
  await written;
  expect([port.text, port.syncs >= 2]).toEqual(['1\n2\n', true]);
  expect(reports.map(({ type }) => type)).toEqual(['write-failed', 'write-restored']);
  await writer.close();
});

test('with fsync second the disk is asked by itself, and when it closes; with never it is not asked', async () => {
  const settings: { fsync: 'second' | 'never' } = { fsync: 'second' };
  const port = fakePort();
  const { writer } = writing(port, { settings });
  await Promise.all(writer.append(lines('1')));
  expect(port.syncs).toBe(0);
  await expect.poll(() => port.syncs, { timeout: 10_000 }).toBe(1);
  await writer.close();
  expect(port.syncs).toBe(2);
  settings.fsync = 'never';
  const other = writing(port, { settings });
  await Promise.all(other.writer.append(lines('1')));
  await other.writer.close();
  expect(port.syncs).toBe(2);
});

test('content that a line refers to is there before the line is', async () => {
  const port = fakePort();
  const blob = { sha256: 'a'.repeat(64), bytes: new Uint8Array() };
  let isRefused = true;
  const { writer } = writing(port, {
    retryMs: 1_000_000,
    writeBlob: async () => {
      if (isRefused) throw new Error('no space');
      expect(port.text).toBe('first\n');
    },
  });
  await Promise.all(writer.append(lines('first')));
  const [written] = writer.append([{ text: 'second\n', blobs: [blob] }]);
  await expect(writer.flush()).rejects.toThrow('no space');
  isRefused = false;
  await writer.flush();
  await written;
  expect(port.text).toBe('first\nsecond\n');
  await writer.close();
});

test('a report that throws stops nothing', async () => {
  const port = fakePort();
  port.failure = 'no space';
  const { writer } = writing(port, {
    retryMs: 1_000_000,
    report: () => {
      throw new Error('the listener is broken');
    },
  });
  const [written] = writer.append(lines('1'));
  await expect(writer.flush()).rejects.toMatchObject({ code: 'session_write_failed' });
  port.failure = undefined;
  await writer.flush();
  await written;
  await writer.close();
});
