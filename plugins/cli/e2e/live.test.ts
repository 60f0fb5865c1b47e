import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { openDesk } from '../test/line.ts';
import { openPlace, type Place, type Running } from './program.ts';

const json = ['--mode', 'json', '--model', 'script/s.json', '--no-session'];
const script = (turns: readonly object[]): string => JSON.stringify({ version: 1, turns });
const call = (name: string, args: object = {}): object => ({ name, args });
/** A call that lasts until the test has done its part. */
const until = (name: string): object => call('bash', { command: `until [ -e ${name} ]; do sleep 0.05; done` });
const result = (tool: string, contains: string, isError = false): object => ({
  toolResult: [{ tool, contains, ...(isError ? { isError } : {}) }],
});

/** A tool that answers with a text. */
const tool = (id: string, text: string, more = ''): string => `
import { definePlugin } from 'kern/plugin';
import { tools } from 'kern/contracts';
import { z } from 'zod';
${more}
export default definePlugin({ id: '${id}', config: z.object({ loud: z.boolean().default(false) }), setup: (ctx) => ctx.contribute(tools, {
  name: '${id}', description: 'Says something.', parameters: z.object({ times: z.number().default(2) }),
  execute: async (_id, { times }) => ({ content: [{ type: 'text', text: (ctx.config.loud ? 'LOUD ' : '') + '${text} ' + times }] }),
}) });
`;

/** Waits until the run has said something; more than once, it has to say it anew. */
function listener(running: Running): (what: RegExp) => Promise<void> {
  let from = 0;
  let isOver = false;
  void running.ended.then(() => {
    isOver = true;
  });
  return async (what) => {
    for (;;) {
      const found = what.exec(running.out.slice(from));
      if (found !== null) {
        from += found.index + found[0].length;
        return;
      }
      if (isOver) throw new Error(`${what} was never said:\n${running.out}\n${running.err}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

const changed = (id: string, state: string): RegExp => new RegExp(`"plugin_changed","id":"${id}","state":"${state}"`);
const waitsFor = (name: string): RegExp => new RegExp(`"tool_execution_start".*"command":"until \\[ -e ${name} `);

async function expectDone(running: Running): Promise<void> {
  const { code, out, err } = await running.ended;
  expect(code, err + out).toBe(0);
  expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ status: 'ok', text: 'done' });
}

const inHome = (place: Pick<Place, 'home'>, name: string, text: string): void => {
  const file = path.join(place.home, name);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text);
};

test('an edit of the config is in force in the next turn: switches, settings and items', async () => {
  const turns = [
    { expect: { tools: ['read', 'hello'] }, calls: [call('hello')] },
    { expect: result('hello', 'Hi 2'), calls: [until('one')] },
    { calls: [call('read', { path: 's.json' }), call('hello')] },
    { expect: result('read', 'no tool "read"', true), calls: [until('two')] },
    { calls: [call('read', { path: 's.json' }), call('hello')] },
    { expect: { toolResult: [{ tool: 'hello', contains: 'LOUD Hi' }] }, calls: [until('three')] },
    { calls: [call('hello')] },
    { expect: result('hello', 'no tool "hello"', true), text: 'done' },
  ];
  using place = openPlace({ 's.json': script(turns) });
  inHome(place, 'extensions/hello.ts', tool('hello', 'Hi'));
  inHome(place, 'config.yml', 'permissions:\n  mode: all\n');
  const running = place.start(['-p', 'go', ...json]);
  const said = listener(running);
  for (const [name, config, keys] of [
    ['one', '{ tools.read: false, hello: true }', 'plugins.tools.read'],
    ['two', '{ hello: { loud: true } }', 'plugins.hello'],
    ['three', '{}\ndisabledItems: ["tool:hello"]', 'disabledItems'],
  ] as const) {
    await said(waitsFor(name));
    inHome(place, 'config.yml', `permissions:\n  mode: all\nplugins: ${config}\n`);
    await said(new RegExp(`"config_changed".*"${keys}"`));
    place.write(name, '');
  }
  await expectDone(running);
}, 60_000);

test('what is granted in another terminal is live in the next turn, and what is taken back is gone', async () => {
  const turns = [
    { expect: { noTools: ['hello'] }, calls: [until('granted')] },
    { expect: { tools: ['hello'] }, calls: [call('hello')] },
    { expect: result('hello', 'Hi 2'), calls: [until('changed')] },
    { calls: [call('hello')] },
    { expect: result('hello', 'Hi 2'), calls: [until('revoked')] },
    { calls: [call('hello')] },
    { expect: result('hello', 'no tool "hello"', true), text: 'done' },
  ];
  using place = openPlace({ 's.json': script(turns), '.kern/extensions/hello.ts': tool('hello', 'Hi') });
  const running = place.start(['-p', 'go', '--yolo', ...json]);
  const said = listener(running);
  await said(waitsFor('granted'));
  expect(await place.run('trust', 'grant')).toMatchObject({ code: 0 });
  await said(changed('hello', 'live'));
  place.write('granted', '');
  await said(waitsFor('changed'));
  place.write('.kern/extensions/hello.ts', tool('hello', 'Changed'));
  await said(changed('hello', 'kept'));
  place.write('changed', '');
  await said(waitsFor('revoked'));
  expect(await place.run('trust', 'revoke')).toMatchObject({ code: 0 });
  await said(changed('hello', 'unloaded'));
  place.write('revoked', '');
  await expectDone(running);
}, 60_000);

test('a package that says what it has sleeps until its tool is called, in the middle of a turn', async () => {
  const turns = [
    { expect: { tools: ['lazy'] }, calls: [call('bash', { command: '[ ! -e ran ] && echo asleep' })] },
    { expect: result('bash', 'asleep'), calls: [call('lazy', { times: 'x' })] },
    { expect: result('lazy', 'times', true), calls: [call('lazy')] },
    // What the schema of the real tool adds is there, though the manifest does not know of it.
    { expect: result('lazy', 'Awake 2'), calls: [call('bash', { command: 'cat ran' })] },
    { expect: result('bash', 'once'), text: 'done' },
  ];
  using place = openPlace({ 's.json': script(turns) });
  const mark = `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(path.join(place.project, 'ran'))}, 'once');`;
  inHome(place, 'extensions/lazy/main.ts', tool('lazy', 'Awake', mark));
  const inputSchema = { type: 'object', properties: { times: { type: 'number' } } };
  const kern = {
    extensions: ['./main.ts'],
    id: 'lazy',
    contributes: { tool: ['lazy'] },
    stubs: { tool: [{ name: 'lazy', description: 'Says something.', inputSchema }] },
  };
  inHome(place, 'extensions/lazy/package.json', JSON.stringify({ kern }));
  await expectDone(place.start(['-p', 'go', '--yolo', ...json]));
}, 60_000);

test('an ejected tool takes the place of the built-in, and is edited in the middle of a run', async () => {
  const turns = [
    { calls: [call('read', { path: 'a.txt' })] },
    { expect: result('read', 'as it is'), calls: [until('saved')] },
    { calls: [call('read', { path: 'a.txt' })] },
    { expect: result('read', 'read anew'), text: 'done' },
  ];
  using place = openPlace({ 'a.txt': 'as it is\n', 's.json': script(turns) });
  expect(await place.run('plugins', 'eject', 'tools.read')).toMatchObject({ code: 0 });
  const running = place.start(['-p', 'go', '--yolo', ...json]);
  const said = listener(running);
  await said(waitsFor('saved'));
  inHome(
    place,
    'extensions/tools.read/index.ts',
    `${tool('tools.read', 'read anew').replace("name: 'tools.read'", "name: 'read'").replace('config:', "replaces: 'tools.read', config:")}`,
  );
  await said(changed('tools.read', 'live'));
  place.write('saved', '');
  await expectDone(running);
}, 60_000);

test('every built-in can be ejected and goes on working, or says why it cannot', async () => {
  const calls = [
    call('read', { path: 'a.txt' }),
    call('write', { path: 'b.txt', content: 'b' }),
    call('edit', { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b' }] }),
    call('bash', { command: 'echo hello' }),
  ];
  await using desk = await openDesk({ 'a.txt': 'a', 's.json': script([{ calls }, { text: 'done' }]) });
  const refused: Record<string, string> = {};
  for (const { id } of builtins) {
    const { code, err } = await desk.kern('plugins', 'eject', id, '--no-extensions');
    if (code !== 0) refused[id] = err.trim();
  }
  expect(refused).toEqual({
    cli: expect.stringContaining('cannot stand alone'),
    compat: expect.stringContaining('which only built-ins may'),
    'custom-tools': expect.stringContaining('which only built-ins may'),
    discovery: expect.stringContaining('which only built-ins may'),
    hooks: expect.stringContaining('which only built-ins may'),
    'models.auth': expect.stringContaining('which only built-ins may'),
    permissions: expect.stringContaining('a guard is never replaced'),
    processes: expect.stringContaining('which only built-ins may'),
    'sessions.import': expect.stringContaining('cannot stand alone'),
    slash: expect.stringContaining('which only built-ins may'),
  });
  const { code, out, err } = await desk.kern('-p', 'go', '--yolo', '--model', 'script/s.json');
  expect({ code, out }, err).toEqual({ code: 0, out: 'done\n' });
  expect(err).not.toContain('✗');
  const { plugins } = (await desk.json('plugins')) as {
    plugins: { id: string; level: string; state: string; failure?: unknown }[];
  };
  const copies = plugins.filter(({ level }) => level === 'user');
  expect(copies.filter(({ state, failure }) => state !== 'active' || failure !== undefined)).toEqual([]);
  expect(copies.map(({ id }) => id).sort()).toEqual(
    builtins
      .map(({ id }) => id)
      .filter((id) => refused[id] === undefined)
      .sort(),
  );
}, 120_000);

test('a user may switch the gate off, which is said at every start; a project may not', async () => {
  const turns = [{ calls: [call('bash', { command: 'touch made' })] }, { text: 'done' }];
  await using desk = await openDesk({
    's.json': script(turns),
    '.kern/config.yml': 'plugins: { permissions: false }\n',
  });
  const judged = await desk.kern('-p', 'go', '--model', 'script/s.json');
  expect(judged.err).toContain('bash needs permission');
  expect(judged.err).toContain('plugins.permissions: is not for a project to set');
  expect(judged.err).not.toContain('switched off');
  expect(existsSync(path.join(desk.project, 'made'))).toBe(false);
  writeFileSync(path.join(desk.home, 'config.yml'), 'plugins: { permissions: false }\n');
  const free = await desk.kern('-p', 'go', '--model', 'script/s.json');
  expect(free.err).toMatch(/^kern: permissions is switched off \(plugins\.permissions: false in .*config\.yml:1\)/m);
  expect(existsSync(path.join(desk.project, 'made'))).toBe(true);
}, 60_000);
