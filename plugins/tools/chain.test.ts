import { type AnyTool, resultText, toolCall, toolInput, toolResult, tools } from 'kern/contracts';
import { type Context, definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bootTools } from './test/kernel.ts';

// What comes before a call and after it: each test is a sentence of those who describe such chains.

const plugin = (id: string, setup: (ctx: Context<undefined>) => unknown): PluginDefinition =>
  definePlugin({ id, requires: ['tools'], setup });

const shell = (ran: string[]) =>
  plugin('shell', (ctx) =>
    ctx.contribute(tools, {
      name: 'shell',
      description: 'Runs.',
      parameters: z.object({ command: z.string(), description: z.string().optional() }),
      executionMode: 'sequential',
      execute: async (_id, { command, description }) => {
        ran.push(`${command}${description === undefined ? '' : ` (${description})`}`);
        return command === 'fail'
          ? { content: [{ type: 'text', text: 'broken' }], isError: true, details: { code: 1 } }
          : { content: [{ type: 'text', text: 'done' }], details: { code: 0 } };
      },
    }),
  );

test('before: a veto gives its reason, and the call does not run', async () => {
  const ran: string[] = [];
  const trust = plugin('trust', (ctx) =>
    ctx.tap(toolCall, ({ tool }) => (tool === 'shell' ? { block: 'this project is not trusted' } : undefined)),
  );
  await using t = await bootTools([], [shell(ran), trust]);
  const result = await t.callTool('shell', { command: 'x' });
  expect(result).toMatchObject({ isError: true });
  expect(result.terminate).toBeUndefined();
  expect(resultText(result)).toContain('this project is not trusted');
  expect(ran).toEqual([]);
});

test('before: a veto may force the end of the run', async () => {
  using replies = script([{ calls: [{ name: 'shell', args: { command: 'x' } }] }, { text: 'goes on' }]);
  const stop = plugin('stop', (ctx) => ctx.tap(toolCall, () => ({ block: 'enough', terminate: true })));
  await using kern = await bootKern([shell([]), stop]);
  expect(await kern.run('x', { model: replies.model })).toMatchObject({ status: 'ok', turns: 1 });
});

test('before: arguments are validated when they are judged, and corrections are validated again', async () => {
  const ran: string[] = [];
  const judged: unknown[] = [];
  const describe = plugin('describe', (ctx) => {
    ctx.tap(toolInput, (call) => ({
      ...call,
      args: call.args.description === undefined ? { ...call.args, description: 'made up' } : call.args,
    }));
    ctx.tap(toolCall, ({ args }) => void judged.push(args));
  });
  await using t = await bootTools([], [shell(ran), describe]);
  await t.callTool('shell', '{"command": "x"}');
  expect(judged).toEqual([{ command: 'x', description: 'made up' }]);
  expect(ran).toEqual(['x (made up)']);
});

test('before: several may have a say; the first refusal counts, and no yes beats it', async () => {
  const ran: string[] = [];
  const asked: string[] = [];
  // Without types a plugin may answer anything: there is no way to say yes.
  const yes = plugin('yes', (ctx) =>
    ctx.tap(
      toolCall,
      () => {
        asked.push('yes');
        return undefined;
      },
      { order: -10 },
    ),
  );
  const no = plugin('no', (ctx) =>
    ctx.tap(toolCall, () => {
      asked.push('no');
      return { block: 'no' };
    }),
  );
  const late = plugin('late', (ctx) =>
    ctx.tap(
      toolCall,
      () => {
        asked.push('late');
        return undefined;
      },
      { order: 10 },
    ),
  );
  await using t = await bootTools([], [shell(ran), yes, no, late]);
  expect(resultText(await t.callTool('shell', { command: 'x' }))).toContain('no');
  expect(asked).toEqual(['yes', 'no']);
  expect(ran).toEqual([]);
});

test.each([
  ['{allow: true}', { allow: true }],
  ['{decision: "allow"}', { decision: 'allow' }],
  ['{block: false}', { block: false }],
  ['true', true],
  ['a text', 'allow'],
])('before: an answer that is no refusal and no silence refuses too: %s', async (_what, answer) => {
  const ran: string[] = [];
  const odd = plugin('odd', (ctx) => ctx.tap(toolCall, (() => answer) as never));
  await using t = await bootTools([], [shell(ran), odd]);
  expect(await t.callTool('shell', { command: 'x' })).toMatchObject({ isError: true });
  expect(ran).toEqual([]);
});

test('before: a guard that throws refuses', async () => {
  const ran: string[] = [];
  const broken = plugin('broken', (ctx) =>
    ctx.tap(toolCall, () => {
      throw new Error('no idea');
    }),
  );
  await using t = await bootTools([], [shell(ran), broken]);
  expect(resultText(await t.callTool('shell', { command: 'x' }))).toContain('no idea');
  expect(ran).toEqual([]);
});

test('after: content, details, error and end can be changed, and what is not changed stays', async () => {
  const patch = plugin('patch', (ctx) =>
    ctx.tap(toolResult, (call) => ({
      ...call,
      result: { ...call.result, content: [{ type: 'text', text: 'other' }] },
    })),
  );
  await using t = await bootTools([], [shell([]), patch]);
  expect(await t.callTool('shell', { command: 'fail' })).toEqual({
    content: [{ type: 'text', text: 'other' }],
    details: { code: 1 },
    isError: true,
  });
  const turn = plugin('turn', (ctx) =>
    ctx.tap(toolResult, (call) => ({
      ...call,
      result: { ...call.result, isError: false, details: 'seen', terminate: true },
    })),
  );
  await using u = await bootTools([], [shell([]), turn]);
  expect(await u.callTool('shell', { command: 'fail' })).toMatchObject({
    ...{ isError: false, details: 'seen', terminate: true },
  });
});

test('after: a failed command can be given a hint, and the arguments are known', async () => {
  const hint = plugin('hint', (ctx) =>
    ctx.tap(toolResult, (call) =>
      call.result.isError === true && call.args.command === 'fail'
        ? {
            ...call,
            result: {
              ...call.result,
              content: [{ type: 'text', text: `${resultText(call.result)}\n\nCheck the syntax.` }],
            },
          }
        : call,
    ),
  );
  await using t = await bootTools([], [shell([]), hint]);
  expect(resultText(await t.callTool('shell', { command: 'fail' }))).toBe('broken\n\nCheck the syntax.');
  expect(resultText(await t.callTool('shell', { command: 'x' }))).toBe('done');
});

test('after: each sees what the one before it made, also the notices of the output', async () => {
  const long = plugin('long', (ctx) =>
    ctx.contribute(tools, {
      name: 'long',
      description: 'Says of itself that it was cut.',
      parameters: z.object({}),
      execute: async () => ({
        content: [{ type: 'text', text: 'a' }],
        details: { meta: { truncation: { direction: 'head', from: 1, to: 1, totalLines: 9, nextOffset: 2 } } },
      }),
    }),
  );
  const seen: string[] = [];
  const first = plugin('first', (ctx) =>
    ctx.tap(
      toolResult,
      (call) => {
        seen.push(resultText(call.result));
        return { ...call, result: { ...call.result, content: [{ type: 'text', text: 'first' }] } };
      },
      { order: -1 },
    ),
  );
  const second = plugin('second', (ctx) =>
    ctx.tap(toolResult, (call) => {
      seen.push(resultText(call.result));
      return call;
    }),
  );
  await using t = await bootTools([], [long, first, second]);
  expect(resultText(await t.callTool('long', {}))).toBe('first');
  expect(seen).toEqual(['a\n\n[Showing lines 1-1 of 9. Use offset=2 to continue.]', 'first']);
});

test('after: one that fails changes nothing', async () => {
  const broken = plugin('broken', (ctx) =>
    ctx.tap(toolResult, () => {
      throw new Error('no');
    }),
  );
  await using t = await bootTools([], [shell([]), broken]);
  expect(resultText(await t.callTool('shell', { command: 'x' }))).toBe('done');
});

test('a schema of another library validates, also one that takes its time', async () => {
  const standard = (validate: (value: unknown) => unknown) => ({
    '~standard': { version: 1, vendor: 'mine', validate },
  });
  const word = (value: unknown) =>
    typeof value === 'object' && value !== null && 'word' in value && typeof value.word === 'string'
      ? { value: { word: value.word.toUpperCase() } }
      : { issues: [{ message: 'must be a word', path: ['word'] }] };
  const tool = (name: string, parameters: unknown): AnyTool =>
    ({
      ...{
        name,
        description: 'x',
        parameters,
        inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      },
      execute: async (_id: string, args: { word: string }) => ({ content: [{ type: 'text', text: args.word }] }),
    }) as unknown as AnyTool;
  const both = plugin('both', (ctx) => {
    ctx.contribute(tools, tool('now', standard(word)));
    ctx.contribute(
      tools,
      tool(
        'later',
        standard(async (value) => word(value)),
      ),
    );
  });
  await using t = await bootTools([], [both]);
  for (const name of ['now', 'later']) {
    expect(resultText(await t.callTool(name, { word: 'a' }))).toBe('A');
    expect(resultText(await t.callTool(name, { word: 7 }))).toBe('7');
    expect(resultText(await t.callTool(name, {}))).toBe(
      `${name} was not run: its arguments are not right.\n- word: must be a word\nRight shape: {word?: string}`,
    );
  }
});

test('a refusal names fields that lie deep, and says why none of several shapes fits', async () => {
  const deep = plugin('deep', (ctx) =>
    ctx.contribute(tools, {
      name: 'deep',
      description: 'x',
      parameters: z.object({
        edits: z.array(z.object({ oldText: z.string(), newText: z.string() })),
        at: z.union([z.object({ line: z.int() }), z.object({ text: z.string() })]).optional(),
      }),
      execute: async () => ({ content: [] }),
    }),
  );
  await using t = await bootTools([], [deep]);
  expect(resultText(await t.callTool('deep', { edits: [{ oldText: 'a', newText: 'b' }, { oldText: 'a' }] }))).toContain(
    '- edits.1.newText: is missing (string)',
  );
  const wrong = resultText(await t.callTool('deep', { edits: [], at: { line: 'x' } }));
  expect(wrong).toMatch(/- at/);
  expect(wrong).not.toContain('Invalid input');
  expect(wrong).toContain('at?: {line: integer} | {text: string}');
});

test('the setting tools.execution orders every batch, and one sequential tool its own', async () => {
  const log: string[] = [];
  const slow = (name: string, executionMode?: 'sequential') =>
    plugin(name, (ctx) =>
      ctx.contribute(tools, {
        name,
        description: 'x',
        parameters: z.object({ ms: z.number() }),
        ...(executionMode === undefined ? {} : { executionMode }),
        execute: async (_id, { ms }) => {
          log.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, ms));
          log.push(`${name} ends`);
          return { content: [{ type: 'text', text: name }] };
        },
      }),
    );
  const run = async (calls: readonly string[], settings = {}): Promise<string> => {
    log.length = 0;
    using replies = script([{ calls: calls.map((name) => ({ name, args: { ms: 30 } })) }, { text: 'ok' }]);
    await using kern = await bootKern([slow('a'), slow('b'), slow('c', 'sequential')], { settings });
    expect(await kern.run('x', { model: replies.model })).toMatchObject({ status: 'ok' });
    return log.join(', ');
  };
  expect(await run(['a', 'b'])).toMatch(/^a begins, b begins/);
  expect(await run(['a', 'b'], { 'tools.execution': 'sequential' })).toBe('a begins, a ends, b begins, b ends');
  expect(await run(['a', 'c'])).toBe('a begins, a ends, c begins, c ends');
});
