import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carriers, makeFolder, makeSupervisor, until } from './test/make.ts';

test('600 forked sleepers are ended at 512, all of them', { timeout: 60_000 }, async () => {
  const supervisor = makeSupervisor();
  const result = await supervisor.spawn('bash', ['-c', 'for i in {1..600}; do sleep 600 & done; wait']).result;
  expect(result).toMatchObject({ overLimit: 'processes', timedOut: false, aborted: false, signal: 'SIGKILL' });
  expect(carriers(supervisor.run)).toEqual([]);
});

test('sleepers whose shell has gone are ended as well, and those that left its group', {
  timeout: 60_000,
}, async () => {
  const supervisor = makeSupervisor();
  const script = 'for i in {1..40}; do (setsid sleep 600 &) ; done; exit 0';
  const limits = { processes: 30 };
  const { exitCode, overLimit } = await supervisor.spawn('bash', ['-c', script], { limits }).result;
  // Whether the shell was quicker or the look at its tree.
  expect(exitCode === 0 || overLimit === 'processes').toBe(true);
  await until(() => carriers(supervisor.run).length === 0);
});

test('a tree within its limits is left alone', async () => {
  const script = 'for i in {1..20}; do sleep 0.5 & done; wait; echo done';
  const limits = { processes: 30, memoryBytes: 1024 ** 3, outputBytes: 5 };
  expect(await makeSupervisor().spawn('bash', ['-c', script], { limits }).result).toMatchObject({
    exitCode: 0,
    stdout: 'done\n',
  });
});

test('the limits of the supervisor hold where a child has none of its own', { timeout: 30_000 }, async () => {
  const supervisor = makeSupervisor(process.env, { processes: 5, memoryBytes: undefined });
  const script = 'for i in 1 2 3 4 5 6; do sleep 600 & done; wait';
  expect(await supervisor.spawn('bash', ['-c', script]).result).toMatchObject({ overLimit: 'processes' });
});

test('memory is counted over the whole tree', { timeout: 30_000 }, async () => {
  const supervisor = makeSupervisor();
  const hold = `${process.execPath} -e "globalThis.held = Buffer.alloc(60e6, 1); setInterval(() => held, 1000)"`;
  const { overLimit } = await supervisor.spawn('bash', ['-c', `${hold} & ${hold} & ${hold}`], {
    limits: { memoryBytes: 200 * 1024 * 1024 },
  }).result;
  expect(overLimit).toBe('memory');
  expect(carriers(supervisor.run)).toEqual([]);
});

test('output over its limit ends the child; what came until then is there', async () => {
  const { overLimit, stdout } = await makeSupervisor().spawn('bash', ['-c', 'echo first; yes'], {
    limits: { outputBytes: 100_000 },
  }).result;
  expect(overLimit).toBe('output');
  expect(stdout.startsWith('first\ny\n')).toBe(true);
});

test('a copy of the output is whole, has both streams in order, and only we can read it', async () => {
  const path = join(makeFolder(), 'copy');
  writeFileSync(path, 'before\n', { mode: 0o600 });
  const { stdout, spilled, dropped } = await makeSupervisor().spawn('bash', ['-c', 'seq 1 100000; echo end >&2'], {
    spillTo: path,
    merge: true,
    keepBytes: 10,
  }).result;
  expect(stdout).toBe('00000\nend\n');
  expect(spilled).toBe('whole');
  const copy = readFileSync(path, 'utf8');
  expect(copy).toHaveLength(dropped + 10 + 'before\n'.length);
  expect(copy.startsWith('before\n1\n2\n')).toBe(true);
  expect(copy.endsWith('100000\nend\n')).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a full disk stops the copy, not the child', async () => {
  const { exitCode, stdout, spilled } = await makeSupervisor().spawn('echo', ['text'], { spillTo: '/dev/full' }).result;
  expect({ exitCode, stdout, spilled }).toEqual({ exitCode: 0, stdout: 'text\n', spilled: 'partly' });
});
