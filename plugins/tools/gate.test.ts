import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bootKern, capturedUi, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hiddenToolNames, isToolAllowed } from './gate.ts';

const asked = (...names: string[]): { requested: ReadonlySet<string> } => ({ requested: new Set(names) });

test('without a list every tool may be called that is not there for a purpose', () => {
  for (const name of ['read', 'bash', 'a-tool-of-a-plugin', 'task', 'todo_write'])
    expect(isToolAllowed(name)).toBe(true);
  for (const name of ['submit_result', 'report_finding', 'resolve']) expect(isToolAllowed(name)).toBe(false);
});

test('a list is all there is, but for the way out of plan mode', () => {
  expect(isToolAllowed('read', asked('read'))).toBe(true);
  expect(isToolAllowed('bash', asked('read'))).toBe(false);
  for (const name of hiddenToolNames) expect(isToolAllowed(name, asked())).toBe(name === 'exit_plan_mode');
  expect(isToolAllowed('report_finding', asked('report_finding'))).toBe(true);
  expect([isToolAllowed('jobs', asked('bash')), isToolAllowed('jobs', asked('read'))]).toEqual([true, false]);
});

test('what is switched off stays off, whoever asks for it', () => {
  const off = (name: string): boolean => name === 'grep';
  expect(isToolAllowed('grep', { ...asked('grep'), off })).toBe(false);
  expect(isToolAllowed('find', { ...asked('find'), off })).toBe(true);
});

test('agents start agents only so deep', () => {
  const at = (depth: number, maxDepth?: number) =>
    isToolAllowed('task', { depth, ...(maxDepth === undefined ? {} : { maxDepth }) });
  expect([at(0), at(1), at(2)]).toEqual([true, true, false]);
  expect([at(0, 0), at(1, 1), at(0, 1)]).toEqual([false, false, true]);
  expect(at(99, -1)).toBe(true);
  expect(isToolAllowed('read', { depth: 99 })).toBe(true);
});

test('a subagent has the tool to hand in its result, and no list of things to do', () => {
  const gate = { ...asked('read'), mustSubmit: true };
  expect(isToolAllowed('submit_result', gate)).toBe(true);
  expect(isToolAllowed('todo_write', { mustSubmit: true })).toBe(false);
});

test('what was only shown can be resolved where something is only shown', () => {
  expect(isToolAllowed('resolve', { ...asked('edit'), hasDeferrable: true })).toBe(true);
  expect(isToolAllowed('resolve', asked('resolve'))).toBe(false);
});

const shy = definePlugin({
  id: 'shy',
  requires: ['tools'],
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'shy',
      description: 'Shows what it would do.',
      parameters: z.object({}),
      deferrable: true,
      execute: async () => ({ content: [{ type: 'text', text: 'shown' }] }),
    }),
});

const hidden = ['submit_result', 'report_finding', 'exit_plan_mode', 'resolve'];

test('a model is offered none of the hidden tools unless somebody asks for them', async () => {
  using replies = script([{ expect: { tools: ['read', 'bash'], noTools: hidden }, text: 'none' }]);
  await using kern = await bootKern([]);
  expect(await kern.run('x', { model: replies.model })).toMatchObject({ status: 'ok', text: 'none' });
  using chosen = script([
    { expect: { tools: ['read', 'report_finding'], noTools: ['bash', 'submit_result', 'resolve'] }, text: 'one' },
  ]);
  const run = await kern.run('x', { model: chosen.model, tools: ['read', 'report_finding'] });
  expect(run).toMatchObject({ status: 'ok', text: 'one' });
});

test('beside a tool that shows and waits, resolve is offered, also where tools were chosen', async () => {
  await using kern = await bootKern([shy]);
  using all = script([{ expect: { tools: ['shy', 'resolve'] }, text: 'all' }]);
  expect(await kern.run('x', { model: all.model })).toMatchObject({ status: 'ok' });
  using chosen = script([{ expect: { tools: ['shy', 'resolve'], noTools: ['read'] }, text: 'chosen' }]);
  expect(await kern.run('x', { model: chosen.model, tools: ['shy'] })).toMatchObject({ status: 'ok' });
});

test('in plan mode the way out of it is offered where a person is there, also where tools were chosen', async () => {
  const settings = { 'permissions.mode': 'plan' };
  using chosen = script([{ expect: { tools: ['read', 'exit_plan_mode'], noTools: ['bash'] }, text: 'ok' }]);
  await using kern = await bootKern([], { settings, ui: capturedUi() });
  expect(await kern.run('x', { model: chosen.model, tools: ['read'] })).toMatchObject({ status: 'ok' });
  using alone = script([{ expect: { noTools: ['exit_plan_mode'] }, text: 'ok' }]);
  await using empty = await bootKern([], { settings });
  expect(await empty.run('x', { model: alone.model })).toMatchObject({ status: 'ok' });
});
