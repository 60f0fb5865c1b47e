import { expect, test, vi } from 'vitest';
import { isAlive, openPlace } from './program.ts';

vi.setConfig({ testTimeout: 120_000 });

const script = (...turns: readonly object[]): string => JSON.stringify({ version: 1, turns, repeat: 'last' });
const line = ['--model', 'script/s.json', '--yolo', '--no-session'];

test('a limit of turns ends a run that would go on for ever: exit 1, and the last line says why', async () => {
  using place = openPlace({ 's.json': script({ text: 'again', calls: [{ name: 'ls', args: {} }] }) });
  const { code, out } = await place.run('--mode', 'json', '--max-turns', '3', 'go', ...line);
  const lines = out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as { type: string });
  expect(lines.filter(({ type }) => type === 'turn_end')).toHaveLength(3);
  expect(lines.at(-1)).toMatchObject({
    type: 'result',
    status: 'limit',
    turns: 3,
    error: { code: 'turn_limit', message: 'stopped: the limit of 3 turns is used up' },
    exitCode: 1,
  });
  expect(code).toBe(1);
});

test('a limit of time ends a command that runs, with its children: exit 124', async () => {
  using place = openPlace({
    's.json': script({ calls: [{ name: 'bash', args: { command: 'sleep 600 & echo $! > sleeper; wait' } }] }),
  });
  const running = place.start(['-p', '--max-time', '5s', 'go', ...line]);
  const sleeper = Number(
    await Promise.race([place.appeared('sleeper'), running.ended.then(({ err }) => Promise.reject(new Error(err)))]),
  );
  const { code, out, err } = await running.ended;
  expect({ code, out }).toEqual({ code: 124, out: '' });
  expect(err).toContain('kern: stopped: the limit of 5 s is used up');
  await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
});

test('what is no limit is a mistake in the line: exit 2', async () => {
  using place = openPlace({ 's.json': script({ text: 'never' }) });
  const { code, err } = await place.run('-p', '--max-time', 'soon', 'go', ...line);
  expect(code).toBe(2);
  expect(err).toContain('--max-time takes a time, such as 90s, 5m or 1h30m, not "soon"');
});
