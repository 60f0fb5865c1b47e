import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Message,
  type ModelProvider,
  type ModelRequest,
  type ScriptTurn,
  type StreamEvent,
  scriptFile,
} from 'kern/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  answered,
  aRequest,
  collected,
  failureOfReply,
  messageOfReply,
  readFace,
  resulted,
  said,
} from '../test/requests.ts';
import { type Positions, scriptProvider } from './provider.ts';

let cwd = '';
let positions: Positions = new Map();
let provider: ModelProvider;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'kern-script-test-'));
  positions = new Map();
  provider = scriptProvider({ cwd: () => cwd, positions, idleTimeoutMs: 80 });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(path.join(cwd, name), text);
}

/** Writes turns as `s.json`. */
function turns(...all: readonly ScriptTurn[]): void {
  write('s.json', JSON.stringify({ version: 1, turns: all }));
}

async function* ask(
  changes: Partial<ModelRequest> = {},
  name = 's.json',
  signal = new AbortController().signal,
): AsyncGenerator<StreamEvent> {
  const model = await provider.model(name);
  if (model === undefined) throw new Error('no model');
  yield* provider.stream(aRequest({ model, ...changes }), signal);
}

const deltas = (events: readonly StreamEvent[]): string[] =>
  events.flatMap((event) => ('delta' in event ? [event.delta] : []));

describe('what a turn sends', () => {
  test('reasoning, text and calls, in the form of any other model', async () => {
    turns({
      reasoning: 'hm',
      text: 'Hello',
      calls: [{ name: 'read', args: { path: 'a' }, id: 'c1', split: 3 }, { name: 'ls' }],
    });
    const events = await collected(ask());
    expect(events.slice(0, -1)).toEqual([
      { type: 'thinking_start', contentIndex: 0 },
      { type: 'thinking_delta', contentIndex: 0, delta: 'hm' },
      { type: 'thinking_end', contentIndex: 0, content: 'hm' },
      { type: 'text_start', contentIndex: 1 },
      { type: 'text_delta', contentIndex: 1, delta: 'Hello' },
      { type: 'text_end', contentIndex: 1, content: 'Hello' },
      { type: 'toolcall_start', contentIndex: 2, id: 'c1', toolName: 'read' },
      { type: 'toolcall_delta', contentIndex: 2, delta: '{"pa' },
      { type: 'toolcall_delta', contentIndex: 2, delta: 'th":' },
      { type: 'toolcall_delta', contentIndex: 2, delta: '"a"}' },
      {
        type: 'toolcall_end',
        contentIndex: 2,
        toolCall: { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
      },
      { type: 'toolcall_start', contentIndex: 3, id: 'call_1_2', toolName: 'ls' },
      { type: 'toolcall_delta', contentIndex: 3, delta: '{}' },
      {
        type: 'toolcall_end',
        contentIndex: 3,
        toolCall: { type: 'toolCall', id: 'call_1_2', name: 'ls', arguments: {} },
      },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      message: { api: 'script', provider: 'script', model: 's.json', stopReason: 'toolUse' },
    });
  });

  test('text by the characters of a chunk, or as the list says', async () => {
    turns(
      { text: 'abcdefg', chunk: 3 },
      { text: ['one', ' two'] },
      { text: '🙂🙂', chunk: 1 },
      { text: 'x'.repeat(45) },
      {},
    );
    const said: string[][] = [];
    for (let nth = 0; nth < 5; nth += 1) said.push(deltas(await collected(ask())));
    expect(said).toEqual([
      ['abc', 'def', 'g'],
      ['one', ' two'],
      ['🙂', '🙂'],
      ['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5)],
      [],
    ]);
  });

  test('usage and stop, as given', async () => {
    turns({ text: 'a', usage: { input: 10, output: 5, cacheRead: 3 }, stop: 'length' }, { text: 'b' });
    const first = await messageOfReply(ask());
    expect(first.stopReason).toBe('length');
    expect(first.usage).toEqual({
      input: 10,
      output: 5,
      cacheRead: 3,
      cacheWrite: 0,
      reasoning: 0,
      totalTokens: 18,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    });
    expect((await messageOfReply(ask())).stopReason).toBe('stop');
  });

  test('arguments that are no JSON', async () => {
    turns({ calls: [{ name: 'read', args: '{"path":' }] });
    expect((await messageOfReply(ask())).content).toEqual([
      { type: 'toolCall', id: 'call_1_1', name: 'read', arguments: {}, invalidArguments: '{"path":' },
    ]);
  });

  test('a delay between deltas, which an abort ends', async () => {
    turns({ text: 'abc', chunk: 1, delayMs: 60_000 });
    const controller = new AbortController();
    const came: StreamEvent[] = [];
    const reading = (async () => {
      for await (const event of ask({}, 's.json', controller.signal)) {
        came.push(event);
        if (event.type === 'text_delta') setTimeout(() => controller.abort(), 5);
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(deltas(came)).toEqual(['a']);
  });

  test('a long reply leaves room for a timer', async () => {
    turns({ text: 'x'.repeat(5_000), chunk: 1 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 0);
    const reading = (async () => {
      for await (const event of ask({}, 's.json', controller.signal))
        if (event.type === 'done') throw new Error('nobody could stop it');
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('which turn it is', () => {
  test('one request takes one turn, in each session for itself', async () => {
    turns({ text: 'one' }, { text: 'two' });
    const say = async (sessionId: string) => deltas(await collected(ask({ sessionId })));
    expect([await say('a'), await say('b'), await say('a')]).toEqual([['one'], ['one'], ['two']]);
  });

  test('after the last one the script is exhausted, unless it repeats', async () => {
    turns({ text: 'one' });
    await collected(ask());
    const { error } = await failureOfReply(ask());
    expect(error).toMatchObject({
      code: 'script_exhausted',
      message: 'script exhausted: s.json has 1 turn, and this is request 2',
    });
    write('r.json', '{"version":1,"turns":[{"text":"one"},{"text":"two"}],"repeat":"last"}');
    const all: string[] = [];
    for (let nth = 0; nth < 4; nth += 1) all.push(...deltas(await collected(ask({}, 'r.json'))));
    expect(all).toEqual(['one', 'two', 'two', 'two']);
  });

  test('a failed request has taken its turn, a title and a summary take none', async () => {
    turns({ error: { status: 500, body: 'x' } }, { text: 'two' });
    await failureOfReply(ask());
    for (const purpose of ['title', 'summary'] as const) {
      const { content } = await messageOfReply(ask({ purpose }));
      expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^A scripted s/) }]);
    }
    expect(deltas(await collected(ask()))).toEqual(['two']);
  });

  test('a script that is edited goes on where it was', async () => {
    turns({ text: 'one' }, { text: 'two' });
    await collected(ask());
    turns({ text: 'one' }, { text: 'better two, and longer' }, { text: 'three' });
    utimesSync(path.join(cwd, 's.json'), new Date(), new Date(Date.now() + 5_000));
    expect(deltas(await collected(ask())).join('')).toBe('better two, and longer');
  });
});

describe('what a turn expects', () => {
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
  const calls = answered([{ type: 'toolCall', id: 'a', name: 'bash', arguments: {} }]);
  const results: Message[] = [
    said('go'),
    calls,
    resulted('a', 'bash', '2 tests fail', { isError: true }),
    resulted('b', 'read', 'text of b'),
  ];
  const announced: Message = {
    role: 'custom',
    customType: 'tools',
    content: [{ type: 'text', text: 'tools now available: word-count' }],
    display: false,
    timestamp: 1,
  };
  const request: Partial<ModelRequest> = {
    messages: [
      ...results,
      announced,
      { role: 'user', content: [{ type: 'text', text: 'please fix 42 bugs' }, image], timestamp: 1 },
    ],
    tools: [readFace],
  };

  test.each<NonNullable<ScriptTurn['expect']>>([
    { tools: ['read'] },
    { noTools: ['write'] },
    { last: 'fix 42' },
    { last: '/FIX \\d+ bugs$/i' },
    { toolResult: [{ tool: 'bash', contains: 'fail', isError: true }, { contains: '/^text/' }, { isError: false }] },
    { system: 'Be brief' },
    { system: 'now available: word-count' },
  ])('%j is met', async (expect_) => {
    turns({ expect: expect_, text: 'ok' });
    expect(deltas(await collected(ask(request)))).toEqual(['ok']);
  });

  test.each<[NonNullable<ScriptTurn['expect']>, readonly string[]]>([
    [{ tools: ['read', 'bash'] }, ['  tools', '  - expected: read, bash (missing: bash)', '  + came:     read']],
    [{ noTools: ['read'] }, ['  noTools', '  - expected: not read', '  + came:     read']],
    [{ last: 'break' }, ['  last', '  - expected: "break"', '  + came:     "please fix 42 bugs"']],
    [{ last: '/^fix/' }, ['  last', '  - expected: /^fix/', '  + came:     "please fix 42 bugs"']],
    [
      { toolResult: [{ tool: 'bash', contains: 'pass', isError: false }] },
      [
        '  toolResult',
        '  - expected: a result that is no error of bash with "pass"',
        '  + came:     bash (error): "2 tests fail"',
        '  + came:     read: "text of b"',
      ],
    ],
    [
      { system: 'Be long' },
      ['  system', '  - expected: "Be long"', '  + came:     "Be brief.\\ntools now available: word-count"'],
    ],
  ])('%j is not met, and the difference is shown', async (expect_, lines) => {
    turns({ text: 'one' }, { expect: expect_, text: 'ok' });
    await collected(ask(request));
    const { error, before } = await failureOfReply(ask(request));
    expect(error).toMatchObject({ code: 'script_expectation' });
    expect((error as Error).message.split('\n')).toEqual([
      'script s.json, turn 2: the request is not what the turn expects',
      ...lines,
    ]);
    expect(before).toEqual([]);
  });

  test('where there are no tools and no results, that is said', async () => {
    turns({ expect: { tools: ['read'], toolResult: [{}], last: 'x' } });
    const { error } = await failureOfReply(ask({ messages: [] }));
    expect((error as Error).message).toContain('came:     no tools');
    expect((error as Error).message).toContain('came:     no results');
    expect((error as Error).message).toContain('came:     ""');
  });

  test('a path in an expectation is no pattern', async () => {
    turns({ expect: { last: '/tmp/[a/' }, text: 'ok' });
    expect(deltas(await collected(ask({ messages: [said('read /tmp/[a/b')] })))).toEqual(['ok']);
  });
});

describe('how a turn fails', () => {
  test.each([
    [
      { status: 429, body: '{"error":{"message":"slow down"}}', retryAfter: 1.5 },
      {
        code: 'model_rate_limited',
        status: 429,
        retryAfterMs: 1500,
        message: 'script (s.json) answered 429: slow down',
      },
    ],
    [{ status: 500 }, { code: 'model_overloaded', message: 'script (s.json) answered 500' }],
    [{ status: 400, body: 'prompt is too long' }, { code: 'model_context_overflow' }],
  ])('%j', async (error, expected) => {
    turns({ error });
    const failure = await failureOfReply(ask());
    expect(failure.error).toMatchObject(expected);
    expect(failure.before).toEqual([]);
  });

  test.each([
    ['before', []],
    ['mid', ['a', 'b']],
    ['after', ['a', 'b', 'c', '{}']],
  ] as const)('disconnected %s', async (disconnect, came) => {
    turns({ text: 'abc', chunk: 1, calls: [{ name: 'ls' }], error: { disconnect } });
    const { error, before } = await failureOfReply(ask());
    expect(error).toMatchObject({ code: 'model_disconnected', message: expect.stringContaining('as the script says') });
    expect(deltas(before)).toEqual(came);
    expect(before.some(({ type }) => type === 'done')).toBe(false);
  });

  test('stalled, after what it says; an abort ends it', async () => {
    turns({ text: 'a', error: { stall: true } }, { error: { stall: true } });
    const { error, before } = await failureOfReply(ask());
    expect(error).toMatchObject({ code: 'model_stalled' });
    expect(deltas(before)).toEqual(['a']);
    provider = scriptProvider({ cwd: () => cwd, positions });
    const controller = new AbortController();
    const reading = collected(ask({}, 's.json', controller.signal));
    setTimeout(() => controller.abort(), 20);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the file', () => {
  const failure = async (name: string): Promise<Error> => {
    try {
      await provider.model(name);
    } catch (error) {
      return error as Error;
    }
    throw new Error('it is a script');
  };

  test('YAML or JSON, relative to the folder, absolute, or in a folder', async () => {
    write(
      's.yml',
      'version: 1\nmodel: { contextWindow: 9000, reasoning: true }\nturns:\n  - text: |\n      Hello\n    calls:\n      - { name: read, args: { path: a.txt }, split: 2 }\n',
    );
    expect(await provider.model('s.yml')).toMatchObject({
      id: 'script/s.yml',
      contextWindow: 9000,
      thinking: expect.arrayContaining(['high']),
      available: true,
    });
    expect(await messageOfReply(ask({}, 's.yml'))).toMatchObject({
      content: [{ text: 'Hello\n' }, { arguments: { path: 'a.txt' } }],
    });
    expect(await provider.model(path.join(cwd, 's.yml'))).toMatchObject({
      id: `script/${cwd}/s.yml`,
      model: `${cwd}/s.yml`,
    });
    mkdirSync(path.join(cwd, 'sub'));
    write('sub/t.json', '{"version":1,"turns":[]}');
    expect(await provider.model('sub/t.json')).toMatchObject({ contextWindow: 200_000, thinking: ['off'] });
  });

  test.each([
    [
      'version: 1\nturns:\n  - text: a\n  - calls:\n      - { nam: read }\n',
      's.yml:5: turns[1].calls[0].nam: is not known; did you mean name?',
    ],
    ['version: 1\nturns:\n  - text: a\n    chunck: 3\n', 's.yml:4: turns[0].chunck: is not known; did you mean chunk?'],
    ['version: 2\nturns: []\n', 's.yml:1: version: expected 1'],
    [
      'version: 1\nturns:\n  - text: a\n    error: { status: 700 }\n',
      's.yml:4: turns[0].error.status: expected a number from 400 to 599, not 700',
    ],
    [
      'version: 1\nturns:\n  - text: a\n    error: { fail: 1 }\n',
      's.yml:4: turns[0].error: expected {status, body, retryAfter}, {disconnect',
    ],
    [
      'version: 1\nturns:\n  - text: a\n    error: { status: 500 }\n',
      's.yml:4: turns[0].error: a turn that fails with a status says nothing',
    ],
    ['version: 1\nturns:\n  - text: [unclosed\n', 's.yml:4: '],
    [
      'version: 1\nturns:\n  - calls:\n      - args: {}\n',
      's.yml:4: turns[0].calls[0].name: is missing; expected a text that is not empty',
    ],
    ['just text\n', 's.yml:1: expected a map, not "just text"'],
    ['', 's.yml:1: '],
    ['{"version":1,"turns":[\n{"text":7}]}', 's.yml:2: turns[0].text'],
    [
      `a: &a [x]\n${Array.from({ length: 12 }, (_, at) => `b${at}: &b${at} [${Array.from({ length: 10 }, () => (at === 0 ? '*a' : `*b${at - 1}`)).join(',')}]`).join('\n')}`,
      's.yml: ',
    ],
  ])('%j', async (text, said) => {
    write('s.yml', text);
    const error = await failure('s.yml');
    expect(error).toMatchObject({ code: 'script_invalid' });
    expect(error.message).toContain(said);
  });

  test('one that is not there, and one that is no file', async () => {
    expect(await failure('none.yml')).toMatchObject({
      code: 'script_invalid',
      message: expect.stringContaining(path.join(cwd, 'none.yml')),
    });
    expect(await failure('.')).toMatchObject({ code: 'script_invalid', message: '. is no file' });
  });

  test('a mistake that is mended is forgotten', async () => {
    write('s.yml', 'version: 3\n');
    await failure('s.yml');
    write('s.yml', 'version: 1\nturns: []\n');
    expect(await provider.model('s.yml')).toMatchObject({ name: 's.yml' });
  });

  test('a test writes one from its turns', async () => {
    using script = scriptFile([{ text: 'Hi' }]);
    expect(script.model).toBe(`script/${script.path}`);
    expect(deltas(await collected(ask({}, script.path)))).toEqual(['Hi']);
  });
});
