// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resultText, type shells, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

type Run = (command: string, more?: Record<string, unknown>, sessionId?: string) => Promise<ToolResult>;

async function shell(): Promise<{ t: ToolKernel; run: Run } & AsyncDisposable> {
  const t = await bootTools(['tools.bash']);
  return {
    t,
    run: (command, more = {}, sessionId = 's1') => t.callTool('bash', { command, ...more }, { sessionId }),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}
const cwdOf = (result: ToolResult): string => (result.details as shells.ShellDetails).cwd;

test('the folder and what is exported last to the next call, what is only set does not', async () => {
  await using s = await shell();
  mkdirSync(join(s.t.dir, 'sub dir'));
  const first = await s.run(`cd 'sub dir'; export A="a  'b'
c" B=1; C=2`);
  const sub = join(s.t.dir, 'sub dir');
  expect(resultText(first)).toBe(`(no output)\n\n[The shell is now in ${sub}]`);
  expect(cwdOf(first)).toBe(sub);
  const next = await s.run('pwd; echo "$A|$B|${C-none}|$OLDPWD"; cd - >/dev/null; unset B');
  expect(resultText(next)).toBe(`${sub}\na  'b'\nc|1|none|${s.t.dir}\n\n[The shell is now in ${s.t.dir}]`);
  expect(resultText(await s.run('echo "${B-none}"'))).toBe('none');
});

test('also when the command fails, exits, has a trap of its own, or shows what it does', async () => {
  await using s = await shell();
  for (const [index, end] of [
    'false',
    'exit 3',
    'set -e; false; true',
    "trap 'echo bye' EXIT",
    'set -ux',
    'set -C -f; IFS=x',
    'PATH=/nowhere',
    'exec 1>/dev/null 2>&1',
  ].entries()) {
    await s.run(`export N=${index}; ${end}`);
    expect([end, resultText(await s.run('echo "$N"'))]).toEqual([end, String(index)]);
    await s.run('export PATH=/usr/local/bin:/usr/bin:/bin');
  }
  expect(resultText(await s.run("set -x; trap 'echo bye' EXIT; exit 4"))).toBe(
    "++ trap 'echo bye' EXIT\n++ exit 4\n+ echo bye\nbye\n\nCommand exited with code 4",
  );
  expect(resultText(await s.run('set -x; echo a'))).toBe('++ echo a\na');
});

test('each session has a shell of its own', async () => {
  await using s = await shell();
  mkdirSync(join(s.t.dir, 'sub'));
  await s.run('cd sub; export A=1');
  expect(resultText(await s.run('pwd; echo "${A-none}"', {}, 's2'))).toBe(`${s.t.dir}\nnone`);
});

test('cwd and env of one call are of that call', async () => {
  await using s = await shell();
  mkdirSync(join(s.t.dir, 'sub/deep'), { recursive: true });
  const result = await s.run('cd deep; export KEPT="$ONCE"', { cwd: 'sub', env: { ONCE: 'once' } });
  expect(cwdOf(result)).toBe(join(s.t.dir, 'sub/deep'));
  expect(resultText(await s.run('pwd; echo "${ONCE-none} $KEPT"'))).toBe(`${s.t.dir}\nnone once`);
});

test('a folder that was deleted meanwhile is said, and the project is where the command runs', async () => {
  await using s = await shell();
  mkdirSync(join(s.t.dir, 'sub'));
  await s.run('cd sub');
  rmSync(join(s.t.dir, 'sub'), { recursive: true });
  const result = await s.run('pwd');
  expect(resultText(result)).toBe(
    `${s.t.dir}\n\n[The folder ${join(s.t.dir, 'sub')}, where the shell was, is gone: this ran in ${s.t.dir}.]`,
  );
  expect(resultText(await s.run('pwd'))).toBe(s.t.dir);
  expect(resultText(await s.run('mkdir gone; cd gone; rmdir ../gone'))).toContain('(no output)');
  expect(resultText(await s.run('pwd'))).toContain('is gone');
});

test('a session that breaks its environment can still be used', async () => {
  await using s = await shell();
  await s.run('export PATH=/nowhere SHELLOPTS BASH_ENV=/nowhere; set -n');
  expect(resultText(await s.run('echo here'))).toBe('here');
  const long = await s.run('export PATH=/usr/bin:/bin LONG=$(head -c 100000 /dev/zero | tr "\\0" x)');
  expect(resultText(long)).toContain('[Too long to be kept for the next command: LONG]');
  expect(resultText(await s.run('echo "${LONG-none}"'))).toBe('none');
});

test('no state is left behind in the folder for temporary files, and nobody else can read it meanwhile', async () => {
  let folder = '';
  {
    await using s = await shell();
    const said = resultText(await s.run('dirname "$__kern_state"; stat -c %a "$(dirname "$__kern_state")"'));
    const [first = '', mode] = said.split('\n');
    folder = first;
    expect([dirname(folder), mode]).toEqual([tmpdir(), '700']);
    expect(readdirSync(folder)).toEqual([]);
    await s.run('export LATER=1; rm -r "$(dirname "$__kern_state")"');
    expect(resultText(await s.run('export LATER=2; dirname "$__kern_state"'))).not.toBe(folder);
    folder = resultText(await s.run('echo "$LATER" > ran; dirname "$__kern_state"'));
    expect(readFileSync(join(s.t.dir, 'ran'), 'utf8')).toBe('2\n');
    expect(readdirSync(folder)).toEqual([]);
  }
  expect(existsSync(folder)).toBe(false);
});

test('a command aborted in its first part never runs the second, whatever its shell would write down', async () => {
  await using s = await shell();
  const abort = new AbortController();
  const result = await s.t.callTool(
    'bash',
    { command: 'echo up; sleep 600; touch after' },
    { signal: abort.signal, onUpdate: () => abort.abort() },
  );
  expect(resultText(result)).toContain('Command aborted');
  expect(existsSync(join(s.t.dir, 'after'))).toBe(false);
});

test('text of a command is never part of the script around it', async () => {
  await using s = await shell();
  const strange = `echo '"; exit 9; "' "$# $0" '$(touch no)' \\\`; cat <<'X'
\${y} \`z\`
X`;
  expect(resultText(await s.run(strange))).toBe(`"; exit 9; " 0 bash $(touch no) \`\n\${y} \`z\``);
  expect(resultText(await s.run('echo "unfinished'))).toMatch(/unexpected EOF.*\n\nCommand exited with code \d+$/s);
  expect(resultText(await s.run('no-such-program'))).toContain('bash: line 1: no-such-program: command not found');
});

test('another shell keeps its state as well', async () => {
  await using t = await bootTools(['tools.bash'], [], {
    config: { 'tools.bash': { shellPath: '/bin/sh' } },
  });
  mkdirSync(join(t.dir, 'sub'));
  await t.callTool('bash', { command: 'cd sub; export A="1 2"' });
  expect(resultText(await t.callTool('bash', { command: 'pwd; echo "$A" "${BASH_VERSION-sh}"; exit 3' }))).toContain(
    `${join(t.dir, 'sub')}\n1 2`,
  );
});
