import { type AgentEvent, type AssistantMessage, modes, type ToolResult } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type Play, stage } from '../test/stage.ts';
import plugin from './index.ts';
import { type PrintMode, print } from './print.ts';
import { harmless, short } from './screen.ts';
import { shortDiff } from './short-diff.ts';

type Emit = (event: AgentEvent) => void;

function call(
  emit: Emit,
  toolName: string,
  args: unknown,
  result: Partial<ToolResult> & { text?: string } = {},
  durationMs = 5,
): void {
  const { text = '', isError = false, ...rest } = result;
  emit({ type: 'tool_execution_start', toolCallId: 'c', toolName, args });
  emit({
    type: 'tool_execution_end',
    toolCallId: 'c',
    toolName,
    result: { content: [{ type: 'text', text }], ...rest },
    isError,
    durationMs,
  });
}

const assistant = (content: AssistantMessage['content']): AgentEvent => ({
  type: 'message_end',
  message: { role: 'assistant', content } as AssistantMessage,
});

async function shown(
  play: Play,
  options: Parameters<typeof stage>[2] = {},
): Promise<{ out: string; err: string; code: number }> {
  await using s = await stage([plugin], play, options);
  const code = await s.mode('text').run(s.run);
  await new Promise((resolve) => s.stderr.write('', resolve));
  return { out: s.stdout.text, err: s.stderr.text, code };
}

test('the answer goes to stdout with one line end, and nothing else does', async () => {
  const { out, err, code } = await shown((emit) => {
    call(emit, 'read', { path: 'a.ts' }, { text: 'one\ntwo\nthree\n' });
    return { text: 'The answer.' };
  });
  expect({ out, code }).toEqual({ out: 'The answer.\n', code: 0 });
  expect(err).toBe('✓ read a.ts (3 lines)\n');
  expect((await shown(() => ({ text: 'ends by itself\n' }))).out).toBe('ends by itself\n');
});

test('a terminal is handed nothing that it would obey, a program every byte', async () => {
  const text = 'a\u001b[2J\u001b]0;title\u0007b\r\n\tc\u202ed👩\u200d💻';
  const play: Play = () => ({ text });
  expect((await shown(play)).out).toBe(`${text}\n`);
  expect((await shown(play, { isTerminal: true })).out).toBe('ab\n\tcd👩\u200d💻\n');
  const { err } = await shown(() => ({
    error: { code: 'model_bad_response', message: 'it said \u001b[2Jno', hint: 'try\u0007 again' },
  }));
  expect(err).toBe('kern: it said no\n  try again\n');
});

test('each call is one line with its outcome; a failed one shows the end of what it said', async () => {
  const { err } = await shown((emit) => {
    call(
      emit,
      'bash',
      { command: 'npm test\nsecond line' },
      {
        text: Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n'),
        isError: true,
        details: { exitCode: 1 },
      },
      2_340,
    );
    call(emit, 'bash', { command: 'npm test' }, { text: 'ok', details: { exitCode: 0 } });
    call(emit, 'write', { path: 'x.ts', content: 'x' }, { text: 'not allowed', isError: true });
    call(emit, 'grep', { pattern: 'a.*b', path: 3 }, {});
    call(emit, 'custom', { n: 1, what: 'thing' }, {});
    return { text: 'x' };
  });
  expect(err.split('\n')).toEqual([
    '✗ bash npm test … (exit 1, 2.3 s)',
    '  … 4 lines before',
    ...Array.from({ length: 8 }, (_, index) => `  line ${index + 4}`),
    '✓ bash npm test (exit 0)',
    '✗ write x.ts (error)',
    '  not allowed',
    '✓ grep a.*b',
    '✓ custom thing',
    '',
  ]);
});

test('an edit is shown as a short diff', async () => {
  const patch = [
    '--- a.js',
    '+++ a.js',
    '@@ -1,5 +1,5 @@',
    ' far',
    ' near',
    '-return a - b;',
    '+return a + b;',
    ' near too',
    ' far too',
    '',
  ].join('\n');
  const { err } = await shown((emit) => {
    call(emit, 'edit', { path: 'a.js' }, { text: 'edited:\nas shown', details: { patch } });
    return { text: 'x' };
  });
  expect(err).toBe('✓ edit a.js\n   near\n  -return a - b;\n  +return a + b;\n   near too\n');
  const long = ['@@ -1 +1 @@', ...Array.from({ length: 40 }, (_, index) => `+${index}`)].join('\n');
  expect(shortDiff({ patch: long })).toHaveLength(17);
  expect(shortDiff({ patch: long }).at(-1)).toBe('… 24 more lines');
  expect(shortDiff(undefined)).toEqual([]);
});

test('what the model says between calls is progress, its last words are not', async () => {
  const { err } = await shown((emit) => {
    emit(
      assistant([
        { type: 'text', text: 'I will look.\n' },
        { type: 'toolCall', id: 'c', name: 'read', arguments: {} },
      ]),
    );
    emit(assistant([{ type: 'text', text: 'The end.' }]));
    return { text: 'The end.' };
  });
  expect(err).toBe('I will look.\n');
});

test('an error is told on stderr with what to do, and what was said before it still goes to stdout', async () => {
  expect(
    await shown(() => ({
      status: 'error',
      text: 'half',
      error: { code: 'model_disconnected', message: 'the connection broke', hint: 'try again\nor do not' },
    })),
  ).toEqual({
    out: 'half\n',
    err: 'kern: the connection broke\n  try again\n  or do not\n',
    code: 1,
  });
});

test('an abort says so and answers 130', async () => {
  const { code, err } = await shown((_emit, _prompt, s) => {
    s.controller.abort();
    return { status: 'aborted' };
  });
  expect({ code, err }).toEqual({ code: 130, err: 'kern: aborted\n' });
});

test('changes of plugins and trouble with the session are told', async () => {
  const { err } = await shown((emit) => {
    emit({ type: 'plugin_changed', id: 'word-count', state: 'live', revision: 1 });
    emit({ type: 'plugin_changed', id: 'tools.bash', state: 'live', revision: 1, file: 'built-in' });
    emit({
      type: 'plugin_changed',
      id: 'word-count',
      state: 'kept',
      revision: 2,
      reason: `${'x'.repeat(300)}\nmend it`,
    });
    emit({ type: 'session_write_failed', error: 'ENOSPC', pending: 3 });
    emit({ type: 'session_write_restored', written: 3 });
    emit({ type: 'extension_error', extensionPath: 'x.ts', event: 'tool.call', error: 'boom' });
    return { text: 'x' };
  });
  expect(err.split('\n')).toEqual([
    '↻ plugin word-count is live',
    `! plugin word-count changed, but the old one was kept: ${'x'.repeat(199)}…`,
    '  mend it',
    '! the session cannot be written: ENOSPC (3 entries wait in memory)',
    '  the session is written again (3 entries)',
    '! x.ts failed in tool.call: boom',
    '',
  ]);
});

test('colour is used only when it may be, and nothing of others reaches the terminal as a command', async () => {
  const play: Play = (emit) => {
    call(
      emit,
      'bash',
      { command: 'x\u001b[2J\u0007' },
      { text: '\u001b[31mred\u001b[0m \u001b]0;title\u0007bell\u0007', isError: true },
    );
    return { text: 'x' };
  };
  expect((await shown(play)).err).toBe('✗ bash x (error)\n  red bell\n');
  const coloured = (await shown(play, { color: true })).err;
  expect(coloured).toContain('\u001b[31m✗\u001b[39m');
  expect(coloured).not.toContain('\u001b[2J');
  expect(harmless('a\u202eb\u200bc\r\n\td')).toBe('abc\n  d');
  expect(short('x'.repeat(200))).toHaveLength(100);
});

test('a newer revision of the mode takes over at the next turn of a run', async () => {
  const newer: PrintMode = {
    ...print,
    paint: (event, screen) => (event.type === 'tool_execution_end' ? screen.line('NEW LOOK') : undefined),
    finish: (outcome, { stdout }) => void stdout.write(`NEW ${outcome.text}\n`),
  };
  await using s = await stage([plugin], async (emit, _prompt, { t }) => {
    emit({ type: 'turn_start', turnIndex: 0 });
    call(emit, 'read', { path: 'a' }, {});
    await t.put(definePlugin({ id: 'modes.print', setup: (ctx) => ctx.contribute(modes, newer) }));
    call(emit, 'read', { path: 'b' }, {});
    emit({ type: 'turn_start', turnIndex: 1 });
    call(emit, 'read', { path: 'c' }, {});
    return { text: 'answer' };
  });
  await s.mode('text').run(s.run);
  await new Promise((resolve) => s.stderr.write('', resolve));
  expect(s.stderr.text).toBe('✓ read a\n✓ read b\nNEW LOOK\n');
  expect(s.stdout.text).toBe('NEW answer\n');
});

test('what happens to the session is said on stderr, each thing in a line', async () => {
  const owner = { pid: 12, host: 'here\u001b[31m', since: '' };
  const result = { tokensBefore: 120_000, tokensAfter: 9_000 } as never;
  const told: readonly AgentEvent[] = [
    { type: 'session_busy', owner, as: 'fork' },
    { type: 'session_busy', owner, as: 'readonly' },
    { type: 'session_busy', owner, as: 'takeover' },
    { type: 'session_busy', owner: { ...owner, isStopped: true }, as: 'takeover' },
    {
      type: 'session_repaired',
      repairs: [1, 2, 3, 4].map((line) => ({ line, kind: 'bad-line', message: 'is no JSON' })),
    },
    { type: 'model_changed', model: 'a/b', reason: 'a/c is not there; it goes on with a/b' },
    { type: 'model_changed', model: 'a/b', reason: undefined },
    { type: 'thinking_changed', thinking: 'low', reason: undefined },
    { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2_000, errorCode: 'x', errorMessage: 'busy' },
    {
      type: 'auto_retry_start',
      ...{ attempt: 2, maxAttempts: 3, delayMs: 0, errorCode: 'x', errorMessage: 'busy', model: 'a/d' },
    },
    { type: 'auto_compaction_start', reason: 'threshold', strategy: 'summary' },
    { type: 'auto_compaction_end', reason: 'threshold', result, aborted: false, willRetry: false },
    {
      type: 'auto_compaction_end',
      ...{ reason: 'overflow', result: undefined, aborted: false, willRetry: false, errorMessage: 'nothing to drop' },
    },
  ];
  const { err } = await shown((emit) => {
    for (const event of told) emit(event);
    return { text: 'done' };
  });
  expect(err.trimEnd().split('\n')).toEqual([
    '! the session is open in process 12 on here: this goes on in a copy of it',
    '! the session is open in process 12 on here: here it can only be read',
    '! process 12 on here had the session open and is gone: taken over',
    '! process 12 on here had the session open and is stopped: taken over',
    '! the session file was not as it should be (4 places); nothing was thrown away:',
    '  line 1: is no JSON',
    '  line 2: is no JSON',
    '  line 3: is no JSON',
    '  … 1 more',
    '! a/c is not there; it goes on with a/b',
    '! busy: trying again in 2 s (1 of 3)',
    '! busy: asking a/d instead',
    '  making room in the context',
    '  room was made: 120k tokens became 9000',
    '! nothing to drop',
  ]);
});
