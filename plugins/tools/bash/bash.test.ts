import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultText, type shells, type ToolResult } from 'kern/contracts';
import { processes } from 'kern/plugin';
import { expect, test } from 'vitest';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

const boot = (): Promise<ToolKernel> => bootTools(['tools.bash']);
const detailsOf = (result: ToolResult): shells.ShellDetails => result.details as shells.ShellDetails;

test('output, in the order it was written, and nothing more when all went well', async () => {
  await using t = await boot();
  const result = await t.callTool('bash', { command: 'for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done' });
  expect(result.isError).toBeUndefined();
  expect(resultText(result)).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3');
  expect(result.details).toEqual({ exitCode: 0, cwd: t.dir, truncated: false });
});

test.each([
  ['exit 3', 'text\n\nCommand exited with code 3', { exitCode: 3 }],
  ['kill -9 $$', 'text\n\nCommand was ended by SIGKILL.', { signal: 'SIGKILL' }],
  ['bash -c "kill -TERM \\$\\$"; exit $?', 'text\nTerminated\n\nCommand exited with code 143', { exitCode: 143 }],
])('%s is told truly', async (command, text, details) => {
  await using t = await boot();
  const result = await t.callTool('bash', { command: `echo text; ${command}` });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe(text);
  expect(result.details).toEqual({ ...details, cwd: t.dir, truncated: false });
});

test('no output is said', async () => {
  await using t = await boot();
  expect(resultText(await t.callTool('bash', { command: 'true' }))).toBe('(no output)');
  expect(resultText(await t.callTool('bash', { command: 'false' }))).toBe('(no output)\n\nCommand exited with code 1');
});

test('cwd and env are taken; what they cannot be is said before anything runs', async () => {
  await using t = await boot();
  mkdirSync(join(t.dir, 'sub'));
  writeFileSync(join(t.dir, 'file'), '');
  const result = await t.callTool('bash', {
    command: 'pwd; echo "$GREETING"',
    cwd: 'sub',
    env: { GREETING: 'a  "b"' },
  });
  expect(resultText(result)).toBe(`${join(t.dir, 'sub')}\na  "b"`);
  expect(detailsOf(result).cwd).toBe(join(t.dir, 'sub'));
  for (const [args, why] of [
    [{ cwd: 'subb' }, `The working directory subb is not there. Did you mean ${join(t.dir, 'sub')}?`],
    [{ cwd: 'file' }, 'is not a folder'],
    [{ env: { 'A-B': 'x' } }, '"A-B" is no name of a variable'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: 3601 }, 'timeout'],
  ] as const) {
    const refused = await t.callTool('bash', { command: 'touch ran', ...args });
    expect(refused.isError).toBe(true);
    expect(resultText(refused)).toContain(why);
  }
  expect(existsSync(join(t.dir, 'ran'))).toBe(false);
});

test('stdin is empty: a command that reads it goes on', async () => {
  await using t = await boot();
  expect(resultText(await t.callTool('bash', { command: 'cat; read line || echo "nothing to read"' }))).toBe(
    'nothing to read',
  );
});

test('keys of providers are not in its environment', async () => {
  process.env.ANTHROPIC_API_KEY = 'canary';
  try {
    await using t = await boot();
    expect(resultText(await t.callTool('bash', { command: 'env | grep canary' }))).toBe(
      '(no output)\n\nCommand exited with code 1',
    );
  } finally {
    delete process.env.ANTHROPIC_API_KEY;
  }
});

test('of a long output the end is shown, and the whole is in a file that only we can read', async () => {
  await using t = await boot();
  const result = await t.callTool('bash', { command: 'seq 1 5000; exit 1' });
  const artifacts = readdirSync(join(t.dir, 'cache')).map((name) => join(t.dir, 'cache', name));
  const file = join(artifacts[0] ?? '', '1.bash.log');
  const shown = Array.from({ length: 2000 }, (_, at) => 3001 + at).join('\n');
  expect(resultText(result)).toBe(
    `${shown}\n\n[Showing lines 3001-5000 of 5000. Whole output: artifact://1 = ${file}]\n\nCommand exited with code 1`,
  );
  expect(result.details).toEqual({ exitCode: 1, cwd: t.dir, truncated: true, artifactId: '1' });
  expect(readFileSync(file, 'utf8')).toBe(`${Array.from({ length: 5000 }, (_, at) => at + 1).join('\n')}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(artifacts[0] ?? '').mode & 0o777).toBe(0o700);
  expect(detailsOf(await t.callTool('bash', { command: 'seq 1 5000' })).artifactId).toBe('2');
});

test('50 KB are the most, of whole lines', async () => {
  await using t = await boot();
  const result = await t.callTool('bash', {
    command: 'for i in $(seq 1000 1099); do printf "%s" "$i"; head -c 1019 /dev/zero | tr "\\0" x; echo; done',
  });
  const [text, notice] = resultText(result).split('\n\n');
  expect(text?.split('\n')).toHaveLength(50);
  expect(text?.startsWith('1050x')).toBe(true);
  expect(notice).toMatch(/^\[Showing lines 51-100 of 100 \(50 KB limit\)\. Whole output: .*\]$/);
});

test('of a single long line the end is shown', async () => {
  await using t = await boot();
  const result = await t.callTool('bash', { command: 'head -c 3000000 /dev/zero | tr "\\0" x; echo end' });
  expect(resultText(result)).toMatch(
    /^x{51197}end\n\n\[Showing the end of line 1, which is over 50 KB; the output has 2\.9 MB\. Whole output: .*\]$/,
  );
});

test('characters split over pieces of output are whole, and what is no text does no harm', async () => {
  await using t = await boot();
  const command =
    "printf '\\xe2'; sleep 0.05; printf '\\x82\\xac\\n'; printf '\\x1b[2J\\x1b]0;title\\x07\\xff\\x00end'";
  expect(resultText(await t.callTool('bash', { command }))).toBe('€\n\ufffdend');
});

test('a command in the background does not hold the call, goes on, and ends with kern', async () => {
  await using t = await boot();
  const beat = join(t.dir, 'beat');
  const command = '(while :; do echo beat >> beat; sleep 0.01; done) & echo started';
  expect(resultText(await t.callTool('bash', { command }))).toBe('started');
  expect(t.view.service(processes).list()).toMatchObject([{ label: command, owner: 'tools.bash' }]);
  const beats = (): number => statSync(beat).size;
  const first = beats();
  while (beats() === first) await sleep(10);
  await t.kernel.shutdown();
  const last = beats();
  await sleep(200);
  expect(beats()).toBe(last);
});

test('a timeout ends all of it and says what to do', async () => {
  await using t = await boot();
  const result = await t.callTool('bash', { command: 'echo before; sleep 1000 & sleep 1000; touch after', timeout: 1 });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toMatch(/^before\n\nCommand timed out after 1 s; all it had started was ended\./);
  expect(t.view.service(processes).list()).toEqual([]);
  expect(existsSync(join(t.dir, 'after'))).toBe(false);
});

test('an abort ends all of it; what was printed until then is there', async () => {
  await using t = await boot();
  const abort = new AbortController();
  const result = await t.callTool(
    'bash',
    { command: 'echo before; sleep 1000; touch after' },
    { signal: abort.signal, onUpdate: () => abort.abort() },
  );
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe('before\n\nCommand aborted; all it had started was ended.');
  await sleep(50);
  expect(existsSync(join(t.dir, 'after'))).toBe(false);
});

test('while it runs the last lines are told now and then, not for every piece', async () => {
  await using t = await boot();
  const updates: string[] = [];
  await t.callTool(
    'bash',
    { command: 'for i in $(seq 300); do echo "$i"; sleep 0.002; done' },
    { onUpdate: (partial) => updates.push(resultText(partial)) },
  );
  expect(updates.length).toBeGreaterThan(0);
  expect(updates.length).toBeLessThan(100);
  expect(updates.every((text) => text.startsWith('1'))).toBe(true);
});

test('a quiet command sends no updates', async () => {
  await using t = await boot();
  const updates: unknown[] = [];
  await t.callTool('bash', { command: 'sleep 0.3' }, { onUpdate: (partial) => updates.push(partial) });
  expect(updates).toEqual([]);
});

test('variables that a call sets are part of what is judged', async () => {
  await using t = await boot();
  const prepared = await t.prepare('bash', { command: 'git status', env: { PATH: "./it's", A: '' } });
  expect(prepared).toMatchObject({ effects: [{ command: "PATH='./it'\\''s' A='' git status" }] });
});

test('its effect is a run in the real folder', async () => {
  await using t = await boot();
  const prepared = await t.prepare('bash', { command: 'ls', cwd: '.' });
  expect(prepared).toMatchObject({
    state: 'ready',
    effects: [{ kind: 'run', command: 'ls', cwd: t.dir, shell: 'bash' }],
  });
});
