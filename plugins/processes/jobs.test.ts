import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Job, Jobs } from './contract.ts';
import { createJobs } from './jobs.ts';
import { carriers, makeFolder, makeSupervisor, until } from './test/make.ts';

const read = (job: Job, bytes = 1000): string => Buffer.from(job.readNew(bytes).bytes).toString();

function ground(): { jobs: Jobs; start(script: string, sessionId?: string): Job; run: string } {
  const supervisor = makeSupervisor();
  const jobs = createJobs(supervisor);
  const cwd = makeFolder();
  let count = 0;
  return {
    jobs,
    run: supervisor.run,
    start(script, sessionId = 's1') {
      count += 1;
      const log = { id: String(count), path: join(cwd, `${count}.log`) };
      return jobs.start({ command: 'bash', args: ['-c', script], options: { cwd }, label: script, sessionId, log });
    },
  };
}

test('a job has a number, its output piece by piece, and an end', async () => {
  const { jobs, start } = ground();
  const job = start('echo one; while [ ! -e go ]; do sleep 0.02; done; echo two >&2; exit 3');
  expect(job).toMatchObject({ id: 'j1', end: undefined, endedAt: undefined });
  let seen = '';
  await until(() => {
    seen += read(job);
    return seen !== '';
  });
  expect(seen).toBe('one\n');
  expect(read(job)).toBe('');
  writeFileSync(join(job.cwd, 'go'), '');
  await job.over;
  expect(read(job)).toBe('two\n');
  expect(job.end).toMatchObject({ result: { exitCode: 3, spilled: 'whole' } });
  expect(job.endedAt).toBeGreaterThanOrEqual(job.startedAt);
  expect(jobs.list('s1')).toEqual([job]);
});

test('of much new output the end is given, and what was left out is counted', async () => {
  const job = ground().start('seq 1 1000');
  await job.over;
  const { bytes, skipped } = job.readNew(9);
  expect(Buffer.from(bytes).toString()).toBe('999\n1000\n');
  expect(skipped).toBe(3893 - 9);
});

test('a job is ended whole', async () => {
  const { start, run } = ground();
  const job = start('(setsid sleep 600 &); sleep 600 & echo up; sleep 600');
  await until(() => read(job) !== '');
  await job.kill();
  expect(carriers(run)).toEqual([]);
  expect(job.end).toMatchObject({ result: { signal: 'SIGTERM' } });
});

test('each session has its own', () => {
  const { jobs, start } = ground();
  const [one, other] = [start('sleep 600', 's1'), start('sleep 600', 's2')];
  expect(jobs.list('s1')).toEqual([one]);
  expect(jobs.list('s2')).toEqual([other]);
  expect(jobs.list()).toEqual([one, other]);
});

test('what cannot be started is over with its failure', async () => {
  const supervisor = makeSupervisor();
  const cwd = makeFolder();
  const job = createJobs(supervisor).start({
    command: 'kern-no-such-program',
    args: [],
    options: { cwd },
    label: 'none',
    sessionId: 's1',
    log: { id: '1', path: join(cwd, 'log') },
  });
  await job.over;
  expect(job.end).toMatchObject({ failure: { code: 'program_not_found' } });
  expect(read(job)).toBe('');
});
