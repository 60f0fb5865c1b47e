import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { builtins } from '../../index.ts';
import { openDesk } from '../test/line.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const extension = (id: string, body = ''): string => `export default { id: '${id}', setup(ctx) { ${body} } };`;

async function listed(desk: Awaited<ReturnType<typeof openDesk>>, ...more: string[]): Promise<readonly PluginReport[]> {
  return ((await desk.json('plugins', '--why', ...more)) as { plugins: readonly PluginReport[] }).plugins;
}

test('every built-in is named with its state, in the shape that is promised', async () => {
  await using desk = await openDesk();
  const reports = await listed(desk);
  expect(reports.map(({ id }) => id)).toEqual(expect.arrayContaining(builtins.map(({ id }) => id)));
  for (const report of reports) {
    expect(report).toMatchObject({
      level: 'builtin',
      revision: expect.any(Number),
      source: 'built-in',
      contributes: expect.any(Array),
      taps: expect.any(Array),
      startMs: expect.any(Number),
      hookMs: expect.any(Number),
      promptTokens: expect.any(Number),
    });
    expect(['active', 'idle']).toContain(report.state);
  }
  const read = reports.find(({ id }) => id === 'tools.read');
  expect(read).toMatchObject({ state: 'active', contributes: [{ capability: 'tool', key: 'read', verdict: 'won' }] });
  expect(read?.promptTokens).toBeGreaterThan(50);
});

test('active, off, failed and blocked are told apart, each with its reason', async () => {
  await using desk = await openDesk({
    '.kern/extensions/blocked.js': extension('blocked'),
    'bad.js': extension('bad', 'throw new Error("no luck")'),
    'good.js': extension('good'),
  });
  await desk.kern('plugins', 'disable', 'tools.bash');
  const reports = await listed(desk, '-e', 'bad.js', '-e', 'good.js');
  const of = (id: string): PluginReport | undefined => reports.find((report) => report.id === id);
  expect(of('good')).toMatchObject({ state: 'active', level: 'session', source: path.join(desk.project, 'good.js') });
  expect(of('bad')).toMatchObject({ state: 'failed', failure: { message: expect.stringContaining('no luck') } });
  expect(of('tools.bash')).toMatchObject({ state: 'off', by: expect.stringContaining('config.yml') });
  expect(reports.find(({ state }) => state === 'blocked')).toMatchObject({
    level: 'project',
    by: 'nobody has trusted it',
    source: path.join(desk.project, '.kern/extensions/blocked.js'),
  });
  const { out } = await desk.kern('plugins', '-e', 'bad.js');
  expect(out).toMatch(/^bad\s+failed\s+session\s+.*no luck$/m);
});

test('a tool of the same name twice: both load, and the loser is shown as shadowed', async () => {
  const tool = (id: string): string =>
    extension(
      id,
      `ctx.contribute({ token: 'capability', id: 'tool' }, { name: 'twice', description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: '${id}' }] }) })`,
    );
  await using desk = await openDesk({ 'a.js': tool('a'), 'b.js': tool('b') });
  const verdicts = (await listed(desk, '-e', 'a.js', '-e', 'b.js'))
    .filter(({ level }) => level === 'session')
    .map(({ id, contributes }) => `${id} ${contributes[0]?.verdict}`);
  expect(verdicts).toEqual(['a won', 'b shadowed']);
});

test('enable and disable write the config, and keep its comments and settings', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(file, '# mine\nplugins:\n  tools.edit: { maxBytes: 5 } # small\n');
  expect(await desk.json('plugins', 'disable', 'tools.edit')).toEqual({ id: 'tools.edit', state: 'off', file });
  expect((await desk.kern('tool', 'list')).out).not.toMatch(/^edit/m);
  expect((await desk.kern('plugins', 'enable', 'tools.edit')).code).toBe(0);
  expect((await desk.kern('tool', 'list')).out).toMatch(/^edit/m);
  const text = readFileSync(file, 'utf8');
  for (const part of ['# mine', '# small', 'maxBytes: 5']) expect(text).toContain(part);
});

test('an id that is none is refused with the near one', async () => {
  await using desk = await openDesk();
  for (const verb of ['info', 'enable', 'disable', 'eject']) {
    const { code, err } = await desk.kern('plugins', verb, 'tools.raed');
    expect({ verb, code }).toEqual({ verb, code: 2 });
    expect(err).toContain('Did you mean tools.read');
  }
});

test('an ejected built-in takes its place, and an edit of it is live; without it the built-in is back', async () => {
  await using desk = await openDesk({ 'a.txt': 'A\n' });
  const ejected = (await desk.json('plugins', 'eject', 'tools.read')) as { folder: string; files: readonly string[] };
  expect(ejected.folder).toBe(path.join(desk.home, 'extensions', 'tools.read'));
  expect(ejected.files.some((file) => file.endsWith('.test.ts'))).toBe(false);
  const why = (await desk.json('providers', '--why', 'tool', 'read')) as {
    entries: readonly { origin: { plugin: string; level: string } }[];
  };
  expect(why.entries[0]?.origin).toMatchObject({ plugin: 'tools.read', level: 'user' });
  expect((await desk.kern('tool', 'call', 'read', '{"path":"a.txt"}')).out).toBe('A\n');
  const file = path.join(ejected.folder, 'read.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/description:\s*'[^']*'/, "description: 'Mine now.'"));
  expect((await desk.kern('tool', 'list')).out).toContain('Mine now.');
  expect((await listed(desk)).find(({ level, id }) => level === 'builtin' && id === 'tools.read')).toMatchObject({
    state: 'off',
    by: expect.stringContaining('replaced by'),
  });
  expect((await desk.kern('plugins', 'eject', 'tools.read')).code).toBe(2);
});

test('an ejected plugin that uses a package finds it', async () => {
  await using desk = await openDesk({ 'a.txt': 'one\n' });
  await desk.kern('plugins', 'eject', 'tools.edit');
  const { code, out } = await desk.kern(
    'tool',
    'call',
    'edit',
    '{"path":"a.txt","edits":[{"oldText":"one","newText":"two"}]}',
    '--yolo',
  );
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('+two') });
});

test('what guards, and what only built-ins may supply, is not ejected', async () => {
  await using desk = await openDesk();
  for (const [id, why] of [
    ['permissions', 'guards'],
    ['processes', 'only built-ins may'],
    ['cli.workbench', 'only built-ins may'],
  ] as const) {
    const { code, err } = await desk.kern('plugins', 'eject', id);
    expect({ id, code }).toEqual({ id, code: 1 });
    expect(err).toContain(why);
    expect(existsSync(path.join(desk.home, 'extensions', id))).toBe(false);
  }
});

test('a new extension works, its test passes, and an editor finds all types', async () => {
  await using desk = await openDesk();
  const made = (await desk.json('plugins', 'new', 'weather')) as { folder: string; files: readonly string[] };
  expect(made).toEqual({
    name: 'weather',
    folder: path.join(desk.project, '.kern/extensions/weather'),
    files: ['package.json', 'index.ts', 'weather.test.ts', 'tsconfig.json'],
  });
  expect(await desk.kern('tool', 'call', 'weather', '{"place":"Oslo"}', '--trust')).toMatchObject({
    code: 0,
    out: 'Hello from Oslo!\n',
  });
  expect(await desk.json('plugins', 'test')).toMatchObject({ passed: 3, failed: 0, output: '' });
  const tsc = spawnSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', made.folder], {
    encoding: 'utf8',
  });
  // Where there is no build, its own files and kern's sources are checked together: only its own count here.
  expect(tsc.stdout.split('\n').filter((line) => line.includes('extensions/weather'))).toEqual([]);
}, 60_000);

test('a failing test of an extension answers 1 and shows why', async () => {
  await using desk = await openDesk({
    'x/odd.test.ts':
      "import assert from 'node:assert';\nimport { test } from 'node:test';\ntest('odd', () => assert.equal(1 as number, 2));\n",
  });
  const { code, out } = await desk.kern('plugins', 'test', 'x');
  expect(code).toBe(1);
  expect(out).toContain('odd');
  expect((await desk.kern('plugins', 'test', 'nowhere')).code).toBe(2);
}, 60_000);

test('a name that cannot be one, and a place that is taken, are refused before anything is written', async () => {
  await using desk = await openDesk({ '.kern/extensions/taken/index.js': extension('taken') });
  for (const name of ['Weather', '../up', 'docs', 'taken'])
    expect((await desk.kern('plugins', 'new', name)).code).toBe(2);
  expect(existsSync(path.join(desk.project, '.kern/extensions/docs'))).toBe(false);
});

test('--user puts a new extension among the own ones, which need no trust', async () => {
  await using desk = await openDesk();
  await desk.kern('plugins', 'new', 'my-notes', '--user');
  expect((await desk.kern('tool', 'call', 'my_notes', '{"place":"here"}')).out).toBe('Hello from here!\n');
});

test('what switching plugins on and off needs cannot be switched off', async () => {
  await using desk = await openDesk();
  for (const id of ['cli', 'cli.run', 'cli.plugins', 'cli.config', 'cli.workbench']) {
    for (const line of [
      ['plugins', 'disable', id],
      ['config', 'set', `plugins.${id}`, 'false'],
    ]) {
      const { code, err } = await desk.kern(...line);
      expect({ line, code, err }).toEqual({ line, code: 1, err: expect.stringContaining(`${id} is needed`) });
    }
  }
  expect(await desk.kern('plugins', '--help')).toMatchObject({ code: 0 });
});

test('what other built-ins require is switched off and on again, and those it left out say why', async () => {
  await using desk = await openDesk();
  for (const id of ['tools', 'processes']) {
    expect(await desk.kern('plugins', 'disable', id)).toMatchObject({ code: 0 });
    const reports = await listed(desk);
    const failed = reports.filter(({ state }) => state === 'failed');
    expect(failed.map(({ failure }) => failure?.message)).toContainEqual(expect.stringContaining(`requires ${id}`));
    expect(new Set(reports.map((report) => report.id)).size).toBe(reports.length);
    const enabled = await desk.kern('plugins', 'enable', id);
    expect(enabled).toMatchObject({ code: 0 });
    expect((await listed(desk)).filter(({ state }) => state === 'failed')).toEqual([]);
  }
});

test('what is blocked is not switched off by a name that is not its id', async () => {
  await using desk = await openDesk({ '.kern/extensions/blocked.js': extension('other-id') });
  for (const [turn, said] of [
    ['disable', 'does not run, and stays so'],
    ['enable', 'kern trust grant'],
  ] as const) {
    const { code, err } = await desk.kern('plugins', turn, '.kern/extensions/blocked.js');
    expect({ turn, code }).toEqual({ turn, code: 2 });
    expect(err).toContain(said);
  }
  expect(existsSync(path.join(desk.home, 'config.yml'))).toBe(false);
});

test('no extension is made whose tool would take the place of a built-in one', async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.kern('plugins', 'new', 'read');
  expect(code).toBe(2);
  expect(err).toContain('kern plugins new my-read');
  expect(existsSync(path.join(desk.project, '.kern'))).toBe(false);
});
