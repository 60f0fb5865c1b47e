import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

test('the tools are listed with where they come from', async () => {
  await using desk = await openDesk();
  const { tools } = (await desk.json('tool', 'list')) as { tools: readonly { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['bash', 'edit', 'read', 'write']));
  expect(tools.find(({ name }) => name === 'read')).toMatchObject({
    description: expect.any(String),
    origin: { plugin: 'tools.read', level: 'builtin' },
    annotations: {},
    offered: 'always',
  });
  expect(tools.find(({ name }) => name === 'grep')).toMatchObject({ offered: 'when asked for' });
  expect(tools.find(({ name }) => name === 'jobs')).toMatchObject({ offered: 'when needed' });
  const { out } = await desk.kern('tool', 'list');
  expect(out).toMatch(/^grep +tools\.grep +\[when asked for\] Searches/m);
  expect(out).toMatch(/^read +tools\.read +Reads/m);
  await desk.kern('config', 'set', 'plugins.tools.grep.active', 'true');
  expect((await desk.kern('tool', 'list')).out).toMatch(/^grep +tools\.grep +Searches/m);
});

test('a long output is there when the call has ended, also for the next one, and a day later it goes', async () => {
  await using desk = await openDesk();
  const { out } = await desk.kern('tool', 'call', 'bash', '{"command":"seq 1 5000"}');
  const [, file = ''] = /Whole output: artifact:\/\/1 = (.*)\]/.exec(out) ?? [];
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5001);
  const read = await desk.kern('tool', 'call', 'read', '{"path":"artifact://1","offset":5000}');
  expect(read.out).toBe('5000\n');
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
  utimesSync(file, old, old);
  const next = await desk.kern('tool', 'call', 'bash', '{"command":"seq 1 5000"}');
  expect(readdirSync(path.dirname(file))).toEqual(['1.bash.log']);
  expect(next.out).toContain(file);
});

test('the text of a result is all there is on stdout; an error result answers 1', async () => {
  await using desk = await openDesk({ 'a.txt': 'A\n' });
  expect(await desk.kern('tool', 'call', 'read', '{"path":"a.txt"}')).toEqual({ code: 0, out: 'A\n', err: '' });
  const missing = await desk.kern('tool', 'call', 'read', '{"path":"b.txt"}');
  expect(missing).toMatchObject({ code: 1, err: '' });
  expect(missing.out).toContain('b.txt');
  expect(await desk.json('tool', 'call', 'read', '{"path":"a.txt"}')).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('A') }],
    isError: false,
  });
});

test('what would be asked is done, because the person asked; a given mode is obeyed as written', async () => {
  await using desk = await openDesk();
  const write = ['tool', 'call', 'write', '{"path":"a.txt","content":"A"}'];
  const planned = await desk.kern(...write, '--permission-mode', 'plan');
  expect(planned.code).toBe(1);
  expect((await desk.kern(...write, '--permission-mode', 'ask')).code).toBe(1);
  expect(existsSync(path.join(desk.project, 'a.txt'))).toBe(false);
  expect((await desk.kern(...write)).code).toBe(0);
  expect(existsSync(path.join(desk.project, 'a.txt'))).toBe(true);
});

test('a rule that denies and a guarding tap still refuse', async () => {
  await using desk = await openDesk({
    'veto.js':
      "export default { id: 'veto', setup: (ctx) => ctx.tap({ token: 'hook', id: 'tool.call', kind: 'decide' }, (call) => (call.tool === 'read' ? { block: 'not today' } : undefined)) };",
    'a.txt': 'A\n',
  });
  await desk.kern('config', 'set', 'permissions.rules', '[{ deny: "bash(*)" }]');
  expect((await desk.kern('tool', 'call', 'bash', '{"command":"echo hi"}')).code).toBe(1);
  const vetoed = await desk.kern('tool', 'call', 'read', '{"path":"a.txt"}', '-e', 'veto.js');
  expect(vetoed).toMatchObject({ code: 1 });
  expect(vetoed.out).toContain('not today');
});

test('a name that is none answers 2 with the near one, and arguments that are no JSON are refused', async () => {
  await using desk = await openDesk();
  const unknown = await desk.kern('tool', 'call', 'raed');
  expect(unknown).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toContain('Did you mean read?');
  expect((await desk.kern('tool', 'call', 'read', '{path: a}')).err).toContain('not JSON');
  const shape = await desk.kern('tool', 'call', 'read', '{"offset":1}');
  expect(shape).toMatchObject({ code: 1 });
  expect(shape.out).toContain('path');
});

test('where an extension failed to load, a tool that is not there is answered with its file and why', async () => {
  await using desk = await openDesk({
    '.kern/extensions/syntax.js': 'export default {{ id;',
    '.kern/extensions/nothing.js': 'export const hello = 1;',
    '.kern/extensions/throws.js': "export default { id: 'throws', setup() { throw new Error('no luck today'); } };",
  });
  const { code, err } = await desk.kern('tool', 'call', 'hello', '{}', '--trust');
  expect(code).toBe(2);
  expect(err).toContain('there is no tool hello');
  for (const name of ['syntax', 'nothing', 'throws']) expect(err).toMatch(new RegExp(`extensions/${name}\\.js: \\S`));
  expect(err).toContain('no luck today');
});
