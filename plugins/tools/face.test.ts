import { type AnyTool, createFaces, faceOf, toolFaces, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bootTools } from './test/kernel.ts';

const core = ['tools.read', 'tools.write', 'tools.edit', 'tools.bash'];
const tool = (parts: Partial<AnyTool>): AnyTool =>
  ({ name: 'x', description: 'x', execute: async () => ({ content: [] }), ...parts }) as AnyTool;

test('the model sees a tool as JSON Schema, without noise', () => {
  const parameters = z.object({
    path: z.string(),
    count: z.int().optional().describe('How many'),
    when: z.date().optional(),
  });
  expect(faceOf(tool({ parameters: parameters as never }))).toEqual({
    name: 'x',
    description: 'x',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, count: { type: 'integer', description: 'How many' }, when: {} },
      required: ['path'],
    },
  });
});

test('a JSON Schema is handed on as given, another library is asked for its own', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
  expect(faceOf(tool({ inputSchema })).inputSchema).toBe(inputSchema);
  const foreign = {
    '~standard': {
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ $schema: 'x', type: 'object', required: ['b'] }) },
    },
  };
  expect(faceOf(tool({ parameters: foreign as never })).inputSchema).toEqual({ type: 'object', required: ['b'] });
  expect(
    faceOf(tool({ parameters: { '~standard': { validate: (value: unknown) => ({ value }) } } as never })).inputSchema,
  ).toEqual({ type: 'object' });
});

test('a keeper of faces makes each once', () => {
  const face = createFaces();
  const one = tool({ parameters: z.object({}) as never });
  expect(face(one)).toBe(face(one));
  expect(createFaces()(one)).not.toBe(face(one));
});

test('hidden tools are seen only when they are named', async () => {
  const hidden = definePlugin({
    id: 'hidden',
    requires: ['tools'],
    setup: (ctx) =>
      ctx.contribute(tools, {
        name: 'secret',
        description: 'x',
        hidden: true,
        parameters: z.object({}),
        execute: async () => ({ content: [] }),
      }),
  });
  await using t = await bootTools(['tools.read'], [hidden]);
  expect(toolFaces(t.view).map(({ name }) => name)).toEqual(['read']);
  expect(
    toolFaces(t.view, faceOf, new Set(['secret']))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['read', 'secret']);
});

test('the four core tools together take less than 2,700 bytes of every request', async () => {
  await using t = await bootTools(core);
  const faces = toolFaces(t.view);
  expect(faces.map(({ name }) => name).sort()).toEqual(['bash', 'edit', 'read', 'write']);
  expect(Buffer.byteLength(JSON.stringify(faces))).toBeLessThan(2_700);
});

test('read runs beside others, what changes something does not', async () => {
  await using t = await bootTools(core);
  const modes = Object.fromEntries(
    t.view
      .use(tools)
      .items()
      .map(({ name, executionMode }) => [name, executionMode ?? 'parallel']),
  );
  expect(modes).toEqual({ read: 'parallel', write: 'sequential', edit: 'sequential', bash: 'sequential' });
});
