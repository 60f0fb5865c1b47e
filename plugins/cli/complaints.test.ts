import { expect, test } from 'vitest';
import { complaintLine } from './api.ts';
import { openDesk } from './test/line.ts';

const files = {
  'bad.js': `export default { id: 'bad', setup: (ctx) => {
    ctx.tap({ token: 'hook', id: 'tool.result', kind: 'transform' }, () => { throw new Error('tap \\u001b[2Jbroke'); });
    ctx.tap({ token: 'hook', id: 'turn.start', kind: 'event' }, () => { ctx.timeout(() => { throw new Error('timer broke'); }, 0); });
    ctx.defer(() => { throw new Error('undoing broke'); });
  } };`,
  'a.txt': 'A\n',
  's.json': JSON.stringify({
    version: 1,
    turns: [
      { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
      { calls: [{ name: 'bash', args: { command: 'sleep 0.2' } }] },
      { text: 'done' },
    ],
  }),
};
const line = ['go', '--model', 'script/s.json', '--no-session', '--yolo', '-e', 'bad.js'];
const count = (text: string, part: string): number => text.split(part).length - 1;

test('a plugin that fails during a run is told on stderr, each fault once', async () => {
  await using desk = await openDesk(files);
  const { code, out, err } = await desk.kern('-p', ...line);
  expect({ code, out }, err).toEqual({ code: 0, out: 'done\n' });
  for (const fault of ['timer broke', 'tap \\u{1b}[2Jbroke', 'undoing broke']) expect(count(err, fault), err).toBe(1);
  expect(err).toContain('kern: plugin bad failed in tool.result');
}, 30_000);

test('in json mode the faults are events before the result', async () => {
  await using desk = await openDesk(files);
  const { out } = await desk.kern('--mode', 'json', ...line);
  const events = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { type: string; event?: string });
  expect(events).toContainEqual({
    type: 'extension_error',
    extensionPath: 'bad',
    event: 'tap_failed',
    error: expect.stringContaining('broke'),
  });
  expect(events.filter(({ type, event }) => type === 'extension_error' && event === 'stray_error')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'result', status: 'ok' });
}, 30_000);

test('a tool call tells what failed during it on stderr', async () => {
  await using desk = await openDesk(files);
  const { code, out, err } = await desk.kern('tool', 'call', 'read', '{"path":"a.txt"}', '-e', 'bad.js');
  expect({ code, out }, err).toEqual({ code: 0, out: 'A\n' });
  expect(err).toContain('kern: plugin bad failed in tool.result: ');
}, 30_000);

test('a tool list and a tool call tell what did not load, and that the hooks of a module do not hold', async () => {
  await using desk = await openDesk({ 'a.txt': 'A\n', '../home/hooks/guard.ts': 'export default {{{' });
  for (const asked of [
    ['tool', 'list'],
    ['tool', 'call', 'read', '{"path":"a.txt"}'],
  ]) {
    const { code, err } = await desk.kern(...asked);
    expect(code, err).toBe(0);
    expect(err).toMatch(/^kern: .*hooks\/guard\.ts:1 cannot be parsed: .*\n {2}its hooks do not hold in this run/);
  }
  expect((await desk.kern('plugins')).err).toBe('');
}, 30_000);

test('a line names its plugin once', () => {
  const about = { severity: 'warning', code: 'log' } as const;
  expect(complaintLine({ ...about, plugin: 'a', message: 'n\no' })).toBe('kern: a: n\n  o');
  expect(complaintLine({ ...about, plugin: 'weather', message: 'plugin weather broke' })).toBe(
    'kern: plugin weather broke',
  );
});
