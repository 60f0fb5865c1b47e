import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, openPlace, type Place, type Running } from './program.ts';

/** A turn that starts a child which would run for ten minutes, and says its number. */
const slow = JSON.stringify({
  version: 1,
  turns: [
    { calls: [{ name: 'bash', args: { command: 'sleep 600 & echo $! > sleeper; wait' } }] },
    { text: 'never said' },
  ],
});
const line = ['--model', 'script/slow.json', '--yolo', '--no-session'];

/** Starts a run and answers once its child is there. */
async function busy(place: Place, ...argv: string[]): Promise<{ running: Running; sleeper: number }> {
  const running = place.start([...argv, 'go', ...line]);
  const sleeper = Number(
    await Promise.race([place.appeared('sleeper'), running.ended.then(({ err }) => Promise.reject(new Error(err)))]),
  );
  return { running, sleeper };
}

test('Ctrl-C aborts the turn and ends with 130, and all children are gone', async () => {
  using place = openPlace({ 'slow.json': slow });
  const { running, sleeper } = await busy(place, '-p');
  running.child.kill('SIGINT');
  const { code, out } = await running.ended;
  expect({ code, out }).toEqual({ code: 130, out: '' });
  await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
});

test('a second Ctrl-C ends at once, and all children are gone', async () => {
  using place = openPlace({ 'slow.json': slow });
  const { running, sleeper } = await busy(place, '-p');
  running.child.kill('SIGINT');
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
});

test('SIGTERM ends with 143 and SIGHUP with 129, in json mode with a last line that says so', async () => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    using place = openPlace({ 'slow.json': slow });
    const { running, sleeper } = await busy(place, '--mode', 'json');
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'result',
      status: 'aborted',
      exitCode: code,
    });
    await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
  }
});

test('killed without warning, it leaves no child behind', async () => {
  using place = openPlace({ 'slow.json': slow });
  const { running, sleeper } = await busy(place, '-p');
  running.child.kill('SIGKILL');
  expect((await running.ended).code).toBe('SIGKILL');
  await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
});

test('a tool call ends with 130 on Ctrl-C too', async () => {
  using place = openPlace();
  const running = place.start([
    'tool',
    'call',
    'bash',
    JSON.stringify({ command: 'sleep 600 & echo $! > sleeper; wait' }),
  ]);
  const sleeper = Number(await place.appeared('sleeper'));
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
});

test('a reader that goes away ends it quietly', async () => {
  using place = openPlace();
  const running = place.start(['schema', 'config']);
  running.child.stdout?.destroy();
  const { code, err } = await running.ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

test('a stream that is cut ends with 1 and says what happened; in json mode the last line is the result', async () => {
  using place = openPlace({
    'cut.json': JSON.stringify({ version: 1, turns: [{ text: 'half of what', error: { disconnect: 'mid' } }] }),
  });
  const text = await place.run('-p', 'hi', '--model', 'script/cut.json');
  expect(text.code).toBe(1);
  expect(text.err).toContain('cut');
  const json = await place.run('--mode', 'json', 'hi', '--model', 'script/cut.json');
  expect(json.code).toBe(1);
  const lines = json.out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one));
  expect(lines[0]).toMatchObject({ type: 'session', version: 3 });
  expect(lines.at(-1)).toMatchObject({
    type: 'result',
    status: 'error',
    error: { code: 'model_disconnected' },
    exitCode: 1,
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'an output that cannot be written ends in a sentence and exit 1 (needs /dev/full)',
  async () => {
    using place = openPlace({ 'r.json': JSON.stringify({ version: 1, turns: [{ text: 'fine' }], repeat: 'last' }) });
    const sh = (said: string): Running['ended'] => place.shell(`${said} --model script/r.json`);
    for (const said of ['-p hi >/dev/full', '--mode json hi >/dev/full']) {
      const { code, err } = await sh(said);
      expect([code, err]).toEqual([1, expect.stringMatching(/^kern: the output cannot be written: there is no room/m)]);
    }
  },
  60_000,
);

test.skipIf(process.platform !== 'linux')(
  'in a folder that was removed, and with a home where nothing can be made, kern ends and says why (needs /proc)',
  async () => {
    using place = openPlace({ 'r.json': JSON.stringify({ version: 1, turns: [{ text: 'fine' }] }) });
    const removed = await place.shell('sessions --all', 'mkdir gone && cd gone && rmdir ../gone');
    expect(removed).toMatchObject({ code: 2, err: expect.stringContaining('is not there any more') });
    const nowhere = await place.start(['-p', 'hi', '--model', 'script/r.json'], { env: { KERN_HOME: '/proc/nope' } })
      .ended;
    expect(nowhere).toMatchObject({ code: 1, out: 'fine\n', err: expect.stringContaining('NOT saved') });
    rmSync(path.dirname(/copy of the whole session is in (.*?);/.exec(nowhere.err)?.[1] ?? place.home), {
      recursive: true,
    });
  },
  60_000,
);
