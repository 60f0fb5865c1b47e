import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultText, type ToolResult, toolFaces } from 'kern/contracts';
import { processes, type SessionHandle } from 'kern/plugin';
import { expect, test } from 'vitest';
import { ownHome } from '../bash/test/home.ts';
import { bootTools, type ToolKernel } from '../test/kernel.ts';

ownHome();

const boot = (): Promise<ToolKernel> => bootTools(['tools.bash', 'tools.jobs']);
const idOf = (result: ToolResult): string => (result.details as { jobId: string }).jobId;
const start = (t: ToolKernel, command: string, more = {}): Promise<ToolResult> =>
  t.callTool('bash', { command, background: true, ...more });
const ask = async (t: ToolKernel, action: string, job?: string, more = {}): Promise<string> =>
  resultText(await t.callTool('jobs', { action, job, ...more }));

/** What a job says, once it has said that. */
async function readUntil(t: ToolKernel, job: string, words: string): Promise<string> {
  let seen = '';
  for (let round = 0; round < 500 && !seen.includes(words); round += 1) {
    await sleep(10);
    seen = await ask(t, 'read', job);
  }
  return seen;
}

test('a command in the background is started, listed, read piece by piece, waited for, and its output kept', async () => {
  await using t = await boot();
  const started = await start(t, 'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3');
  expect(started.isError).toBeUndefined();
  const job = idOf(started);
  expect(resultText(started)).toContain(`Started in the background as job ${job}.`);
  const seen = await readUntil(t, job, 'one');
  expect(seen).toMatch(/^one\n\nj1: running for \d+ s$/);
  expect(await ask(t, 'read', job)).toMatch(/^\(no new output\)\n\nj1: running/);
  expect(await ask(t, 'list')).toMatch(/^j1: running for \d+ s {2}echo one; while/);
  writeFileSync(join(t.dir, 'go'), '');
  expect(await ask(t, 'wait', job)).toMatch(/^two\n\nj1: ended after \d+ s: Command exited with code 3$/);
  const file = /artifact:\/\/1 = (\S+)/.exec(resultText(started))?.[1] ?? '';
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

test('waiting has an end of its own', async () => {
  await using t = await boot();
  const job = idOf(await start(t, 'sleep 600'));
  expect(await ask(t, 'wait', job, { timeout: 1 })).toMatch(/running for/);
});

test('killing ends the whole tree', async () => {
  await using t = await boot();
  const job = idOf(await start(t, '(setsid sleep 600 &); echo up; sleep 600'));
  await readUntil(t, job, 'up');
  expect(await ask(t, 'kill', job)).toMatch(/ended after \d+ s: Command was ended by SIGTERM\.$/);
  expect(t.view.service(processes).list()).toEqual([]);
});

test('an abort of the turn does not end what runs in the background; the end of kern does', async () => {
  const t = await boot();
  const abort = new AbortController();
  const beat = join(t.dir, 'beat');
  await t.callTool(
    'bash',
    { command: 'while :; do echo beat >> beat; sleep 0.01; done', background: true },
    { signal: abort.signal },
  );
  while (!existsSync(beat)) await sleep(10);
  abort.abort();
  const first = readFileSync(beat, 'utf8').length;
  while (readFileSync(beat, 'utf8').length === first) await sleep(10);
  await t.kernel.shutdown();
  const last = readFileSync(beat, 'utf8').length;
  await sleep(200);
  expect(readFileSync(beat, 'utf8').length).toBe(last);
  await t[Symbol.asyncDispose]();
});

test('it has the folder and the variables of the session, and a time limit only when one is asked for', async () => {
  await using t = await boot();
  await t.callTool('bash', { command: 'mkdir sub; cd sub; export A=1' });
  expect(await ask(t, 'wait', idOf(await start(t, 'pwd; echo $A; cd /')))).toContain(`${t.dir}/sub\n1\n`);
  expect(resultText(await t.callTool('bash', { command: 'pwd' }))).toBe(`${t.dir}/sub`);
  expect(await ask(t, 'wait', idOf(await start(t, 'sleep 600', { timeout: 1 })))).toContain('timed out');
});

test('a job that is not there is told with those that are; one of another session is not there', async () => {
  await using t = await boot();
  expect(await ask(t, 'read', 'j9')).toBe('There is no job "j9". There are none.');
  await start(t, 'sleep 600');
  expect(await ask(t, 'kill')).toBe('job: which one is missing. There are: j1.');
  expect(resultText(await t.callTool('jobs', { action: 'list' }, { sessionId: 's2' }))).toBe(
    'No commands run in the background.',
  );
});

test('the model sees the tool jobs once there is a job', async () => {
  await using t = await boot();
  const names = (): readonly string[] => toolFaces(t.view).map(({ name }) => name);
  expect(names()).toEqual(['bash']);
  await start(t, 'true');
  expect(names()).toContain('jobs');
});

test('the end is told once to who does not know it: at work between two calls, else with the next prompt', async () => {
  await using t = await boot();
  const told: unknown[] = [];
  let isIdle = false;
  // What the tool uses of a session.
  t.view.session = {
    id: 's1',
    file: undefined,
    isIdle: () => isIdle,
    sendMessage: (text: string, options?: { as?: string }) => void told.push([text, options?.as]),
  } as unknown as SessionHandle;
  const until = async (count: number): Promise<void> => {
    while (told.length < count) await sleep(10);
  };
  const inside = <T>(fn: () => Promise<T>): Promise<T> => t.view.enter(fn);
  await inside(() => start(t, 'printf "\\033[31ma\\033[0m\\nb\\n"; exit 2'));
  await until(1);
  expect(told[0]).toEqual([
    expect.stringMatching(
      /^\[Job j1 \(printf .*\) ended after [\d.]+ s: Command exited with code 2\]\nNew output:\na\nb$/,
    ),
    'steer',
  ]);
  isIdle = true;
  await inside(() => start(t, 'seq 1 5000'));
  await until(2);
  expect(told[1]).toEqual([
    expect.stringMatching(/exit code 0\]\nThe end of its new output:\n4991\n.*\n5000$/s),
    'nextTurn',
  ]);
  const killed = idOf(await inside(() => start(t, 'sleep 600')));
  await ask(t, 'kill', killed);
  const waited = idOf(await inside(() => start(t, 'sleep 0.2')));
  await ask(t, 'wait', waited);
  await sleep(50);
  expect(told).toHaveLength(2);
});
