import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ImportedSession, Message, NewEntry, SessionSource } from 'kern/contracts';
import { afterAll, expect, test } from 'vitest';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { ohMyPi, pi } from './pi.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kern-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string): string => path.join(import.meta.dirname, 'test', 'fixtures', name);
const signal = new AbortController().signal;
let made = 0;

/** A transcript of these lines. */
function file(...lines: readonly unknown[]): string {
  made += 1;
  const name = path.join(folder, `${made}.jsonl`);
  writeFileSync(name, `${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`);
  return name;
}

async function read(source: SessionSource, name: string): Promise<ImportedSession & { all: readonly NewEntry[] }> {
  const session = await source.read(name, signal);
  const entries = [...session.entries];
  return { ...session, entries, all: entries.map(({ entry }) => entry as NewEntry) };
}

function messages(all: readonly NewEntry[]): readonly Message[] {
  return all.flatMap((entry) => (entry.type === 'message' ? [entry.message as Message] : []));
}

/** Each message in a word. */
const shape = (all: readonly NewEntry[]): readonly string[] =>
  messages(all).map((message) => {
    const content = message.content.map((part) =>
      part.type === 'text' ? part.text : part.type === 'toolCall' ? `${part.name}(${part.id})` : part.type,
    );
    return message.role === 'toolResult'
      ? `result ${message.toolCallId}${message.isError ? ' failed' : ''}: ${content.join('|')}`
      : `${message.role}: ${content.join('|')}`;
  });

test('each source knows its own files, and no others', () => {
  const heads = {
    pi: 'pi-1.6.0.jsonl',
    'oh-my-pi': 'oh-my-pi-18.jsonl',
    claude: 'claude-session.jsonl',
    codex: 'codex-rollout.jsonl',
  };
  for (const [id, name] of Object.entries(heads)) {
    const head = readFileSync(fixture(name), 'utf8').slice(0, 64 * 1024);
    expect([pi, ohMyPi, claude, codex].filter((source) => source.recognizes(head)).map((source) => source.id)).toEqual([
      id,
    ]);
    expect([pi, ohMyPi, claude, codex].find((source) => source.id === id)?.cwdOf?.(head)).toMatch(/repo$/);
  }
  for (const source of [pi, ohMyPi, claude, codex]) {
    expect(source.recognizes('')).toBe(false);
    expect(source.recognizes('hello\n{"a":1}\n[]\n')).toBe(false);
  }
});

test('a transcript of Claude Code: what was said, calls with their results, the model, tokens', async () => {
  const { id, cwd, timestamp, all, warnings } = await read(claude, fixture('claude-session.jsonl'));
  expect({ id, cwd, timestamp, warnings }).toEqual({
    id: '8c3b2106-3363-455a-9d4d-eeb184264bc6',
    cwd: '/repo',
    timestamp: '2026-11-30T13:18:11.624Z',
    warnings: [],
  });
  expect(shape(all)).toEqual([
    'user: Run the shell command `echo hello` and report the output.',
    'assistant: I will run the command.|Bash(toolu_mx3amxsw0003)',
    'result toolu_mx3amxsw0003: hello',
    'assistant: Done: the command printed hello.',
    'user: Again, please.',
    'assistant: I will run the command.|Bash(toolu_mx3amzbf0003)',
    'result toolu_mx3amzbf0003: hello',
    'assistant: Done: the command printed hello.',
  ]);
  expect(all.filter(({ type }) => type === 'model_change')).toEqual([
    { type: 'model_change', provider: 'anthropic', modelId: 'claude-opus-5-5' },
  ]);
  expect(messages(all)[1]).toMatchObject({
    provider: 'anthropic',
    model: 'claude-opus-5-5',
    stopReason: 'toolUse',
    usage: { input: 400, output: 42, cacheRead: 800, cacheWrite: 100, cost: null },
  });
});

const row = (uuid: string, parentUuid: string | null, rest: object): object => ({
  uuid,
  parentUuid,
  isSidechain: false,
  sessionId: 's',
  cwd: '/repo',
  timestamp: '2026-01-01T00:00:00.000Z',
  ...rest,
});
const asked = (uuid: string, parent: string | null, content: unknown, rest: object = {}): object =>
  row(uuid, parent, { type: 'user', message: { role: 'user', content }, ...rest });
const said = (uuid: string, parent: string | null, id: string, content: unknown, rest: object = {}): object =>
  row(uuid, parent, { type: 'assistant', message: { id, role: 'assistant', model: 'm', content }, ...rest });
const use = (id: string): object => ({ type: 'tool_use', id, name: 'Read', input: { file_path: id } });
const answered = (id: string, text: string, isError = false): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text }],
  is_error: isError,
});

test('calls that were made together keep all their results, though each hangs below its own call', async () => {
  const { all } = await read(
    claude,
    file(
      asked('u1', null, 'read both'),
      said('a1', 'u1', 'm1', [use('t1')]),
      said('a2', 'a1', 'm1', [use('t2')]),
      asked('r2', 'a2', [answered('t2', 'two')]),
      asked('r1', 'a1', [answered('t1', 'one', true)]),
      said('a3', 'r2', 'm2', [{ type: 'text', text: 'done' }]),
    ),
  );
  expect(shape(all)).toEqual([
    'user: read both',
    'assistant: Read(t1)|Read(t2)',
    'result t1 failed: one',
    'result t2: two',
    'assistant: done',
  ]);
});

test('a call without a result gets one that says so, and ids that a wire would refuse are changed in both', async () => {
  const { all } = await read(
    claude,
    file(
      asked('u1', null, 'go'),
      said('a1', 'u1', 'm1', [use('a/b'), use('lost')]),
      asked('r1', 'a1', [answered('a/b', 'fine'), answered('nobody', 'x')]),
    ),
  );
  expect(shape(all)).toEqual([
    'user: go',
    'assistant: Read(a_b)|Read(lost)',
    'result a_b: fine',
    'result lost failed: The transcript holds no result of this call.',
  ]);
});

test('branches that were left, sidechains and what nobody said stay out, and are told', async () => {
  const { all, warnings, name } = await read(
    claude,
    file(
      { type: 'summary', summary: 'Old title', leafUuid: 'x' },
      asked('u1', null, 'first try'),
      said('a1', 'u1', 'm1', [{ type: 'text', text: 'left' }]),
      asked('u2', null, 'second try'),
      asked('meta', 'u2', '<local-command-caveat>', { isMeta: true }),
      said('side', 'u2', 'm9', [{ type: 'text', text: 'subagent' }], { isSidechain: true }),
      '{"broken',
      { type: 'never-seen', sessionId: 's' },
      said('a2', 'meta', 'm2', [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'xyz' },
        { type: 'text', text: 'yes' },
      ]),
      { type: 'ai-title', aiTitle: 'A title' },
    ),
  );
  expect(shape(all)).toEqual(['user: second try', 'assistant: thinking|thinking|yes']);
  expect(all.find(({ type }) => type === 'custom_message')).toMatchObject({
    customType: 'claude.meta',
    display: false,
  });
  expect(messages(all)[1]?.content.slice(0, 2)).toEqual([
    { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
    { type: 'thinking', thinking: '', thinkingSignature: 'xyz', redacted: true },
  ]);
  expect(name).toBe('A title');
  expect(warnings).toEqual([
    'line 7: it is no JSON',
    'line 8: lines of the kind never-seen mean nothing to kern',
    '1 lines of subagents (sidechains) were left out',
    '2 messages of branches that were left are not taken over',
  ]);
});

test('a summary of Claude Code becomes a compaction that keeps nothing before it', async () => {
  const { entries, all } = await read(
    claude,
    file(
      asked('u1', null, 'long ago'),
      said('a1', 'u1', 'm1', [{ type: 'text', text: 'old' }]),
      row('b', null, {
        type: 'system',
        subtype: 'compact_boundary',
        logicalParentUuid: 'a1',
        compactMetadata: { trigger: 'auto', preTokens: 1234 },
      }),
      asked('s', 'b', 'What it came to', { isCompactSummary: true }),
      asked('u2', 's', 'go on'),
    ),
  );
  expect(all.map(({ type }) => type)).toEqual([
    'message',
    'model_change',
    'message',
    'custom',
    'compaction',
    'message',
  ]);
  const boundary = [...entries][3];
  expect(all[4]).toMatchObject({ summary: 'What it came to', tokensBefore: 1234, firstKeptEntryId: boundary?.id });
});

test('images, named files, what was typed meanwhile and failures of the server', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
  const { all } = await read(
    claude,
    file(
      asked('u1', null, [{ type: 'text', text: 'see' }, image]),
      row('f', 'u1', {
        type: 'attachment',
        attachment: { type: 'file', filename: 'a.md', content: { type: 'text', file: { content: 'A' } } },
      }),
      row('q', 'f', { type: 'attachment', attachment: { type: 'queued_command', prompt: 'also this' } }),
      row('e', 'q', {
        type: 'assistant',
        isApiErrorMessage: true,
        message: { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 529' }] },
      }),
    ),
  );
  expect(messages(all)[0]?.content[1]).toEqual({ type: 'image', data: 'aGk=', mimeType: 'image/png' });
  expect(messages(all)[1]).toMatchObject({ role: 'fileMention', files: [{ path: 'a.md', content: 'A' }] });
  expect(messages(all)[2]).toMatchObject({ role: 'user', content: [{ text: 'also this' }] });
  expect(messages(all)[3]).toMatchObject({ content: [], stopReason: 'error', errorMessage: 'API Error: 529' });
});

test('a rollout of Codex: what was said, calls with results and times, the model, tokens; its own instructions stay out', async () => {
  const { id, cwd, timestamp, all, warnings } = await read(codex, fixture('codex-rollout.jsonl'));
  expect({ id, cwd, timestamp, warnings }).toEqual({
    id: '01a22c9b-1694-7b92-9491-da6344df99c7',
    cwd: '/repo',
    timestamp: '2026-11-30T13:18:11.104Z',
    warnings: [],
  });
  const output = (chunk: string): string =>
    `Chunk ID: ${chunk}\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\nhello\n`;
  expect(shape(all)).toEqual([
    'user: Run the shell command `echo hello` and report the output.',
    'assistant: I will run the command.|exec_command(call_mx3amx6k0004)',
    `result call_mx3amx6k0004: ${output('0a14b0')}`,
    'assistant: Done: the command printed hello.',
    'user: Again, please.',
    'assistant: I will run the command.|exec_command(call_mx3an27o0004)',
    `result call_mx3an27o0004: ${output('654e24')}`,
    'assistant: Done: the command printed hello.',
  ]);
  expect(all.filter(({ type }) => type === 'model_change')).toEqual([
    { type: 'model_change', provider: 'fake', modelId: 'gpt-5.6' },
  ]);
  expect(messages(all)[1]).toMatchObject({
    usage: { input: 400, cacheRead: 800, output: 42, reasoning: 7 },
    content: [{ type: 'text' }, { type: 'toolCall', arguments: { cmd: 'echo hello' } }],
  });
  expect(messages(all)[2]).toMatchObject({ durationMs: 0 });
});

test('many calls of one reply stay together, and a last reply that stands in an event only is not lost', async () => {
  const { all, warnings } = await read(codex, fixture('codex-0.171.0.jsonl'));
  const lines = shape(all);
  expect(lines).toHaveLength(19);
  expect(lines[1]).toBe(
    `assistant: ${Array.from({ length: 16 }, (_, nth) => `exec_command(call_kbt000_${nth})`).join('|')}`,
  );
  expect(lines[17]).toContain('result call_kbt000_15: ');
  expect(lines[18]).toBe('assistant: KERNBENCH-FINAL all done.');
  expect(warnings).toEqual([]);
});

const item = (payload: object): object => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload });
const event = (payload: object): object => ({ timestamp: '2026-01-01T00:00:00Z', type: 'event_msg', payload });
const meta = { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 'c', cwd: '/repo' } };
const words = (role: string, text: string): object =>
  item({ type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] });

test('every kind of call of Codex has its result, also an old one, a failed one and one that ran at the provider', async () => {
  const { all } = await read(
    codex,
    file(
      meta,
      { timestamp: '2026-01-01T00:00:00Z', type: 'turn_context', payload: { model: 'gpt', effort: 'high' } },
      words('user', '<environment_context>\n  <cwd>/repo</cwd>'),
      words('user', 'go'),
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'first look' }], encrypted_content: 'zzz' }),
      item({ type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' }),
      item({ type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls'] } }),
      item({ type: 'function_call', call_id: 'c3', name: 'shell', arguments: '{broken' }),
      item({ type: 'web_search_call', id: 'ws', action: { type: 'search', query: 'kern' } }),
      item({
        type: 'custom_tool_call_output',
        call_id: 'c1',
        output: '{"output":"Success","metadata":{"exit_code":1}}',
      }),
      item({ type: 'function_call_output', call_id: 'c3', output: { content: 'denied', success: false } }),
      item({
        type: 'function_call_output',
        call_id: 'c2',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=' }],
      }),
      item({ type: 'never_seen' }),
      words('assistant', 'done'),
    ),
  );
  expect(shape(all)).toEqual([
    'user: go',
    'assistant: thinking|apply_patch(c1)|local_shell(c2)|shell(c3)|web_search(ws)',
    'result c1 failed: Success',
    'result c2: image',
    'result c3 failed: denied',
    'result ws: It ran at the provider; what it found is not in the transcript.',
    'assistant: done',
  ]);
  expect(messages(all)[1]?.content[3]).toMatchObject({ arguments: {}, invalidArguments: '{broken' });
  expect(all).toContainEqual({ type: 'thinking_level_change', thinkingLevel: 'high' });
});

test('what was taken back in Codex is taken back, summaries become compactions, and the oldest files are read', async () => {
  const { all } = await read(
    codex,
    file(
      meta,
      words('user', 'one'),
      words('assistant', 'two'),
      words('user', 'wrong'),
      item({ type: 'function_call', call_id: 'c', name: 'x', arguments: '{}' }),
      item({ type: 'function_call_output', call_id: 'c', output: 'y' }),
      event({ type: 'thread_rolled_back', num_turns: 1 }),
      { timestamp: '2026-01-01T00:00:00Z', type: 'compacted', payload: { message: 'so far' } },
      words('user', 'three'),
    ),
  );
  expect(shape(all)).toEqual(['user: one', 'assistant: two', 'user: three']);
  expect(all.map(({ type }) => type)).toContain('compaction');
  const old = await read(
    codex,
    file(
      { id: 'old', timestamp: '2025-05-01T00:00:00.000Z', instructions: null },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { record_type: 'state' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
    ),
  );
  expect(old.id).toBe('old');
  expect(shape(old.all)).toEqual(['user: hi', 'assistant: hello']);
});

test('sessions of pi and oh-my-pi come whole, with their ids and times', async () => {
  const ofPi = await read(pi, fixture('pi-1.6.0.jsonl'));
  expect(ofPi).toMatchObject({ id: '01a22cca-4448-773d-a716-d162e53fd3bd', cwd: '/home/user/repo', warnings: [] });
  expect([...ofPi.entries]).toHaveLength(22);
  expect([...ofPi.entries][1]).toMatchObject({
    id: '5a93e9c6',
    after: 'ddff8d57',
    timestamp: '2026-11-30T14:09:43.065Z',
  });
  const ofOhMyPi = await read(ohMyPi, fixture('oh-my-pi-18.jsonl'));
  expect(ofOhMyPi.all[0]).toMatchObject({ type: 'model_change', provider: 'kb', modelId: 'kb-model' });
  expect(shape(ofOhMyPi.all)[0]).toBe('user: KERNBENCH stream: write a long text.');
});
