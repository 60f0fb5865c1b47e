import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PluginReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';
import { costLines } from './cost.ts';

const extension = `import { agentEnd, systemPrompt, tools } from 'kern/contracts';
export default { id: 'dear', setup(ctx) {
  ctx.tap(systemPrompt, async () => undefined);
  ctx.tap(agentEnd, () => { throw new Error('no luck'); });
  ctx.contribute(tools, { name: 'dear', description: 'x'.repeat(400), inputSchema: { type: 'object', properties: {} },
    execute: async () => ({ content: [] }) });
} };`;
const said = JSON.stringify({ version: 1, turns: [{ text: 'hi' }] });

test('what a plugin costs is shown: loading, starting, its tools in each prompt, and its hooks and errors in the last run', async () => {
  await using desk = await openDesk({ 'dear.ts': extension, 'r.json': said });
  const report = async (): Promise<PluginReport> => {
    const { plugins } = (await desk.json('plugins', 'info', 'dear', '-e', 'dear.ts')) as { plugins: PluginReport[] };
    return plugins[0] as PluginReport;
  };
  const before = await report();
  expect(before).toMatchObject({ loadMs: expect.any(Number), startMs: expect.any(Number), hooks: [] });
  expect(before.promptTokens).toBeGreaterThan(100);
  expect(before.loadMs).toBeGreaterThan(0);
  expect(before.lastRun).toBeUndefined();
  const run = await desk.kern('-p', 'hello', '--model', 'script/r.json', '-e', 'dear.ts', '--no-session');
  expect(run).toMatchObject({ code: 0, err: expect.stringContaining('plugin dear failed in agent.end: no luck') });
  const after = await report();
  expect(after.lastRun?.hooks).toEqual([
    { hook: 'system-prompt', calls: 1, ms: expect.any(Number), slowestMs: expect.any(Number) },
    { hook: 'agent.end', calls: 1, ms: expect.any(Number), slowestMs: expect.any(Number) },
  ]);
  expect(after.lastRun).toMatchObject({ errors: 1, lastError: 'plugin dear failed in agent.end: no luck' });
  const { out } = await desk.kern('plugins', 'list', '--why', '-e', 'dear.ts');
  expect(out).toMatch(/in the run that ended \S+ \S+ UTC: hooks [\d.]+ ms in 2 calls, the slowest [\d.]+ ms in /);
  expect(out).toMatch(
    /in the run that ended \S+ \S+ UTC: 1 error, the last: plugin dear failed in agent\.end: no luck/,
  );
});

test('commands that talk to no model leave what is known of the last run as it is; a file that is broken is no run', async () => {
  await using desk = await openDesk({ 'dear.ts': extension });
  const file = path.join(desk.home, 'cache', 'run-costs.json');
  await desk.kern('plugins', '-e', 'dear.ts');
  expect(existsSync(file)).toBe(false);
  desk.write('r.json', said);
  await desk.kern('-p', 'hello', '--model', 'script/r.json', '-e', 'dear.ts');
  const kept = readFileSync(file, 'utf8');
  await desk.kern('tool', 'list', '-e', 'dear.ts');
  expect(readFileSync(file, 'utf8')).toBe(kept);
  writeFileSync(file, '{ "session::dear": 3');
  expect(await desk.kern('plugins', 'info', 'dear', '-e', 'dear.ts')).toMatchObject({ code: 0, err: '' });
});

test('what costs nothing has no lines', () => {
  const nothing = { loadMs: 0, startMs: 0, promptTokens: 0, hooks: [] };
  expect(costLines(nothing)).toEqual([]);
  const hooks = [
    { hook: 'a', calls: 2, ms: 3, slowestMs: 2 },
    { hook: 'b', calls: 1, ms: 4.5, slowestMs: 4.5 },
  ];
  expect(costLines({ ...nothing, loadMs: 1.5, promptTokens: 9, hooks })).toEqual([
    'load 1.5 ms, 9 tokens in each prompt',
    'hooks 7.5 ms in 3 calls, the slowest 4.5 ms in b',
  ]);
});
