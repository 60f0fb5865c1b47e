import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { carriers, makeSupervisor } from './test/make.ts';

const isHere = await import('@lydell/node-pty').then(
  () => true,
  () => false,
);
const terminal = { columns: 80, rows: 24 };

test.skipIf(!isHere)(
  'in a terminal all three streams are one, of the size that was asked for [@lydell/node-pty]',
  async () => {
    const script = '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size; echo err >&2; exit 4';
    expect(await makeSupervisor().spawn('bash', ['-c', script], { terminal }).result).toMatchObject({
      exitCode: 4,
      signal: undefined,
      stdout: '24 80\r\nerr\r\n',
      stderr: '',
    });
  },
);

test.skipIf(!isHere)(
  'an abort ends the whole tree of a terminal, what left it included [@lydell/node-pty]',
  async () => {
    const supervisor = makeSupervisor();
    const abort = new AbortController();
    const script = "trap '' HUP TERM; (setsid sleep 600 &); sleep 600 & echo up; sleep 600; sleep 600";
    const child = supervisor.spawn('bash', ['-c', script], {
      terminal,
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(await child.result).toMatchObject({ aborted: true });
    expect(carriers(supervisor.run)).toEqual([]);
  },
);

test.skipIf(!isHere)(
  'who reads from the terminal is told of, once; who only sleeps is not [@lydell/node-pty]',
  async () => {
    const supervisor = makeSupervisor();
    const told: string[] = [];
    const run = (script: string) =>
      supervisor.spawn('bash', ['-c', script], { terminal: { ...terminal, onWaiting: () => void told.push(script) } });
    const [asks, sleeps] = [run('read -p "Name: " name; echo "$name"'), run('sleep 600')];
    while (told.length === 0) await sleep(50);
    await sleep(600);
    expect(told).toEqual(['read -p "Name: " name; echo "$name"']);
    await Promise.all([asks.kill(0), sleeps.kill(0)]);
    expect((await asks.result).stdout).toBe('Name: ');
  },
);
