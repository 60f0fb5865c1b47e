import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';
import { ownHome } from './test/home.ts';

ownHome();

const isHere = await import('@lydell/node-pty').then(
  () => true,
  () => false,
);

test.skipIf(!isHere)('with pty the command has a terminal, and its folder lasts [@lydell/node-pty]', async () => {
  await using t = await bootTools(['tools.bash']);
  const command = 'mkdir sub; cd sub; [ -t 0 ] && [ -t 1 ] && printf "\\033[31mred\\033[0m\\n10 %%\\r20 %%\\n"; exit 3';
  const result = await t.callTool('bash', { command, pty: true });
  expect(resultText(result)).toBe(`red\n20 %\n\n[The shell is now in ${t.dir}/sub]\n\nCommand exited with code 3`);
  expect(resultText(await t.callTool('bash', { command: '[ -t 0 ] || [ -t 1 ] || pwd' }))).toBe(`${t.dir}/sub`);
});

test.skipIf(!isHere)('what waits for a key in a terminal is ended, and that is said [@lydell/node-pty]', async () => {
  await using t = await bootTools(['tools.bash']);
  const result = await t.callTool('bash', { command: 'read -p "Name: " name; echo "got $name"', pty: true });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toMatch(/^Name:\n\nCommand was ended: it waited for input from the terminal/);
});

test.skipIf(!isHere)('a pager does not wait for a key [@lydell/node-pty]', async () => {
  await using t = await bootTools(['tools.bash']);
  expect(resultText(await t.callTool('bash', { command: 'seq 1 200 | $PAGER | wc -l', pty: true }))).toBe('200');
});
