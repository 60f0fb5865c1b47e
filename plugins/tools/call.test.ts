import {
  type AnyTool,
  defineTool,
  resultText,
  type ToolCallInput,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  toolUpdate,
} from 'kern/contracts';
import { type Context, definePlugin, KernError, type PluginDefinition } from 'kern/plugin';
import { fakeClock } from 'kern/testing';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { bootTools } from './test/kernel.ts';

const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
const plugin = (id: string, setup: (ctx: Context<undefined>) => unknown): PluginDefinition =>
  definePlugin({ id, requires: ['tools'], setup });
/** A plugin with one tool, that says what it got. */
const echo = plugin('echo', (ctx) =>
  ctx.contribute(tools, {
    name: 'echo',
    description: 'Says what it got.',
    parameters: z.object({ word: z.string(), times: z.int().min(1).default(1), loud: z.boolean().optional() }),
    effects: ({ word }) => [{ kind: 'read', path: `/${word}` }],
    execute: async (_id, args) => text(JSON.stringify(args)),
  }),
);

test('a call runs with validated arguments, defaults included', async () => {
  await using t = await bootTools([], [echo]);
  expect(resultText(await t.callTool('echo', { word: 'a', unknown: 1 }))).toBe('{"word":"a","times":1}');
});

test('arguments are bent into shape first, and left alone where they fit', async () => {
  await using t = await bootTools([], [echo]);
  expect(resultText(await t.callTool('echo', { word: 12, times: '3', loud: null }))).toBe('{"word":"12","times":3}');
  expect(resultText(await t.callTool('echo', '{"word":"true"}'))).toBe('{"word":"true","times":1}');
  expect(resultText(await t.callTool('echo', { word: '{"a":1}' }))).toBe('{"word":"{\\"a\\":1}","times":1}');
});

test('a bad argument is refused with the field, what was wrong and the right shape', async () => {
  await using t = await bootTools([], [echo]);
  const prepared = await t.prepare('echo', { times: 'many' });
  expect(prepared).toMatchObject({ state: 'refused', reason: 'invalid', result: { isError: true } });
  expect(prepared.state === 'refused' && resultText(prepared.result)).toBe(
    'echo was not run: its arguments are not right.\n- word: is missing (string)\n- times: expected number, received string\nRight shape: {word: string, times?: integer, loud?: boolean}',
  );
  expect(await t.prepare('echo', [1])).toMatchObject({ reason: 'invalid' });
  expect(resultText(await t.callTool('echo', undefined))).toContain('word: is missing');
});

test('an unknown tool is refused with the known ones, near names first', async () => {
  await using t = await bootTools(['tools.read', 'tools.bash'], [echo]);
  const prepared = await t.prepare('Raed', {});
  expect(prepared).toMatchObject({ state: 'refused', reason: 'unknown' });
  expect(prepared.state === 'refused' && resultText(prepared.result)).toMatch(
    /^There is no tool "Raed"\. Did you mean read\? Known tools: read, (bash, echo|echo, bash)\.$/,
  );
  await using empty = await bootTools([]);
  expect(resultText(await empty.callTool('x', {}))).toBe('There is no tool "x": no tools are available.');
});

test('a tool with a JSON Schema of its own is bent and checked by that', async () => {
  const weather = plugin('weather', (ctx) =>
    ctx.contribute(tools, {
      name: 'weather',
      description: 'Weather.',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
      execute: async (_id: string, args: unknown) => text(JSON.stringify(args)),
    } as AnyTool),
  );
  await using t = await bootTools([], [weather]);
  expect(resultText(await t.callTool('weather', { city: 'Ulm', days: '3' }))).toBe('{"city":"Ulm","days":3}');
  expect(resultText(await t.callTool('weather', { days: 1 }))).toBe(
    'weather was not run: its arguments are not right.\n- city: is missing\nRight shape: {city: string, days?: integer}',
  );
});

test('tool.input changes the arguments, which are validated again; tool.call sees the final ones and their effects', async () => {
  const seen: ToolCallInput[] = [];
  const judge = plugin('judge', (ctx) => {
    ctx.tap(toolInput, ({ args, ...rest }) => ({
      ...rest,
      args: { ...args, word: args.word === 'swap' ? 'swapped' : args.word === 'spoil' ? 5 : args.word },
    }));
    ctx.tap(toolCall, (call) => void seen.push(call));
  });
  await using t = await bootTools([], [echo, judge]);
  expect(resultText(await t.callTool('echo', { word: 'swap' }))).toBe('{"word":"swapped","times":1}');
  expect(seen).toEqual([
    {
      tool: 'echo',
      callId: 'c1',
      args: { word: 'swapped', times: 1 },
      effects: [{ kind: 'read', path: '/swapped' }],
      where: t.view.where,
      sessionId: 's1',
      by: 'model',
    },
  ]);
  const spoiled = await t.prepare('echo', { word: 'spoil' });
  expect(spoiled).toMatchObject({ state: 'refused', reason: 'invalid' });
  expect(spoiled.state === 'refused' && resultText(spoiled.result)).toContain(
    '(a plugin changed them through tool.input)',
  );
  expect(seen).toHaveLength(1);
});

test('a veto keeps the tool from running, gives its reason, and may end the run', async () => {
  let ran = 0;
  const counter = plugin('counter', (ctx) =>
    ctx.contribute(tools, {
      name: 'count',
      description: 'x',
      parameters: z.object({}),
      execute: async () => {
        ran += 1;
        return text('ran');
      },
    }),
  );
  const veto = plugin('veto', (ctx) =>
    ctx.tap(toolCall, ({ tool }) => (tool === 'count' ? { block: 'not today', terminate: true } : undefined)),
  );
  await using t = await bootTools([], [counter, veto]);
  const prepared = await t.prepare('count', {});
  expect(prepared).toMatchObject({ state: 'refused', reason: 'blocked', result: { isError: true, terminate: true } });
  expect(prepared.state === 'refused' && resultText(prepared.result)).toBe('count was not run: not today');
  expect(ran).toBe(0);
});

test('a tool that says nothing of its effects has all of them', async () => {
  const plain = plugin('plain', (ctx) =>
    ctx.contribute(tools, { name: 'plain', description: 'x', parameters: z.object({}), execute: async () => text('') }),
  );
  await using t = await bootTools([], [plain]);
  expect(await t.prepare('plain', {})).toMatchObject({ state: 'ready', effects: [{ kind: 'everything' }] });
});

test('without its keeper, every call is refused', async () => {
  await using t = await bootTools([], [echo], { keepers: 'enforced' });
  const prepared = await t.prepare('echo', { word: 'a' });
  expect(prepared).toMatchObject({ state: 'refused', reason: 'blocked' });
  expect(prepared.state === 'refused' && resultText(prepared.result)).toContain('permissions is not loaded');
});

test.each([
  ['execute', { execute: () => Promise.reject(new Error('the disk is gone')) }],
  [
    'execute, at once',
    {
      execute: () => {
        throw new Error('the disk is gone');
      },
    },
  ],
  [
    'effects',
    {
      effects: () => {
        throw new Error('the disk is gone');
      },
    },
  ],
  [
    'prepareArguments',
    {
      prepareArguments: () => {
        throw new Error('the disk is gone');
      },
    },
  ],
])('a throw in %s is an error result that names tool and plugin', async (_where, faulty) => {
  const broken = plugin('broken', (ctx) =>
    ctx.contribute(tools, {
      name: 'fix',
      description: 'x',
      parameters: z.object({}),
      execute: async () => text(''),
      ...faulty,
    } as AnyTool),
  );
  await using t = await bootTools([], [broken]);
  const result = await t.callTool('fix', {});
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe('fix (plugin broken) failed: the disk is gone');
});

test('the hint of a teaching error reaches the model', async () => {
  const broken = plugin('broken', (ctx) =>
    ctx.contribute(tools, {
      name: 'fix',
      description: 'x',
      parameters: z.object({}),
      execute: async () => Promise.reject(new KernError('no_key', 'no key', { hint: 'Set EXA_API_KEY.' })),
    }),
  );
  await using t = await bootTools([], [broken]);
  expect(resultText(await t.callTool('fix', {}))).toBe('fix (plugin broken) failed: no key\nSet EXA_API_KEY.');
});

test.each([
  ['a string', 'plain', 'plain', undefined],
  ['a string as content', { content: 'plain' }, 'plain', undefined],
  [
    'nothing',
    undefined,
    'answer (plugin odd) answered with something that is no result. A tool returns {content: [{type: "text", text}]}.',
    true,
  ],
  [
    'content that is none',
    { content: [{ type: 'video' }] },
    'answer (plugin odd) answered with something that is no result. A tool returns {content: [{type: "text", text}]}.',
    true,
  ],
])('a tool that answers with %s does not break the turn', async (_what, answer, said, isError) => {
  const odd = plugin('odd', (ctx) =>
    ctx.contribute(tools, {
      name: 'answer',
      description: 'x',
      parameters: z.object({}),
      execute: async () => answer,
    } as unknown as AnyTool),
  );
  await using t = await bootTools([], [odd]);
  const result = await t.callTool('answer', {});
  expect(resultText(result)).toBe(said);
  expect(result.isError).toBe(isError);
});

test('an error of any size reaches the model as its beginning and its end', async () => {
  const problems = Array.from({ length: 5000 }, (_, at) => `problem ${at}: ${'x'.repeat(60)}`);
  const long = plugin('long', (ctx) =>
    ctx.contribute(tools, {
      name: 'fail',
      description: 'x',
      parameters: z.object({ list: z.array(z.string()).default([]), throws: z.boolean().default(false) }),
      execute: async (_id, { throws }) => {
        if (throws) throw new Error(problems.join('\n'));
        return { ...text(problems.join('\n')), isError: true, details: { kept: true } };
      },
    }),
  );
  await using t = await bootTools([], [long]);
  const result = await t.callTool('fail', {});
  expect(result).toMatchObject({ isError: true, details: { kept: true } });
  const invalid = await t.callTool('fail', { list: problems.map((_, at) => ({ at })) });
  const thrown = await t.callTool('fail', { throws: true });
  for (const one of [result, invalid, thrown]) {
    expect(Buffer.byteLength(resultText(one))).toBeLessThan(51 * 1024);
    expect(resultText(one)).toMatch(/\n\[… \d+ lines …\]\n[\s\S]*\[This error has .* KB; its middle is left out\./);
  }
  expect(resultText(result)).toMatch(/^problem 0: [\s\S]*\nproblem 4999: /);
  expect(resultText(invalid)).toMatch(/^fail was not run: its arguments are not right\.\n[\s\S]*\nRight shape: /);
});

test('an output that was cut already, with words below it, is not cut again', async () => {
  const output = `${'x'.repeat(50 * 1024)}\n\nCommand exited with code 1`;
  const cut = plugin('cut', (ctx) =>
    ctx.contribute(tools, {
      name: 'cut',
      description: 'x',
      parameters: z.object({}),
      execute: async () => ({ ...text(output), isError: true }),
    }),
  );
  await using t = await bootTools([], [cut]);
  expect(resultText(await t.callTool('cut', {}))).toBe(output);
});

test('tool.result patches what the model gets; a patch that is no result is passed over', async () => {
  const redact = plugin('redact', (ctx) =>
    ctx.tap(toolResult, (value) => {
      const said = resultText(value.result);
      if (said.includes('spoil')) return { ...value, result: 5 as never };
      return { ...value, result: { ...value.result, ...text(said.replace('secret', '***')), isError: true } };
    }),
  );
  await using t = await bootTools([], [echo, redact]);
  expect(await t.callTool('echo', { word: 'secret' })).toEqual({
    content: [{ type: 'text', text: '{"word":"***","times":1}' }],
    isError: true,
  });
  expect(resultText(await t.callTool('echo', { word: 'spoil' }))).toBe('{"word":"spoil","times":1}');
});

test('start, updates and end are told once each, also for a call that is refused; late updates are not', async () => {
  const told: string[] = [];
  let late: (() => void) | undefined;
  const talker = plugin('talker', (ctx) =>
    ctx.contribute(tools, {
      name: 'talk',
      description: 'x',
      parameters: z.object({}),
      async execute(_id, _args, _signal, onUpdate) {
        onUpdate(text('half'));
        late = () => onUpdate(text('too late'));
        return text('whole');
      },
    }),
  );
  const listener = plugin('listener', (ctx) => {
    ctx.tap(toolStart, ({ toolName, args }) => void told.push(`start ${toolName} ${JSON.stringify(args)}`));
    ctx.tap(toolUpdate, ({ partialResult }) => void told.push(`update ${resultText(partialResult)}`));
    ctx.tap(
      toolEnd,
      ({ result, isError, durationMs }) => void told.push(`end ${resultText(result)} ${isError} ${durationMs >= 0}`),
    );
  });
  await using t = await bootTools([], [talker, listener]);
  const updates: string[] = [];
  await t.callTool('talk', {}, { onUpdate: (partial) => updates.push(resultText(partial)) });
  late?.();
  await t.callTool('nothing', { a: 1 });
  expect(told).toEqual([
    'start talk {}',
    'update half',
    'end whole false true',
    'start nothing {"a":1}',
    'end There is no tool "nothing". Known tools: talk. true true',
  ]);
  expect(updates).toEqual(['half']);
});

test('a call aborted before it runs does not run, one aborted while it runs says so', async () => {
  let ran = 0;
  const waiter = plugin('waiter', (ctx) =>
    ctx.contribute(tools, {
      name: 'wait',
      description: 'x',
      parameters: z.object({}),
      execute: (_id, _args, signal) => {
        ran += 1;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    }),
  );
  await using t = await bootTools([], [waiter]);
  expect(await t.prepare('wait', {}, { signal: AbortSignal.abort() })).toMatchObject({
    state: 'refused',
    reason: 'aborted',
  });
  const abort = new AbortController();
  const prepared = await t.prepare('wait', {}, { signal: abort.signal });
  if (prepared.state !== 'ready') throw new Error('not ready');
  const running = prepared.execute();
  abort.abort();
  expect(await running).toMatchObject({ isError: true, content: [{ text: 'wait was aborted.' }] });
  expect(await prepared.execute()).toMatchObject({ isError: true, content: [{ text: 'wait was not run: aborted.' }] });
  expect(ran).toBe(1);
});

test('a tool that does not listen to an abort does not hold it up', async () => {
  const deaf = plugin('deaf', (ctx) =>
    ctx.contribute(tools, {
      name: 'wait',
      description: 'x',
      parameters: z.object({}),
      execute: () => new Promise(() => undefined),
    }),
  );
  await using t = await bootTools([], [deaf], { clock: fakeClock() });
  const abort = new AbortController();
  const prepared = await t.prepare('wait', {}, { signal: abort.signal });
  if (prepared.state !== 'ready') throw new Error('not ready');
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const running = prepared.execute();
  abort.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  expect(resultText(await running)).toMatch(/^wait was aborted and did not end within 5 s/);
});

test('a tool that goes away while it runs gives an error result', async () => {
  const gone = plugin('gone', (ctx) =>
    ctx.contribute(tools, {
      name: 'wait',
      description: 'x',
      parameters: z.object({}),
      execute: () => new Promise(() => undefined),
    }),
  );
  const clock = fakeClock();
  await using t = await bootTools([], [gone], { clock });
  const prepared = await t.prepare('wait', {});
  if (prepared.state !== 'ready') throw new Error('not ready');
  const running = prepared.execute();
  const dropped = t.drop('gone');
  await clock.advance(5_000);
  await dropped;
  const result = await running;
  expect(result.isError).toBe(true);
  expect(resultText(result)).toContain('plugin gone was unloaded');
});

test('a tool is given the place, the session, a supervisor and a folder for long outputs', async () => {
  const user = plugin('user', (ctx) =>
    ctx.contribute(
      tools,
      defineTool({
        name: 'use',
        description: 'x',
        parameters: z.object({}),
        async execute(_id, _args, _signal, _onUpdate, { where, sessionId, spawn, artifacts }) {
          const { stdout } = await spawn('pwd', []).result;
          return text(
            [where.cwd, sessionId, stdout.trim(), (await artifacts()).startsWith(`${where.home}/cache/`)].join(' '),
          );
        },
      }),
    ),
  );
  await using t = await bootTools([], [user]);
  expect(resultText(await t.callTool('use', {}))).toBe(`${t.dir} s1 ${t.dir} true`);
});

test('what a tool spawns ends with its abort', async () => {
  const user = plugin('user', (ctx) =>
    ctx.contribute(tools, {
      name: 'sleep',
      description: 'x',
      parameters: z.object({}),
      async execute(_id, _args, _signal, onUpdate, { spawn }) {
        const child = spawn('bash', ['-c', 'echo up; sleep 600'], { onOutput: () => onUpdate(text('up')) });
        return text(JSON.stringify(await child.result.then(({ aborted }) => aborted)));
      },
    }),
  );
  await using t = await bootTools([], [user]);
  const abort = new AbortController();
  expect(resultText(await t.callTool('sleep', {}, { signal: abort.signal, onUpdate: () => abort.abort() }))).toBe(
    'true',
  );
});

test.each([
  ['refer to themselves', selfReferring(), 'circular'],
  ['hold a big integer', [1n], 'BigInt'],
])('details that %s are replaced by a note that names the tool; its answer stands', async (_name, details, why) => {
  const odd = plugin('odd', (ctx) =>
    ctx.contribute(tools, {
      name: 'odd',
      description: 'Answers with odd details.',
      parameters: z.object({}),
      execute: async (_id, _args, _signal, onUpdate) => {
        onUpdate?.({ ...text('half'), details });
        return { ...text('done'), details };
      },
    }),
  );
  await using t = await bootTools([], [odd]);
  const prepared = await t.prepare('odd', {});
  if (prepared.state !== 'ready') throw new Error('not ready');
  const partials: unknown[] = [];
  const result = await prepared.execute((partial) => partials.push(partial));
  expect(resultText(result)).toBe('done');
  for (const one of [result, ...partials])
    expect(JSON.stringify(one)).toMatch(new RegExp(`the details of odd \\(plugin odd\\) could not be kept: .*${why}`));
});

function selfReferring(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
