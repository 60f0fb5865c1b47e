import type { SpawnResult } from 'kern/plugin';
import { expect, test } from 'vitest';
import { endsOwnTree } from './own-tree.ts';

const asked: string[][] = [];
const spawn = (command: string, args: readonly string[]): { result: Promise<SpawnResult> } => {
  asked.push([command, ...args]);
  const hit = args.includes('kern') || args.includes('node');
  return { result: Promise.resolve({ exitCode: hit ? 0 : 1, stdout: hit ? '7\n42\n' : '' } as SpawnResult) };
};
const judged = (command: string): Promise<string | undefined> => endsOwnTree(command, spawn, [42, 41]);

test.each([
  'pkill -f kern',
  'pkill -9 -f "kern"',
  'echo a; pkill --signal KILL node',
  'sudo pkill node',
  'killall -9 node',
  'ls && killall node',
  'kill 42',
  'kill -9 7 41',
  'kill -s TERM 42',
  'kill -9 -1',
  'kill -- -42',
])('%s is not run', async (command) => {
  expect(await judged(command)).toMatch(/would end kern itself/);
});

test.each([
  'pkill -f server',
  'kill 7',
  'kill -42 7',
  'kill $pid',
  'kill %1',
  'echo pkill',
  'skill 42',
  'grep kill 42',
])('%s is run', async (command) => {
  expect(await judged(command)).toBeUndefined();
});

test('whom the words would hit is asked with the same words, but for the signal', async () => {
  asked.length = 0;
  await judged("pkill -9 -f -u root 'my server'; pkill -s KILL -x a; killall b");
  expect(asked).toEqual([
    ['pgrep', '-f', '-u', 'root', 'my server'],
    ['pgrep', '-x', 'a'],
    ['pgrep', '-x', 'b'],
  ]);
});
