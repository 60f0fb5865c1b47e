import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultText } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

const home = ownHome();
const startFile = (text: string): void => writeFileSync(join(home, '.bashrc'), text);
/** The first call may be quicker than the start file. */
async function eventually(t: ToolKernel, command: string, expected: string): Promise<void> {
  let text = '';
  for (let round = 0; round < 100 && text !== expected; round += 1) {
    text = resultText(await t.callTool('bash', { command }));
    await sleep(20);
  }
  expect(text).toBe(expected);
}

test("the user's functions and aliases are there, with all that is strange in them", async () => {
  startFile(`greet() { echo "hello '$1'"; }
_completion() { echo never; }
alias shout='echo LOUD'
alias rm='rm -i'
echo noise; echo more >&2`);
  await using t = await bootTools(['tools.bash']);
  await eventually(
    t,
    'greet you; shout; type -t _completion || echo no; alias rm 2>/dev/null || echo plain',
    "hello 'you'\nLOUD\nno\nplain",
  );
});

test('a start file that hangs, fails or never ends its line holds no command', async () => {
  for (const text of ['sleep 600', 'exit 1', 'if then "', 'while :; do :; done']) {
    startFile(text);
    await using t = await bootTools(['tools.bash']);
    expect(resultText(await t.callTool('bash', { command: 'echo here' }))).toBe('here');
  }
});

test('the setting snapshot: false asks nobody', async () => {
  const ran = join(home, 'ran');
  startFile(`touch ${ran}`);
  await using t = await bootTools(['tools.bash'], [], { config: { 'tools.bash': { snapshot: false } } });
  await t.callTool('bash', { command: 'true' });
  await sleep(200);
  expect(existsSync(ran)).toBe(false);
});

test('a prefix runs before every command, a shell may be named', async () => {
  startFile('');
  const shell = join(home, 'myshell');
  writeFileSync(shell, '#!/bin/sh\nNAMED=yes; export NAMED\nexec /bin/bash "$@"\n');
  chmodSync(shell, 0o755);
  onTestFinished(() => startFile(''));
  const config = { 'tools.bash': { shellPath: shell, shellCommandPrefix: 'p() { echo "$1 $NAMED"; }' } };
  await using t = await bootTools(['tools.bash'], [], { config });
  expect(resultText(await t.callTool('bash', { command: 'p prefix' }))).toBe('prefix yes');
});
