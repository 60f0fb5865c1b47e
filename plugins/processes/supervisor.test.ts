import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { counts } from '../cli/test/soak.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { members, processTable } from './table.ts';

const open: Supervisor[] = [];
const make = (env: NodeJS.ProcessEnv = process.env): Supervisor => {
  const supervisor = createSupervisor(env);
  open.push(supervisor);
  return supervisor;
};
/** What carries the mark of a supervisor, or of one of its children. */
const carriers = (run: string): readonly number[] =>
  members(processTable(), { groups: new Set(), run, spare: new Set() });
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'kern-processes-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(10);
};

/** Nothing else runs meanwhile, and then for longer than a child is waited for. */
const blockUntil = (isSo: () => boolean): void => {
  const pause = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  while (!isSo()) pause(5);
  pause(200);
};

afterEach(async () => {
  await Promise.all(open.splice(0).map((supervisor) => supervisor.close()));
});

test('both streams and the exit code are told apart and told truly', async () => {
  const result = await make().spawn('bash', ['-c', 'echo out; echo err >&2; exit 7']).result;
  expect(result).toMatchObject({
    exitCode: 7,
    signal: undefined,
    stdout: 'out\n',
    stderr: 'err\n',
    timedOut: false,
    aborted: false,
    dropped: 0,
  });
});

test('a signal is told as a signal', async () => {
  expect(await make().spawn('bash', ['-c', 'kill -KILL $$']).result).toMatchObject({
    exitCode: undefined,
    signal: 'SIGKILL',
    aborted: false,
  });
});

test('arguments reach the program as they are, no shell reads them', async () => {
  const strange = ['$HOME', '; echo no', '"', "'", '*', ' a  b ', 'ü€', ''];
  const { stdout } = await make().spawn('printf', ['<%s>', ...strange]).result;
  expect(stdout).toBe(strange.map((text) => `<${text}>`).join(''));
});

test('stdin is empty and closed; given input is read and then closed', async () => {
  const supervisor = make();
  expect(await supervisor.spawn('cat', []).result).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await supervisor.spawn('cat', [], { input: 'text\n' }).result).toMatchObject({ stdout: 'text\n' });
  expect(await supervisor.spawn('cat', [], { input: new Uint8Array([104, 105]) }).result).toMatchObject({
    stdout: 'hi',
  });
});

test('with a pipe, input is taken while it runs, also before it has started', async () => {
  const child = make().spawn('cat', [], { input: 'pipe' });
  child.write('one ');
  await until(() => child.pid !== undefined);
  child.write('two');
  child.end();
  expect((await child.result).stdout).toBe('one two');
});

test('a program that does not read its input is no error', async () => {
  expect(await make().spawn('true', [], { input: 'x'.repeat(1_000_000) }).result).toMatchObject({ exitCode: 0 });
});

test.each([
  ['program_not_found', 'kern-no-such-program', {}],
  ['program_not_executable', '/etc/passwd', {}],
  ['cwd_missing', 'true', { cwd: '/kern/no/such/folder' }],
] as const)('%s is told when %s cannot be started', async (code, command, options) => {
  await expect(make().spawn(command, [], options).result).rejects.toMatchObject({ code });
});

test('merged, both streams come in the order they were written, and /dev/stderr can be opened', async () => {
  const lines = 'for i in $(seq 200); do echo "o$i"; echo "e$i" >&2; done; echo last > /dev/stderr';
  const { stdout, stderr } = await make().spawn('bash', ['-c', lines], { merge: true }).result;
  expect(stdout).toBe(`${Array.from({ length: 200 }, (_, at) => `o${at + 1}\ne${at + 1}\n`).join('')}last\n`);
  expect(stderr).toBe('');
});

test('where no pipe can be made, both streams still come, as one', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/kern/no/such/folder';
  try {
    const { stdout, stderr } = await make().spawn('bash', ['-c', 'echo out; echo err >&2'], { merge: true }).result;
    expect(stdout.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(stderr).toBe('');
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

test('twenty merged children at once each have their own stream', async () => {
  const supervisor = make();
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      (_, at) => supervisor.spawn('bash', ['-c', `echo a${at}; echo b${at} >&2`], { merge: true }).result,
    ),
  );
  expect(results.map(({ stdout }) => stdout).join('')).toBe(
    Array.from({ length: 20 }, (_, at) => `a${at}\nb${at}\n`).join(''),
  );
});

test('of more output than is kept the end is there and the rest is counted; every piece was handed on', async () => {
  let seen = 0;
  const result = await make().spawn('bash', ['-c', 'head -c 300000 /dev/zero | tr "\\0" x; printf end'], {
    keepBytes: 1000,
    onOutput: (chunk) => (seen += chunk.length),
  }).result;
  expect(result.stdout).toBe(`${'x'.repeat(997)}end`);
  expect(result.dropped).toBe(300_003 - 1000);
  expect(seen).toBe(300_003);
});

test('no provider key and no word of npm reaches a child, the mark does', async () => {
  const supervisor = make({
    PATH: '/w/node_modules/.bin:/usr/bin:/bin',
    npm_lifecycle_event: 'test',
    npm_package_name: 'x',
    OPENAI_API_KEY: 'k',
    KERN_LAUNCHER_FD: '3',
    KEPT: 'yes',
    GONE: 'no',
  });
  const { stdout } = await supervisor.spawn('env', [], { env: { ADDED: '1', GONE: undefined } }).result;
  expect(stdout.trim().split('\n').sort()).toEqual([
    'ADDED=1',
    'KEPT=yes',
    `KERN_RUN=${supervisor.run}.1`,
    'PATH=/usr/bin:/bin',
  ]);
});

test('output that came while the event loop was busy is read before the child is given up on', async () => {
  const dir = folder();
  const done = join(dir, 'done');
  const child = make().spawn('bash', ['-c', `(sleep 0.1; echo late; touch ${done}; sleep 600) & echo first`], {
    merge: true,
    // The pause in which nothing comes passes while nothing can be read. After an immediate the loop runs timers first.
    onOutput: (chunk) => {
      if (Buffer.from(chunk).includes('first'))
        setTimeout(() => setImmediate(() => blockUntil(() => existsSync(done))), 20);
    },
  });
  expect((await child.result).stdout).toBe('first\nlate\n');
});

test('a background child does not hold the result, keeps running, and is told of until it ends', async () => {
  const supervisor = make();
  const child = supervisor.spawn('bash', ['-c', 'sleep 600 & echo started'], { label: 'job', owner: 'me' });
  expect(await child.result).toMatchObject({ exitCode: 0, stdout: 'started\n' });
  expect(carriers(supervisor.run)).toHaveLength(1);
  expect(supervisor.list()).toMatchObject([{ pid: child.pid, label: 'job', owner: 'me' }]);
  await child.kill();
  expect(carriers(supervisor.run)).toEqual([]);
  expect(supervisor.list()).toEqual([]);
});

test('a background child that goes on talking is not killed by it, nor does it hold the result', async () => {
  const dir = folder();
  const supervisor = make();
  const script = `(while :; do echo tick || touch ${dir}/broken; sleep 0.02; done) & echo started`;
  let pieces = 0;
  const count = (): void => {
    pieces += 1;
  };
  const child = supervisor.spawn('bash', ['-c', script], { merge: true, onOutput: count });
  const { stdout } = await child.result;
  expect(stdout).toContain('started');
  const before = pieces;
  // Longer than the pipe is deep: what is not read would block, what is closed would break.
  await sleep(300);
  expect(carriers(supervisor.run).length).toBeGreaterThan(0);
  expect(existsSync(join(dir, 'broken'))).toBe(false);
  // What comes after the result is nobody's.
  expect(pieces).toBe(before);
});

test('the time limit ends the whole tree', async () => {
  const supervisor = make();
  const result = await supervisor.spawn(
    'bash',
    ['-c', 'sleep 600 & setsid sleep 600 & (setsid sleep 600 &) ; sleep 600'],
    { timeoutMs: 300 },
  ).result;
  expect(result).toMatchObject({ timedOut: true, aborted: false, exitCode: undefined, signal: 'SIGTERM' });
  expect(carriers(supervisor.run)).toEqual([]);
});

test('an abort ends the whole tree, also what ignores SIGTERM, and `a; b` aborted in a never runs b', async () => {
  const dir = folder();
  const supervisor = make();
  const abort = new AbortController();
  const child = supervisor.spawn('bash', ['-c', `(trap '' TERM; echo deaf; sleep 600); touch ${dir}/b`], {
    signal: abort.signal,
    onOutput: () => abort.abort(),
  });
  expect(await child.result).toMatchObject({ aborted: true, timedOut: false, stdout: 'deaf\n' });
  expect(carriers(supervisor.run)).toEqual([]);
  expect(existsSync(join(dir, 'b'))).toBe(false);
});

test('a stopped process is ended as well', async () => {
  const supervisor = make();
  const child = supervisor.spawn('bash', ['-c', 'kill -STOP $$; echo never'], {});
  await until(() => child.pid !== undefined);
  await sleep(50);
  await child.kill();
  expect(await child.result).toMatchObject({ signal: 'SIGTERM', stdout: '' });
});

test('an abort before the start starts nothing', async () => {
  const dir = folder();
  const result = await make().spawn('touch', [join(dir, 'started')], { signal: AbortSignal.abort() }).result;
  expect(result).toMatchObject({ aborted: true, exitCode: undefined });
  const late = new AbortController();
  const child = make().spawn('touch', [join(dir, 'started')], { signal: late.signal });
  late.abort();
  expect(await child.result).toMatchObject({ aborted: true });
  expect(existsSync(join(dir, 'started'))).toBe(false);
});

test('an abort after the end changes nothing', async () => {
  const abort = new AbortController();
  const supervisor = make();
  expect(await supervisor.spawn('bash', ['-c', 'sleep 600 & exit 3'], { signal: abort.signal }).result).toMatchObject({
    exitCode: 3,
    aborted: false,
  });
  abort.abort();
  await sleep(50);
  expect(carriers(supervisor.run)).toHaveLength(1);
});

test('aborts at random moments leave no process', { timeout: counts({ test: 60_000, soak: 600_000 }) }, async () => {
  const rounds = counts({ test: 40, soak: 500 });
  const supervisor = make();
  await supervisor.spawn('true', []).result;
  for (let round = 0; round < rounds; round += 8) {
    await Promise.all(
      Array.from({ length: Math.min(8, rounds - round) }, async (_, at) => {
        const abort = new AbortController();
        const child = supervisor.spawn(
          'bash',
          ['-c', 'sleep 600 & (setsid bash -c "sleep 600 & sleep 600" &); sleep 600 | cat'],
          { signal: abort.signal, merge: at % 2 === 0 },
        );
        await sleep(Math.random() * 40);
        abort.abort();
        expect(await child.result).toMatchObject({ aborted: true });
      }),
    );
  }
  expect(carriers(supervisor.run)).toEqual([]);
});

test('killAll ends every tree and waits; the next child can be started, after close none', async () => {
  const supervisor = make();
  const children = [supervisor.spawn('sleep', ['600']), supervisor.spawn('bash', ['-c', 'sleep 600 & sleep 600'])];
  await until(() => children.every(({ pid }) => pid !== undefined));
  const unstarted = make().spawn('sleep', ['600']);
  await supervisor.killAll();
  for (const child of children) expect(await child.result).toMatchObject({ signal: 'SIGTERM' });
  expect(carriers(supervisor.run)).toEqual([]);
  expect(await supervisor.spawn('echo', ['again']).result).toMatchObject({ stdout: 'again\n' });
  await supervisor.close();
  await expect(supervisor.spawn('true', []).result).rejects.toMatchObject({ code: 'processes_closed' });
  void unstarted.kill();
});

test('killAllNow ends every tree at once, background children that left their session included', async () => {
  const supervisor = make();
  await supervisor.spawn('bash', ['-c', '(setsid sleep 600 &); sleep 600 & exit 0']).result;
  const child = supervisor.spawn('bash', ['-c', "trap '' TERM; sleep 600"]);
  await until(() => carriers(supervisor.run).length === 3);
  supervisor.killAllNow();
  expect(await child.result).toMatchObject({ signal: 'SIGKILL' });
  expect(carriers(supervisor.run)).toEqual([]);
});

test('inside another kern the mark goes on from its mark', async () => {
  const outer = make();
  const inner = make({ ...process.env, KERN_RUN: `${outer.run}.1` });
  const child = inner.spawn('sleep', ['600']);
  await until(() => child.pid !== undefined);
  expect(carriers(outer.run)).toEqual([child.pid]);
  expect(make({ KERN_RUN: 'x y; rm' }).run).toMatch(/^[0-9a-f]{12}$/);
});

test('two supervisors are blind to each other', async () => {
  const [one, other] = [make(), make()];
  const child = other.spawn('sleep', ['600']);
  await until(() => child.pid !== undefined);
  await one.spawn('true', []).result;
  await one.killAll();
  expect(carriers(other.run)).toEqual([child.pid]);
});

test('when this process is killed with SIGKILL, nothing it started outlives it', async () => {
  const dir = folder();
  const program = join(dir, 'program.mjs');
  const supervisorFile = new URL('./supervisor.ts', import.meta.url).href;
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
     import { createSupervisor } from ${JSON.stringify(supervisorFile)};
     const supervisor = createSupervisor(process.env);
     await supervisor.spawn('bash', ['-c', '(setsid sleep 600 &); sleep 600 & exit 0'], { merge: true }).result;
     const started = supervisor.spawn('bash', ['-c', "trap '' TERM; env -i sleep 600 & echo up; sleep 600"], { onOutput: () => writeFileSync(${JSON.stringify(join(dir, 'up'))}, supervisor.run) });
     await started.result;`,
  );
  const outer = make();
  const child = outer.spawn(process.execPath, ['--conditions=kern-source', program], { keepBytes: 10_000 });
  await until(() => existsSync(join(dir, 'up')) && readFileSync(join(dir, 'up'), 'utf8') !== '');
  const run = readFileSync(join(dir, 'up'), 'utf8');
  const before = members(processTable(), { groups: new Set(), run, spare: new Set() });
  expect(before.length).toBeGreaterThanOrEqual(4);
  const guardian = processTable().find(
    ({ pid, parent }) => parent === child.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('kern-guardian'),
  )?.pid;
  expect(guardian).toBeDefined();
  process.kill(child.pid ?? 0, 'SIGKILL');
  await child.result;
  const alive = (): readonly number[] =>
    processTable().flatMap(({ pid, zombie }) => (!zombie && [...before, guardian].includes(pid) ? [pid] : []));
  await until(() => alive().length === 0);
});

test('the guardian and its folder of pipes go with the supervisor', async () => {
  const supervisor = make();
  await supervisor.spawn('true', [], { merge: true }).result;
  const guardians = (): number =>
    processTable().filter(
      ({ pid, parent, zombie }) =>
        !zombie && parent === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(supervisor.run),
    ).length;
  expect(guardians()).toBe(1);
  await supervisor.close();
  await until(() => guardians() === 0);
});
