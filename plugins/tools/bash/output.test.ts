import { readFileSync } from 'node:fs';
import { resultText, type shells, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at).join('\n');
const artifact = (result: ToolResult): string =>
  readFileSync(/artifact:\/\/\d+ = ([^\]]+)\]/.exec(resultText(result))?.[1] ?? '', 'utf8');
const detailsOf = (result: ToolResult): shells.ShellDetails => result.details as shells.ShellDetails;

test('head and tail say how many lines are shown, and the whole is kept', async () => {
  await using t = await bootTools(['tools.bash']);
  const head = await t.callTool('bash', { command: 'seq 1 20; exit 3', head: 5 });
  expect(resultText(head)).toMatch(
    /^1\n2\n3\n4\n5\n\n\[Showing lines 1-5 of 20\. Whole output: .*\]\n\nCommand exited with code 3$/,
  );
  expect(artifact(head)).toBe(`${numbers(1, 20)}\n`);
  expect(detailsOf(head)).toMatchObject({ exitCode: 3, truncated: true });
  const tail = await t.callTool('bash', { command: 'seq 1 20', tail: 2 });
  expect(resultText(tail)).toMatch(/^19\n20\n\n\[Showing lines 19-20 of 20\. Whole output: /);
  const both = await t.callTool('bash', { command: 'seq 1 9999', head: 2, tail: 2 });
  expect(resultText(both)).toMatch(
    /^1\n2\n\[… 9995 lines …\]\n9998\n9999\n\n\[Showing lines 1-2 and 9998-9999 of 9999\. Whole output: /,
  );
  expect(artifact(both)).toBe(`${numbers(1, 9999)}\n`);
});

test('what is short enough is shown as it is', async () => {
  await using t = await bootTools(['tools.bash']);
  for (const more of [{ head: 3 }, { tail: 3 }, { head: 2, tail: 1 }, { head: 9, tail: 9 }]) {
    const result = await t.callTool('bash', { command: 'seq 1 3', ...more });
    expect(resultText(result)).toBe('1\n2\n3');
    expect(detailsOf(result).truncated).toBe(false);
  }
});

test('of head and tail the limit of bytes is kept, and lines of any length do no harm', async () => {
  await using t = await bootTools(['tools.bash']);
  const command = 'for i in 1 2 3; do head -c 200000 /dev/zero | tr "\\0" x; echo; done';
  for (const more of [{ head: 2 }, { tail: 2 }, { head: 1, tail: 1 }]) {
    const result = await t.callTool('bash', { command, ...more });
    expect(resultText(result).length).toBeLessThan(103_000);
    expect(artifact(result)).toHaveLength(600_003);
    expect(detailsOf(result).truncated).toBe(true);
  }
});

test('a last `| head` or `| tail` keeps the exit code and the whole output', async () => {
  await using t = await bootTools(['tools.bash']);
  const tail = await t.callTool('bash', { command: 'bash -c "seq 1 100; exit 7" 2>&1 | tail -2' });
  expect(resultText(tail)).toMatch(/^99\n100\n\n\[Showing lines 99-100 of 100\..*\]\n\nCommand exited with code 7$/);
  expect(artifact(tail)).toBe(`${numbers(1, 100)}\n`);
  const head = await t.callTool('bash', { command: 'yes | head -3' });
  expect(head.isError).toBeUndefined();
  expect(resultText(head)).toMatch(/^y\ny\ny\n\n\[Showing lines 1-3 of \d+\..*\]\n\n\[The command had more to print/);
  expect(detailsOf(head).signal).toBeUndefined();
  // 1 MB behind the lines that were wanted, and what came in one piece with them.
  expect(artifact(head).length).toBeLessThanOrEqual(1024 * 1024 + 256 * 1024);
});

test('the setting normalize leaves pipes as they are', async () => {
  const config = { 'tools.bash': { normalize: false } };
  await using t = await bootTools(['tools.bash'], [], { config });
  expect(resultText(await t.callTool('bash', { command: 'bash -c "seq 1 100; exit 7" | tail -2' }))).toBe('99\n100');
});

test('past 10 MB nobody is told of every piece any more; the end is shown all the same', async () => {
  await using t = await bootTools(['tools.bash']);
  const updates: string[] = [];
  const result = await t.callTool(
    'bash',
    {
      command:
        'head -c 11000000 /dev/zero | tr "\\0" "\\n"; sleep 0.3; for i in $(seq 50); do echo "late $i"; sleep 0.02; done',
    },
    { onUpdate: (partial) => updates.push(resultText(partial)) },
  );
  expect(resultText(result)).toContain('late 50\n\n[Showing');
  expect(updates.some((text) => text.includes('late'))).toBe(false);
  expect(updates.at(-1)).toContain('[over 10 MB: the rest goes to the artifact alone]');
});

test('a command that asked for input is told that nobody is there', async () => {
  await using t = await bootTools(['tools.bash']);
  expect(resultText(await t.callTool('bash', { command: 'printf "Continue? [y/N] "; read -r answer' }))).toMatch(
    /Command exited with code 1\n\nIt seems to have asked for input; stdin is empty here\./,
  );
  for (const command of ['read line < /dev/tty', '(echo x >/dev/tty)']) {
    const told = resultText(await t.callTool('bash', { command }));
    expect(told).toMatch(/Command exited with code 1\n\nIt opened the terminal, \/dev\/tty, and there is none here\./);
    expect(told).not.toContain('asked for input');
  }
});

test('limits of the supervisor are told with their setting', { timeout: 30_000 }, async () => {
  const config = { processes: { processes: 20 } };
  await using t = await bootTools(['tools.bash'], [], { config });
  const result = await t.callTool('bash', { command: 'for i in {1..40}; do sleep 600 & done; wait' });
  expect(resultText(result)).toContain('Command had more processes at a time than it may, and all of them were ended.');
});
