import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faceOf, type ModelRequest, modelRequest, resultText, toolFaces, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { bootTools } from '../test/kernel.ts';
import { tagOf } from './hash-lines.ts';

const declaresRequests = definePlugin({ id: 'requests', declares: [modelRequest], setup: () => undefined });

async function boot(config: Readonly<Record<string, unknown>> = {}) {
  const t = await bootTools(['tools.read', 'tools.write', 'tools.edit', 'tools.resolve'], [declaresRequests], {
    config: { 'tools.edit': config },
  });
  const path = join(t.dir, 'a');
  return Object.assign(t, {
    path,
    put: (text: string) => writeFileSync(path, text),
    text: () => readFileSync(path, 'utf8'),
    say: async (name: string, args: unknown) => resultText(await t.callTool(name, args)),
  });
}

const requestFor = (id: string, faces: ModelRequest['tools']): ModelRequest =>
  ({ model: { id }, tools: faces }) as unknown as ModelRequest;

test('each model is sent the format it knows, and only that', async () => {
  await using t = await boot({ formats: { 'acme/*': 'patch' } });
  const faces = toolFaces(t.view);
  const propertiesFor = async (id: string) => {
    const request = await t.call(modelRequest, requestFor(id, faces));
    const edits = request.tools.filter(({ name }) => name === 'edit');
    expect(edits).toHaveLength(1);
    expect(request.tools).toHaveLength(faces.length);
    return Object.keys((edits[0]?.inputSchema.properties ?? {}) as object);
  };
  expect(await propertiesFor('anthropic/claude')).toEqual(['path', 'edits']);
  expect(await propertiesFor('openai/gpt-5.1')).toEqual(['patch']);
  expect(await propertiesFor('acme/x1')).toEqual(['path', 'op', 'rename', 'diff']);
});

test('a setting chooses the format of every model', async () => {
  await using t = await boot({ format: 'hashline' });
  const [edit] = toolFaces(t.view).filter(({ name }) => name === 'edit');
  expect(edit?.description).toContain('12#QK');
  const request = await t.call(modelRequest, requestFor('openai/gpt-5.1', toolFaces(t.view)));
  expect(request.tools.find(({ name }) => name === 'edit')).toEqual(edit);
});

test('another tool of the name edit keeps its own face', async () => {
  await using t = await boot();
  const mine = { name: 'edit', description: 'mine', inputSchema: { type: 'object' } };
  const request = await t.call(modelRequest, requestFor('openai/gpt-5.1', [mine]));
  expect(request.tools).toEqual([mine]);
});

test('where edits go by line, read names the lines, and these are good for edit', async () => {
  await using t = await boot({ format: 'hashline' });
  t.put('one\r\ntwo\r\nthree\r\n');
  const name = (line: number, text: string) => `${line}#${tagOf(text, line)}`;
  expect(await t.say('read', { path: 'a' })).toBe(
    `${name(1, 'one')}:one\n${name(2, 'two')}:two\n${name(3, 'three')}:three`,
  );
  expect(await t.say('read', { path: 'a', offset: 2, limit: 1 })).toContain(`${name(2, 'two')}:two\n\n[`);
  const range = { pos: name(2, 'two'), end: name(2, 'two') };
  expect(await t.say('edit', { path: 'a', edits: [{ loc: { range }, content: ['zwei'] }] })).toContain('Edited a');
  expect(t.text()).toBe('one\r\nzwei\r\nthree\r\n');
});

test('otherwise what read shows is left as it is, and remembered', async () => {
  await using t = await boot();
  t.put('const b = 2;\n');
  expect(await t.say('read', { path: 'a' })).toBe('const b = 2;');
  t.put('const b = 25;\n');
  const edit = { path: 'a', edits: [{ oldText: 'b = 2', newText: 'b = 4' }] };
  expect(await t.say('edit', edit)).toContain('has changed since it was read');
});

test('what the model wrote itself it has seen', async () => {
  await using t = await boot({ format: 'hashline' });
  await t.say('write', { path: 'a', content: 'one\ntwo\n' });
  const anchor = `1#${tagOf('one', 1)}`;
  await t.say('edit', { path: 'a', edits: [{ loc: { append: anchor }, content: ['1.5'] }] });
  expect(t.text()).toBe('one\n1.5\ntwo\n');
});

test('an encoding that read was told is that of the edit', async () => {
  await using t = await boot();
  const bytes = Buffer.from([...Buffer.from('a = "'), 0xe6, 0xf8, 0xe5, ...Buffer.from('";\n')]);
  writeFileSync(t.path, bytes);
  expect(await t.say('read', { path: 'a', encoding: 'koi8-r' })).toContain('a = "ФЬЕ";');
  await t.say('edit', { path: 'a', edits: [{ oldText: 'ФЬЕ', newText: 'ФЬ' }] });
  expect(readFileSync(t.path)).toEqual(Buffer.from([...bytes.subarray(0, 7), ...bytes.subarray(8)]));
});

test.each(['x'.repeat(45_000), 'half\rline'])(
  'that holds for lines that are too long, or have a CR within, to be remembered',
  async (line) => {
    await using t = await boot();
    writeFileSync(t.path, Buffer.concat([Buffer.from(`${line} a = `), Buffer.of(0xe6, 0xf8, 0xe5), Buffer.from('\n')]));
    await t.say('read', { path: 'a', encoding: 'koi8-r' });
    await t.say('edit', { path: 'a', edits: [{ oldText: 'a = ФЬЕ', newText: 'a = ФЬЕЖ' }] });
    expect(readFileSync(t.path).subarray(-5)).toEqual(Buffer.of(0xe6, 0xf8, 0xe5, 0xf6, 10));
  },
);

test('a wrong encoding that read was told does not stay with a file that is UTF-8', async () => {
  await using t = await boot();
  t.put('café\ntarget\n');
  await t.say('read', { path: 'a', encoding: 'latin1' });
  await t.say('edit', { path: 'a', edits: [{ oldText: 'target', newText: 'tü' }] });
  expect(t.text()).toBe('café\ntü\n');
  await t.say('read', { path: 'a', encoding: 'latin1' });
  await t.say('write', { path: 'a', content: 'é €\n' });
  expect(t.text()).toBe('é €\n');
});

test('wrong arguments are told with the right shape', async () => {
  await using t = await boot();
  t.put('x');
  expect(await t.say('edit', { path: 'a', edits: [{ oldText: 'x' }] })).toContain(
    'edits.0.newText is missing (string)',
  );
  expect(await t.say('edit', { path: 'a' })).toContain('Right shape');
  expect(await t.say('edit', { patch: '*** Begin Patch' })).toContain('*** End Patch is missing');
});

test('with the setting preview nothing is changed until resolve says so', async () => {
  await using t = await boot({ preview: true });
  t.put('one\n');
  const shown = await t.say('edit', { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] });
  expect(shown).toContain('Would edit a:\n@@ -1 +1 @@\n-one\n+two');
  expect(t.text()).toBe('one\n');
  expect(await t.say('resolve', { action: 'apply', reason: 'as asked' })).toContain('Edited a:');
  expect(t.text()).toBe('two\n');
  expect(await t.say('resolve', { action: 'apply', reason: 'again' })).toBe(
    'Nothing waits to be applied or discarded.',
  );
  await t.say('edit', { path: 'a', edits: [{ oldText: 'two', newText: 'three' }] });
  expect(await t.say('resolve', { action: 'discard', reason: 'no' })).toBe('Discarded: update a.');
  expect(t.text()).toBe('two\n');
});

test('one change of several is chosen by its name', async () => {
  await using t = await boot({ preview: true });
  t.put('one two\n');
  const first = await t.callTool('edit', { path: 'a', edits: [{ oldText: 'one', newText: '1' }] });
  await t.say('edit', { path: 'a', edits: [{ oldText: 'two', newText: '2' }] });
  const id = (first.details as { pending: string }).pending;
  await t.say('resolve', { action: 'apply', reason: 'x', id });
  expect(t.text()).toBe('1 two\n');
  expect(await t.say('resolve', { action: 'apply', reason: 'x', id })).toContain(`There is no ${id}; these wait:`);
  await t.say('resolve', { action: 'apply', reason: 'x' });
  expect(t.text()).toBe('1 2\n');
});

test('what would be done differently from what was shown is not done', async () => {
  await using t = await boot({ preview: true });
  t.put('say "one"\n');
  await t.say('edit', { path: 'a', edits: [{ oldText: 'say "one"', newText: 'say "two"' }] });
  t.put('elsewhere\nsay "one"\n');
  await t.say('resolve', { action: 'apply', reason: 'only moved' });
  expect(t.text()).toBe('elsewhere\nsay "two"\n');
  t.put('x\r\n');
  await t.say('edit', { path: 'a', edits: [{ oldText: 'x', newText: 'y\nz' }] });
  t.put('x\n');
  expect(await t.say('resolve', { action: 'apply', reason: 'x' })).toContain('the file has changed since');
  expect(t.text()).toBe('x\n');
});

test('resolve is offered beside a tool that waits for it, and to nobody else; the write is its effect', async () => {
  await using plain = await boot();
  expect(toolFaces(plain.view).map(({ name }) => name)).not.toContain('resolve');
  await using t = await boot({ preview: true });
  expect(toolFaces(t.view).map(({ name }) => name)).toContain('resolve');
  t.put('one\n');
  const edit = await t.prepare('edit', { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] });
  expect(edit).toMatchObject({ state: 'ready', effects: [{ kind: 'read', path: t.path }] });
  if (edit.state === 'ready') await edit.execute();
  expect(await t.prepare('resolve', { action: 'apply', reason: 'x' })).toMatchObject({
    effects: [{ kind: 'write', path: t.path }],
  });
  expect(await t.prepare('resolve', { action: 'discard', reason: 'x' })).toMatchObject({ effects: [] });
});

test('a change of one session is not resolved by another', async () => {
  await using t = await boot({ preview: true });
  t.put('one\n');
  await t.say('edit', { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] });
  const other = await t.callTool('resolve', { action: 'apply', reason: 'x' }, { sessionId: 's2' });
  expect(resultText(other)).toBe('Nothing waits to be applied or discarded.');
  expect(t.text()).toBe('one\n');
});

test('the face of every format is small', async () => {
  for (const format of ['replace', 'patch', 'apply_patch', 'hashline']) {
    await using t = await boot({ format });
    const tool = t.view.use(tools).get('edit')?.item;
    if (tool === undefined) throw new Error('no edit');
    expect(Buffer.byteLength(JSON.stringify(faceOf(tool)))).toBeLessThan(format === 'hashline' ? 1_500 : 900);
  }
});
