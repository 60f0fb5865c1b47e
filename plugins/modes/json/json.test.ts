import { expect, test } from 'vitest';
import { stage, usage } from '../test/stage.ts';
import plugin from './index.ts';

test('the first line is the header, each event is a line, and the last line is the result', async () => {
  await using s = await stage(
    [plugin],
    (emit) => {
      emit({ type: 'agent_start' });
      emit({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'line\nbreak \u2028 \ud800' },
      });
      emit({ type: 'agent_settled', aborted: false });
      return { text: 'done', turns: 2 };
    },
    { file: '/s.jsonl' },
  );
  expect(await s.mode('json').run(s.run)).toBe(0);
  const lines = s.stdout.lines.map((line) => JSON.parse(line));
  expect(lines).toEqual([
    { type: 'session', version: 3, id: 's1', timestamp: '2026-11-30T00:00:00.000Z', cwd: s.t.dir },
    { type: 'agent_start' },
    {
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'line\nbreak \u2028 \ud800' },
    },
    { type: 'agent_settled', aborted: false },
    {
      type: 'result',
      status: 'ok',
      text: 'done',
      usage: { input: 10, output: 5, cacheRead: 2, cacheWrite: 1, reasoning: 3 },
      cost: 1,
      turns: 2,
      durationMs: expect.any(Number),
      sessionId: 's1',
      sessionFile: '/s.jsonl',
      error: null,
      exitCode: 0,
    },
  ]);
  expect(s.stderr.text).toBe('');
});

test('a run that fails ends with a result that says so', async () => {
  await using s = await stage([plugin], () => ({
    status: 'error',
    text: 'half',
    error: { code: 'model_disconnected', message: 'the connection broke', hint: 'try again' },
  }));
  expect(await s.mode('json').run(s.run)).toBe(1);
  expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
    type: 'result',
    status: 'error',
    text: 'half',
    sessionFile: null,
    error: { code: 'model_disconnected', message: 'the connection broke' },
    exitCode: 1,
  });
});

test('what is not in the session file makes a run that went well a failure, and says where a copy lies', async () => {
  const unsaved = { count: 2, why: 'no room is left', copy: '/home/rescue/s.jsonl' };
  await using s = await stage([plugin], () => ({ text: 'done' }), { unsaved });
  expect(await s.mode('json').run(s.run)).toBe(1);
  expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
    status: 'error',
    text: 'done',
    error: { code: 'session_write_failed', message: expect.stringMatching(/2 entries .* NOT saved.*rescue\/s\.jsonl/) },
    exitCode: 1,
  });
});

test('a prompt that throws ends with a result too', async () => {
  await using s = await stage([plugin], () => {
    throw Object.assign(new Error('it was left'), { code: 'stale_session' });
  });
  expect(await s.mode('json').run(s.run)).toBe(1);
  expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
    type: 'result',
    status: 'error',
    error: { code: 'stale_session', message: 'it was left' },
    exitCode: 1,
  });
});

test('all that was written has left before the mode answers, and nothing follows the result', async () => {
  await using s = await stage([plugin], (emit) => {
    for (let index = 0; index < 20_000; index += 1)
      emit({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: `word ${index} ` },
      });
    setTimeout(() => emit({ type: 'config_changed', keys: ['late'] }), 0);
    return {};
  });
  await s.mode('json').run(s.run);
  const { lines } = s.stdout;
  expect(lines).toHaveLength(20_002);
  expect(JSON.parse(lines.at(-1) ?? '').type).toBe('result');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(s.stdout.lines).toHaveLength(20_002);
});

test('an interrupt aborts the session and the result says 130, or the code that came with it', async () => {
  for (const [reason, code] of [
    [undefined, 130],
    [Object.assign(new Error('SIGTERM'), { exitCode: 143 }), 143],
  ] as const) {
    await using s = await stage(
      [plugin],
      (_emit, _prompt, { controller, aborted }) => {
        controller.abort(reason);
        expect(aborted()).toBe(1);
        return { status: 'aborted' };
      },
      { prompts: ['one', 'never said'] },
    );
    expect(await s.mode('json').run(s.run)).toBe(code);
    expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
      status: 'aborted',
      exitCode: code,
      error: null,
      turns: 1,
    });
  }
});

test('several prompts are one result: usage and turns are summed, the last text counts, an unknown price makes the cost unknown', async () => {
  const said: string[] = [];
  const play =
    (cost: (text: string) => number | null) =>
    (_emit: unknown, { text }: { text: string }) => {
      said.push(text);
      return { text: `answer to ${text}`, cost: cost(text), usage, turns: 2 };
    };
  {
    await using s = await stage(
      [plugin],
      play((text) => (text === 'a' ? 0.1 : 0.2)),
      { prompts: ['a', 'b'] },
    );
    await s.mode('json').run(s.run);
    expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
      text: 'answer to b',
      cost: 0.3, // and no 0.30000000000000004
      turns: 4,
      usage: { input: 20, output: 10 },
    });
  }
  await using s = await stage(
    [plugin],
    play((text) => (text === 'a' ? null : 1)),
    { prompts: ['a', 'b'] },
  );
  await s.mode('json').run(s.run);
  expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({ cost: null });
  expect(said).toEqual(['a', 'b', 'a', 'b']);
});

test('no prompt at all is a usage error, said in the result', async () => {
  await using s = await stage([plugin], () => ({}), { prompts: [] });
  expect(await s.mode('json').run(s.run)).toBe(2);
  expect(JSON.parse(s.stdout.lines.at(-1) ?? '')).toMatchObject({
    status: 'error',
    error: { code: 'no_prompt' },
    exitCode: 2,
  });
});

test('a reader that has gone does not hang the end', async () => {
  await using s = await stage([plugin], (emit) => {
    emit({ type: 'agent_start' });
    return {};
  });
  s.stdout.on('error', () => {});
  s.stdout.destroy();
  expect(await s.mode('json').run(s.run)).toBe(0);
});
