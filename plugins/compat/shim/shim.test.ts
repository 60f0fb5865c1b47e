import { AsyncLocalStorage } from 'node:async_hooks';
import type { Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { foreignModules } from '../contract.ts';
import { StringEnum, uuidv7 } from './ai.ts';
import { convertToLlm, estimateTokens, serializeConversation } from './conversation.ts';
import { type ForeignKind, makeModule } from './modules.ts';
import { bashElsewhere, editElsewhere, readElsewhere, writeElsewhere } from './operations.ts';
import { truncateHead, truncateTail } from './truncate.ts';
import * as tui from './tui/all.ts';
import { Type, typebox } from './typebox.ts';
import { Compile } from './typebox-compile.ts';
import { Value } from './typebox-value.ts';

test('every name leads to a module that names what it lacks', async () => {
  const around = new AsyncLocalStorage<never>();
  for (const [kind, names] of Object.entries(foreignModules)) {
    const module = await makeModule(kind as ForeignKind, { name: names[0] ?? '', home: '/home/ada/.kern', around });
    expect(Reflect.get(module, '__esModule')).toBe(true);
    expect(() => Reflect.get(module, 'noSuchName')).toThrow(`${names[0]} has no noSuchName in kern`);
  }
});

test('schemas are plain JSON Schema, and what is optional is not required', () => {
  const inner = Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer({ minimum: 1 })) }, { description: 'x' });
  expect(JSON.parse(JSON.stringify(inner))).toEqual({
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 1 } },
    description: 'x',
  });
  expect(Type.Partial(inner)).not.toHaveProperty('required');
  expect(Type.Required(inner)).toMatchObject({ required: ['a', 'b'] });
  expect(Type.Pick(inner, ['b'])).toMatchObject({ properties: { b: { type: 'integer' } } });
  expect(Type.Omit(inner, Type.Literal('b'))).toMatchObject({ required: ['a'], properties: { a: {} } });
  expect(Type.Composite([inner, Type.Object({ c: Type.Boolean() })])).toMatchObject({ required: ['a', 'c'] });
  expect(Type.Union([Type.Literal('x'), Type.Null()])).toEqual({
    anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }],
  });
  expect(Type.Enum({ A: 'a', B: 'b' }).anyOf).toHaveLength(2);
  expect(Type.Record(Type.String(), Type.Number())).toEqual({
    type: 'object',
    additionalProperties: { type: 'number' },
  });
  expect(StringEnum(['a', 'b'], { default: 'a' })).toEqual({ type: 'string', enum: ['a', 'b'], default: 'a' });
  expect(typebox.String).toBe(Type.String);
});

test('values are checked by a schema', () => {
  const schema = Type.Object({ a: Type.String({ minLength: 2 }) });
  expect([Value.Check(schema, { a: 'ab' }), Value.Check(schema, { a: 'a' }), Value.Check(schema, {})]).toEqual([
    true,
    false,
    false,
  ]);
  expect(Value.Errors(schema, { a: 1 })[0]).toMatchObject({ path: expect.stringContaining('') });
  expect(() => Value.Parse(schema, {})).toThrow(TypeError);
  expect(Compile(schema).Check({ a: 'abc' })).toBe(true);
});

test('long texts are cut as pi says they are', () => {
  const lines = Array.from({ length: 10 }, (_, at) => `line ${at}`).join('\n');
  expect(truncateHead(lines, { maxLines: 2 })).toMatchObject({
    content: 'line 0\nline 1',
    truncated: true,
    truncatedBy: 'lines',
    totalLines: 10,
    outputLines: 2,
  });
  expect(truncateTail(lines, { maxLines: 1 })).toMatchObject({ content: 'line 9', outputLines: 1 });
  expect(truncateHead('x'.repeat(100), { maxBytes: 10 })).toMatchObject({ content: '', firstLineExceedsLimit: true });
  expect(truncateHead('short')).toMatchObject({ content: 'short', truncated: false, truncatedBy: null });
});

test('a conversation is told as text, and as a model reads it', () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 1 },
    { role: 'bashExecution', command: 'ls', output: 'a.txt', exitCode: 0, timestamp: 2 },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'hello' },
        { type: 'toolCall', id: 'c', name: 'ls', arguments: {} },
      ],
      timestamp: 3,
    },
    {
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'ls',
      content: [{ type: 'text', text: 'b'.repeat(3000) }],
      isError: false,
      timestamp: 4,
    },
  ];
  const read = convertToLlm(messages);
  expect(read.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'toolResult']);
  const text = serializeConversation(read);
  expect(text).toContain('[User]: hi');
  expect(text).toContain('[Assistant tool calls]: ls({})');
  expect(text).toContain('[… 1000 more characters]');
  expect(estimateTokens(read[3] as Message)).toBe(750);
});

test('files and commands of another place go through the operations of the extension', async () => {
  const files = new Map([['/there/a.txt', 'one\ntwo\nthree']]);
  const operations = {
    readFile: async (path: string) => Buffer.from(files.get(path) ?? ''),
    writeFile: async (path: string, text: string) => void files.set(path, text),
    mkdir: async () => {},
    exec: async (command: string, cwd: string, { onData }: { onData(data: Buffer): void }) => {
      onData(Buffer.from(`${cwd}$ ${command}`));
      return { exitCode: 3 };
    },
  };
  const text = (result: { content: readonly unknown[] }): string => (result.content[0] as { text: string }).text;
  expect(text(await readElsewhere(operations, '/there', { path: 'a.txt', offset: 2, limit: 1 }))).toBe('two');
  await writeElsewhere(operations, '/there', { path: 'b.txt', content: 'new' });
  await editElsewhere(operations, '/there', {
    path: 'a.txt',
    edits: [
      { oldText: 'one', newText: '1' },
      { oldText: 'three', newText: '3' },
    ],
  });
  expect([...files.values()]).toEqual(['1\ntwo\n3', 'new']);
  await expect(
    editElsewhere(operations, '/there', { path: 'a.txt', edits: [{ oldText: 'none', newText: '' }] }),
  ).rejects.toMatchObject({ code: 'edit_not_found' });
  const ran = await bashElsewhere(operations, { command: 'ls' }, '/there', new AbortController().signal, () => {});
  expect(ran).toMatchObject({ isError: true, details: { exitCode: 3 } });
  expect(text(ran)).toBe('/there$ ls\n\nCommand exited with code 3');
});

test('components draw lines that are no wider than they may be', () => {
  const wide = `\u001b[31m${'日本語 text '.repeat(4)}\u001b[0m`;
  expect(tui.visibleWidth('\u001b[1mab\u001b[0m日')).toBe(4);
  for (const width of [3, 10, 40]) {
    const box = new tui.Box(1, 1);
    box.addChild(new tui.Text(wide, 0, 0));
    box.addChild(new tui.Markdown('# title'));
    box.addChild(new tui.Spacer(1));
    for (const line of box.render(width + 2))
      expect(tui.visibleWidth(line)).toBeLessThanOrEqual(Math.max(width + 2, 4));
    expect(tui.visibleWidth(tui.truncateToWidth(wide, width))).toBeLessThanOrEqual(width);
  }
  expect(tui.truncateToWidth('abcdef', 4)).toBe('abc…');
  expect(tui.wrapTextWithAnsi('one two three', 7)).toEqual(['one two', 'three']);
});

test('keys and fuzzy matches are told by name', () => {
  expect([tui.parseKey('\r'), tui.parseKey('\u0003'), tui.parseKey('x'), tui.parseKey('\u001b[A')]).toEqual([
    'enter',
    'ctrl+c',
    'x',
    'up',
  ]);
  expect(tui.matchesKey('\u0003', (tui.Key.ctrl as (key: string) => string)('c'))).toBe(true);
  expect(tui.matchesKey('\u001b', tui.Key.escape as string)).toBe(true);
  expect(tui.fuzzyFilter(['beta', 'alphabet', 'gamma'], 'bt', (text) => text)).toEqual(['beta', 'alphabet']);
});

test('ids sort by the time they were made at', () => {
  const id = uuidv7();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Math.abs(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
});
