import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { counts } from '../cli/test/soak.ts';
import { notesOfFile } from './test/notes-of-file.ts';
import { plainService } from './test/plain-service.ts';
import { tempFolder } from './test/stores.ts';
import { writingProcess } from './test/writer-processes.ts';

const patience = 120_000;
const word = (line: string): string => line.split(' ')[1] ?? '';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const includes = (all: readonly string[], wanted: readonly string[]): string[] => {
  const known = new Set(all);
  return wanted.filter((one) => !known.has(one));
};

const kills = counts({ test: 8, soak: 1_000 });
/** Each reads all that was written before: more of them take longer and longer. */
const killsOfOneFile = 20;
const lanes = 4;

test(
  `killed at any moment (${kills} times) a session loses nothing that was acknowledged, and goes on`,
  async () => {
    const one = async (times: number): Promise<void> => {
      for (let done = 0; done < times; ) {
        const home = tempFolder();
        let file = '';
        const acknowledged: string[] = [];
        for (let nth = 0; nth < killsOfOneFile && done < times; nth += 1, done += 1) {
          const writer = writingProcess(home, `w${nth}`, file);
          const opened = word(await writer.heard('open'));
          // Nobody is alive who could have it: it is the same session, not a copy.
          if (file !== '') expect(opened).toBe(file);
          file = opened;
          await pause(Math.random() * 40);
          await writer.kill();
          acknowledged.push(...writer.acknowledged());
          const { notes, broken } = notesOfFile(file);
          expect(includes(notes, acknowledged)).toEqual([]);
          expect(new Set(notes).size).toBe(notes.length);
          // At most the record that was being written.
          expect(broken).toBeLessThanOrEqual(nth + 1);
        }
        const store = await plainService(home).open(file, { whenBusy: 'fail' });
        const ids = new Set(store.entries().map(({ id }) => id));
        expect(acknowledged.map((line) => line.split(' ')[2] ?? '').filter((id) => !ids.has(id))).toEqual([]);
        await store.close();
      }
    };
    // One that ends by itself keeps its compiled code for those that are killed.
    const first = writingProcess(tempFolder(), 'first');
    await first.heard('open');
    await first.stop();
    await Promise.all(Array.from({ length: lanes }, () => one(kills / lanes)));
  },
  counts({ test: patience, soak: 3_600_000 }),
);

test(
  'of two processes with one session the second gets a copy, and no line is lost or mixed',
  async () => {
    const home = tempFolder();
    const first = writingProcess(home, 'a');
    const file = word(await first.heard('open'));
    await first.heard('ack', 5);
    const second = writingProcess(home, 'b', file);
    const copy = word(await second.heard('open'));
    expect([copy === file, dirname(copy)]).toEqual([false, dirname(file)]);
    await Promise.all([first.heard('ack', 60), second.heard('ack', 60)]);
    await Promise.all([first.stop(), second.stop()]);
    for (const [path, writer, name] of [
      [file, first, 'a'],
      [copy, second, 'b'],
    ] as const) {
      const { notes, broken } = notesOfFile(path);
      expect(broken).toBe(0);
      expect(notes.filter((note) => note.startsWith(name))).toEqual(writer.acknowledged());
    }
    expect(notesOfFile(file).notes.some((note) => note.startsWith('b'))).toBe(false);
    expect(readdirSync(dirname(file)).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
  },
  patience,
);

test.skipIf(process.platform !== 'linux')(
  'from a process that was stopped a session is taken over; woken again it goes on in a copy (without /proc nobody sees that it stopped)',
  async () => {
    for (let round = 0; round < counts({ test: 1, soak: 50 }); round += 1) {
      const home = tempFolder();
      const stopped = writingProcess(home, 'a');
      const file = word(await stopped.heard('open'));
      await stopped.heard('ack', 20);
      stopped.child.kill('SIGSTOP');
      const taker = writingProcess(home, 'b', file);
      expect(word(await taker.heard('open'))).toBe(file);
      await taker.heard('ack', 20);
      stopped.child.kill('SIGCONT');
      await stopped.heard('report write-restored');
      await Promise.all([stopped.heard('ack', 60), taker.heard('ack', 60)]);
      await Promise.all([stopped.stop(), taker.stop()]);
      const copy = word(stopped.said.at(-1) ?? '');
      expect(copy).not.toBe(file);
      const [original, copied] = [notesOfFile(file), notesOfFile(copy)];
      expect([original.broken, copied.broken]).toEqual([0, 0]);
      expect(original.notes.filter((note) => note.startsWith('b'))).toEqual(taker.acknowledged());
      expect(copied.notes).toEqual(stopped.acknowledged());
    }
  },
  counts({ test: patience, soak: 1_000_000 }),
);

test.skipIf(process.platform !== 'linux')(
  'a process that is stopped for a moment keeps its session; one that wakes when the taker has ended goes on in a copy (without /proc nobody sees that it stopped)',
  async () => {
    const home = tempFolder();
    const stopped = writingProcess(home, 'a');
    const file = word(await stopped.heard('open'));
    await stopped.heard('ack', 20);
    stopped.child.kill('SIGSTOP');
    setTimeout(() => stopped.child.kill('SIGCONT'), 700);
    const early = writingProcess(home, 'e', file);
    expect(word(await early.heard('open'))).not.toBe(file);
    await early.stop();
    stopped.child.kill('SIGSTOP');
    const taker = writingProcess(home, 'b', file);
    expect(word(await taker.heard('open'))).toBe(file);
    await taker.heard('ack', 20);
    await taker.stop();
    const left = notesOfFile(file).notes;
    stopped.child.kill('SIGCONT');
    await stopped.heard('report write-restored');
    await stopped.stop();
    const copy = word(stopped.said.at(-1) ?? '');
    expect(copy).not.toBe(file);
    expect(notesOfFile(copy).notes).toEqual(stopped.acknowledged());
    // What was under way at that moment may stand in both.
    expect(notesOfFile(file).notes.slice(0, left.length)).toEqual(left);
    expect(notesOfFile(file).notes.length - left.length).toBeLessThanOrEqual(3);
  },
  patience,
);

test(
  'of many who want the session of a process that was killed one gets it',
  async () => {
    for (let round = 0; round < counts({ test: 1, soak: 20 }); round += 1) {
      const home = tempFolder();
      const killed = writingProcess(home, 'a');
      const file = word(await killed.heard('open'));
      await killed.kill();
      const gate = join(home, 'gate');
      const takers = [1, 2, 3, 4, 5].map((n) => writingProcess(home, `t${n}`, file, gate));
      await Promise.all(takers.map((taker) => taker.heard('ready')));
      writeFileSync(gate, '');
      const answers = await Promise.all(
        takers.map((taker) => Promise.race([taker.heard('open'), taker.heard('error')])),
      );
      expect(answers.filter((answer) => answer === 'error session_busy')).toHaveLength(4);
      expect(answers.filter((answer) => answer === `open ${file}`)).toHaveLength(1);
      await Promise.all(takers.map((taker) => taker.stop()));
      expect(readdirSync(dirname(file)).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
    }
  },
  counts({ test: patience, soak: 1_000_000 }),
);

const canMount = ((): boolean => {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!canMount)(
  'a disk that is full in mid-run is told, loses nothing, and is written when there is room (needs unshare of util-linux, with user namespaces)',
  () => {
    const home = join(tempFolder(), 'home');
    mkdirSync(home);
    const script = fileURLToPath(new URL('test/full-disk.ts', import.meta.url));
    const out = execFileSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" "$1"',
        'sh',
        home,
        process.execPath,
        script,
      ],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(out)).toEqual({
      failed: expect.stringContaining('ENOSPC'),
      whileFull: { broken: 0, lost: 0 },
      restored: true,
      inOrder: true,
      broken: 0,
      opensAgain: true,
    });
  },
  patience,
);
