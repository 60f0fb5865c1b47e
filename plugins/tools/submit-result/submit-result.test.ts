import { resultText, submitResultTool, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';

const booted = (schema?: Readonly<Record<string, unknown>>) =>
  schema === undefined
    ? bootTools(['tools.submit-result'])
    : bootTools([], [definePlugin({ id: 'mine', setup: (ctx) => ctx.contribute(tools, submitResultTool(schema)) })]);

test.each([
  ['as asked', { result: { data: { a: 1 } } }],
  ['without the outer object', { data: { a: 1 } }],
  ['without the inner one', { result: { a: 1 } }],
  ['as JSON text', { result: '{"data":{"a":1}}' }],
])('a result is handed in %s, and ends the run', async (_how, args) => {
  await using t = await booted();
  expect(await t.callTool('submit_result', args)).toMatchObject({
    details: { status: 'success', data: { a: 1 } },
    terminate: true,
  });
});

test('that it cannot be done is handed in too', async () => {
  await using t = await booted();
  const result = await t.callTool('submit_result', { error: 'there is no such file' });
  expect(result).toMatchObject({ details: { status: 'aborted', error: 'there is no such file' }, terminate: true });
  expect(result.isError).toBeUndefined();
});

test('nothing is no result, and does not end the run', async () => {
  await using t = await booted();
  for (const args of [{}, { result: { data: null } }, { data: null }, { result: { error: '' } }]) {
    const result = await t.callTool('submit_result', args);
    expect([args, result.isError, result.terminate]).toEqual([args, true, undefined]);
  }
});

test('a result of the wrong shape is refused with the field and the right shape', async () => {
  await using t = await booted({
    type: 'object',
    properties: { files: { type: 'array', items: { type: 'string' }, minItems: 1 }, ok: { type: 'boolean' } },
    required: ['files'],
  });
  const missing = await t.callTool('submit_result', { result: { data: { ok: true } } });
  expect(missing).toMatchObject({ isError: true });
  expect(missing.terminate).toBeUndefined();
  expect(resultText(missing)).toBe(
    'Nothing was handed in: data is not right.\n- data.files: is missing\nRight shape: {files: [string], ok?: boolean}',
  );
  // What needs a validator.
  expect(resultText(await t.callTool('submit_result', { data: { files: [] } }))).toMatch(/- data\.files: .*too few/);
  expect(await t.callTool('submit_result', { data: { files: ['a'] } })).toMatchObject({ terminate: true });
});

test('a run whose last call hands in a result ends there', async () => {
  using replies = script([
    { calls: [{ name: 'submit_result', args: { result: { data: 42 } } }] },
    { text: 'this is not asked for' },
  ]);
  await using kern = await bootKern([]);
  const run = await kern.run('x', { model: replies.model, tools: ['submit_result'] });
  expect(run).toMatchObject({ status: 'ok', turns: 1 });
  expect(run.messages.at(-1)).toMatchObject({ role: 'toolResult', details: { status: 'success', data: 42 } });
});
