import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openDesk } from '../test/line.ts';
import { sessionLine } from './session-schema.ts';

test('the schemas are listed, and each is a JSON Schema with a title', async () => {
  await using desk = await openDesk();
  const { schemas } = (await desk.json('schema')) as { schemas: readonly { name: string }[] };
  expect(schemas.map(({ name }) => name)).toEqual(['config', 'plugin-manifest', 'script', 'session-entry', 'tool']);
  for (const { name } of schemas) {
    const schema = JSON.parse((await desk.kern('schema', name)).out);
    expect(schema).toMatchObject({ $schema: expect.stringContaining('draft-07'), title: expect.any(String) });
    // zod reads it back, so it is one.
    expect(() => z.fromJSONSchema(schema)).not.toThrow();
  }
});

test('the config schema takes what the config takes, and refuses what it refuses', async () => {
  await using desk = await openDesk();
  const config = z.fromJSONSchema(JSON.parse((await desk.kern('schema', 'config')).out));
  const { values } = (await desk.json('config', 'list')) as { values: readonly { key: string }[] };
  const known = Object.keys(
    (JSON.parse((await desk.kern('schema', 'config')).out) as { properties: object }).properties,
  );
  for (const { key } of values) expect(known).toContain(key.split('.')[0]);
  const good = {
    model: 'a/b',
    permissions: { mode: 'ask', rules: [{ deny: 'bash(*)' }] },
    plugins: { 'tools.edit': { maxBytes: 5 }, other: false },
    providers: { x: { priority: 3 } },
    disabledItems: ['tool:bash'],
  };
  expect(config.safeParse(good).success).toBe(true);
  for (const bad of [
    { modle: 'x' },
    { permissions: { mode: 'often' } },
    { plugins: { 'tools.edit': { maxBytes: 'x' } } },
    { disabledItems: 'x' },
  ]) {
    expect({ bad, success: config.safeParse(bad).success }).toEqual({ bad, success: false });
  }
});

test('the session schema takes every line that a session writes', async () => {
  const replies = JSON.stringify({
    version: 1,
    turns: [{ reasoning: 'hm', text: 'a', calls: [{ name: 'read', args: { path: 'hi.json' } }] }, { text: 'done' }],
  });
  await using desk = await openDesk({ 'hi.json': replies });
  await desk.kern('-p', 'hi', '--model', 'script/hi.json');
  const [file = ''] = globSync('sessions/*/*.jsonl', { cwd: desk.home });
  const lines = readFileSync(path.join(desk.home, file), 'utf8').trim().split('\n');
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(sessionLine.safeParse(JSON.parse(line)).error?.message).toBeUndefined();
});

test('an extension adds a schema of its own', async () => {
  const extension =
    "export default { id: 'x', setup: (ctx) => ctx.contribute({ token: 'capability', id: 'schema' }, { name: 'x-file', summary: 'Mine', make: async () => ({ type: 'object' }) }) };";
  await using desk = await openDesk({});
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(path.join(desk.home, 'extensions'));
  writeFileSync(path.join(desk.home, 'extensions', 'x.js'), extension);
  expect((await desk.kern('schema', 'x-fil')).err).toContain('there is no schema');
  expect(JSON.parse((await desk.kern('schema', 'x-file')).out)).toEqual({ type: 'object' });
});
