import { faceOf, toolFaces, tools } from 'kern/contracts';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';

const all = ['tools.read', 'tools.write', 'tools.edit', 'tools.bash', 'tools.grep', 'tools.find', 'tools.ls'];

test('the tools that search are offered when they are asked for by name, and not otherwise', async () => {
  await using t = await bootTools(all);
  const offered = (named: readonly string[]) =>
    toolFaces(t.view, faceOf, new Set(named))
      .map(({ name }) => name)
      .sort();
  expect(offered([])).toEqual(['bash', 'edit', 'read', 'write']);
  expect(offered(['grep', 'ls'])).toEqual(['bash', 'edit', 'grep', 'ls', 'read', 'write']);
});

test('what the model sees by default is the same with and without them', async () => {
  await using without = await bootTools(all.slice(0, 4));
  await using t = await bootTools(all);
  expect(JSON.stringify(toolFaces(t.view))).toBe(JSON.stringify(toolFaces(without.view)));
});

test('a setting offers one of them always', async () => {
  await using t = await bootTools(all, [], { config: { 'tools.find': { active: true } } });
  expect(toolFaces(t.view).map(({ name }) => name)).toContain('find');
});

test('together they are small, run beside others and change nothing', async () => {
  await using t = await bootTools(all);
  const searching = t.view
    .use(tools)
    .items()
    .filter(({ name }) => ['grep', 'find', 'ls'].includes(name));
  expect(searching).toHaveLength(3);
  expect(Buffer.byteLength(JSON.stringify(searching.map(faceOf)))).toBeLessThan(2_700);
  for (const { executionMode, annotations } of searching)
    expect([executionMode ?? 'parallel', annotations]).toEqual(['parallel', { readOnly: true }]);
});

test('a session has them when its tools are chosen, and not otherwise', async () => {
  using byDefault = script([{ expect: { noTools: ['grep', 'find', 'ls'] }, text: 'by default' }]);
  using chosen = script([{ expect: { tools: ['grep', 'ls'], noTools: ['read', 'find'] }, text: 'chosen' }]);
  await using kern = await bootKern([]);
  expect(await kern.run('x', { model: byDefault.model })).toMatchObject({ status: 'ok', text: 'by default' });
  expect(await kern.run('x', { model: chosen.model, tools: ['grep', 'ls'] })).toMatchObject({ text: 'chosen' });
});
