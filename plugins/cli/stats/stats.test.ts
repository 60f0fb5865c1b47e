import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../test/line.ts';
import { countSession } from './count.ts';
import { dayOf } from './tally.ts';

type Line = Readonly<Record<string, unknown>>;

const header = (cwd: string, more: Line = {}): Line => ({
  type: 'session',
  version: 3,
  id: 's',
  timestamp: '2026-03-01T12:00:00.000Z',
  cwd,
  ...more,
});
let ids = 0;
const message = (timestamp: string, said: Line): Line => {
  ids += 1;
  return {
    type: 'message',
    id: ids.toString(16).padStart(8, '0'),
    parentId: null,
    timestamp,
    message: { timestamp: 1, ...said },
  };
};
const cost = (total: number): Line => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total });
const reply = (timestamp: string, model: string, usage: Line): Line =>
  message(timestamp, {
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    provider: 'p',
    model,
    usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 0, totalTokens: 115, ...usage },
    stopReason: 'stop',
  });
const result = (timestamp: string, toolName: string, more: Line): Line =>
  message(timestamp, { role: 'toolResult', toolCallId: 'c', toolName, content: [], isError: false, ...more });
const question = (timestamp: string): Line => message(timestamp, { role: 'user', content: 'x' });

function keep(desk: Desk, name: string, lines: readonly Line[]): string {
  const folder = path.join(desk.home, 'sessions', `--${desk.project.replaceAll('/', '-').slice(1)}--`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return file;
}

const day1 = '2026-03-01T12:00:00.000Z';
const day2 = '2026-03-02T12:00:00.000Z';

const sample = (cwd: string): readonly Line[] => [
  header(cwd),
  question(day1),
  reply(day1, 'a', { cost: cost(0.5) }),
  result(day1, 'bash', { durationMs: 2_000 }),
  result(day1, 'bash', { durationMs: 1_000, isError: true }),
  result(day1, 'grep', {}),
  question(day2),
  reply(day2, 'b', { cost: cost(0), costUnknown: true }),
  reply(day2, 'a', { cost: cost(0.25) }),
];

test('tokens, cost and calls are summed by day, model, project and tool', async () => {
  await using desk = await openDesk();
  keep(desk, 'one', sample(desk.project));
  const all = (await desk.json('stats')) as Record<string, readonly Line[]> & { total: Line };
  expect(all.total).toMatchObject({
    sessions: 1,
    questions: 2,
    replies: 3,
    input: 30,
    output: 15,
    cacheRead: 300,
    cost: 0.75,
    unknownCosts: 1,
    toolCalls: 3,
    toolErrors: 1,
    toolMs: 3_000,
  });
  expect(all.byDay?.map(({ key, replies }) => [key, replies])).toEqual([
    [dayOf(Date.parse(day2)), 2],
    [dayOf(Date.parse(day1)), 1],
  ]);
  expect(all.byModel).toMatchObject([
    { key: 'p/a', replies: 2, cost: 0.75, unknownCosts: 0 },
    { key: 'p/b', replies: 1, cost: null, unknownCosts: 1 },
  ]);
  expect(all.byProject).toMatchObject([{ key: desk.project, replies: 3 }]);
  expect(await desk.json('stats', '--by', 'tool')).toMatchObject({
    rows: [
      { key: 'bash', calls: 2, errors: 1, ms: 3_000, meanMs: 1_500 },
      { key: 'grep', calls: 1, errors: 0, meanMs: null },
    ],
  });
});

test('a person reads what is not known as unknown, never as nothing', async () => {
  await using desk = await openDesk();
  expect((await desk.kern('stats')).out).toContain('nothing to count');
  keep(desk, 'one', sample(desk.project));
  const { out } = await desk.kern('stats');
  expect(out).toMatch(/^cost +\$0\.75 \+ 1 of 3 replies unknown$/m);
  expect(out).toMatch(/^p\/b .* unknown$/m);
  expect(out).toMatch(/^grep +1 +- +unknown +unknown$/m);
  expect(out).toMatch(/^bash +2 +1 \(50 %\) +3\.0 s +1\.5 s$/m);
});

test('what was copied into a fork counts once', async () => {
  await using desk = await openDesk();
  const original = sample(desk.project);
  const file = keep(desk, 'one', original);
  const fork = header(desk.project, { id: 'f', parentSession: file, timestamp: '2026-03-03T00:00:00.000Z' });
  keep(desk, 'two', [fork, ...original.slice(1), reply('2026-03-03T12:00:00.000Z', 'a', { cost: cost(1) })]);
  const { total } = (await desk.json('stats')) as { total: Line };
  expect(total).toMatchObject({ sessions: 2, replies: 4, cost: 1.75, toolCalls: 3 });
});

test('what summaries took is counted beside the models of conversations', async () => {
  await using desk = await openDesk();
  const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, cost: null };
  const details = { kern: { strategy: 'summary', usage } };
  const compaction = { type: 'compaction', id: 'c', parentId: null, timestamp: day1, summary: 's', details };
  keep(desk, 'one', [...sample(desk.project), compaction]);
  const { rows } = (await desk.json('stats', '--by', 'model')) as { rows: readonly Line[] };
  expect(rows.find(({ key }) => key === '(summaries)')).toMatchObject({ input: 7, output: 3, cost: null });
});

test('the last days are those of this machine, and a number of days is one', async () => {
  await using desk = await openDesk();
  const now = new Date().toISOString();
  keep(desk, 'one', [...sample(desk.project), reply(now, 'a', { cost: cost(1) })]);
  expect(await desk.json('stats', '--days', '1')).toMatchObject({ total: { replies: 1, cost: 1, questions: 0 } });
  for (const days of ['0', '-1', 'x', '1.5']) expect((await desk.kern('stats', `--days=${days}`)).code).toBe(2);
});

test('a file that has not changed is not read again; one that has is', async () => {
  await using desk = await openDesk();
  const file = keep(desk, 'one', sample(desk.project));
  await desk.json('stats');
  const cache = path.join(desk.home, 'cache', 'session-stats.json');
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  // What the cache says counts, as long as the file is the same.
  writeFileSync(cache, readFileSync(cache, 'utf8').replaceAll('"calls":2', '"calls":7'));
  expect(await desk.json('stats', '--by', 'tool')).toMatchObject({ rows: [{ key: 'bash', calls: 7 }, {}] });
  writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify(result(day2, 'bash', { durationMs: 1 }))}\n`);
  expect(await desk.json('stats', '--by', 'tool')).toMatchObject({ rows: [{ key: 'bash', calls: 3 }, {}] });
  writeFileSync(cache, '{broken');
  expect(await desk.json('stats', '--by', 'tool')).toMatchObject({ rows: [{ key: 'bash', calls: 3 }, {}] });
});

test('a call of a run is counted with its time', async () => {
  const replies = { version: 1, turns: [{ calls: [{ name: 'read', args: { path: 'r.json' } }] }, { text: 'done' }] };
  await using desk = await openDesk({ 'r.json': JSON.stringify(replies) });
  await desk.kern('-p', 'go', '--model', 'script/r.json');
  expect(await desk.json('stats', '--by', 'tool')).toMatchObject({ rows: [{ key: 'read', calls: 1, timed: 1 }] });
});

test('a try that failed is no reply; what it took counts', async () => {
  const failed = (usage: Line): Line => {
    const line = reply(day1, 'a', usage);
    return { ...line, message: { ...(line.message as Line), content: [], stopReason: 'error' } };
  };
  const nothing = { input: 0, output: 0, cacheRead: 0, cost: cost(0) };
  const lines = [header('/x'), failed(nothing), failed({ cost: cost(0.25) }), reply(day1, 'b', { cost: cost(0.5) })];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { replies } = await countSession(
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
  expect(replies).toMatchObject([
    { model: 'p/a', replies: 0, input: 10, cost: 0.25 },
    { model: 'p/b', replies: 1, cost: 0.5 },
  ]);
  const only = (async function* () {
    yield Buffer.from(
      lines
        .slice(0, 2)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  })();
  expect((await countSession(only)).replies).toEqual([]);
});

test('lines are counted however they are cut, and damaged or endless ones are passed over', async () => {
  const lines = [header('/x'), reply(day1, 'a', { cost: cost(1) }), result(day1, 'bash', { durationMs: 5 })];
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"role":"assistant"\n"assistant"\n`;
  const huge = Buffer.alloc(17 * 1024 * 1024, 'a');
  const bytes = Buffer.concat([Buffer.from(text), huge, Buffer.from(`\n${JSON.stringify(lines[1])}`)]);
  for (const size of [1_000_003, 4 * 1024 * 1024]) {
    const tally = await countSession(
      (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      })(),
    );
    expect(tally).toMatchObject({ cwd: '/x', replies: [{ replies: 2, cost: 2 }], tools: [{ calls: 1, ms: 5 }] });
  }
});
