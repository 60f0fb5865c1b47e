import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { KernError, type Processes } from 'kern/plugin';
import type { Job, JobRequest, Jobs } from './contract.ts';

const mostRunning = 100;
const mostEnded = 100;

/** Keeps what runs in the background, and what ended lately. */
export function createJobs(processes: Pick<Processes, 'spawn'>): Jobs {
  const all = new Map<string, Job>();
  let count = 0;

  return {
    start(request) {
      const running = [...all.values()].filter(({ end }) => end === undefined);
      if (running.length >= mostRunning)
        throw new KernError('too_many_jobs', `${mostRunning} commands run in the background already`, {
          hint: 'Wait for one, or end one, before you start another.',
        });
      count += 1;
      const job = startJob(`j${count}`, request, processes);
      all.set(job.id, job);
      void job.over.then(() => {
        const ended = [...all.values()].filter(({ end }) => end !== undefined);
        for (const { id } of ended.slice(0, Math.max(0, ended.length - mostEnded))) all.delete(id);
      });
      return job;
    },
    list: (sessionId) => [...all.values()].filter((job) => sessionId === undefined || job.sessionId === sessionId),
  };
}

function startJob(id: string, request: JobRequest, processes: Pick<Processes, 'spawn'>): Job {
  const { command, args, options, label, sessionId, log } = request;
  const startedAt = Date.now();
  let endedAt: number | undefined;
  let end: Job['end'];
  let read = 0;
  let known = false;
  const child = processes.spawn(command, args, { ...options, merge: true, keepBytes: 0, spillTo: log.path, label });
  const ended = (how: Job['end']): void => {
    end = how;
    endedAt = Date.now();
  };
  const over = child.result.then(
    (result) => ended({ result }),
    (failure: unknown) => ended({ failure }),
  );
  return {
    id,
    label,
    sessionId,
    cwd: options.cwd,
    log,
    startedAt,
    over,
    get endedAt() {
      return endedAt;
    },
    get pid() {
      return child.pid;
    },
    get end() {
      return end;
    },
    peekNew(bytes) {
      const { part, size } = endOf(log.path, read, bytes);
      return { bytes: part, skipped: size - read - part.length };
    },
    isKnown: () => known,
    setKnown(isKnown) {
      known = isKnown;
    },
    readNew(bytes) {
      const { part, size } = endOf(log.path, read, bytes);
      const skipped = size - read - part.length;
      read = size;
      return { bytes: part, skipped };
    },
    kill: () => child.kill(),
  };
}

/** What a file has behind `from`: at most its last `bytes`. */
function endOf(path: string, from: number, bytes: number): { part: Uint8Array; size: number } {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // It has not started yet, or somebody removed the file: then there is nothing to read.
    return { part: new Uint8Array(0), size: from };
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(from, size - bytes);
    const part = new Uint8Array(Math.max(0, size - start));
    const length = readSync(fd, part, 0, part.length, start);
    return { part: part.subarray(0, length), size: start + length };
  } finally {
    closeSync(fd);
  }
}
