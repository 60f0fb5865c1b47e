import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { failure, folderWith, put } from '../trust/test/folder.ts';
import { type Config, type ConfigOptions, loadConfig } from './config.ts';
import { text, trueOrFalse } from './schemas.ts';
import { pluginSettings, type Setting } from './settings.ts';

interface Files {
  readonly user?: string;
  readonly project?: string;
  readonly overlay?: string;
}

/** A home and a project with these config files. */
async function configWith(
  files: Files,
  options: Partial<ConfigOptions> = {},
): Promise<Config & { home: string; root: string }> {
  const folder = folderWith();
  const home = path.join(folder, 'home');
  const root = path.join(folder, 'project');
  put(folder, { 'home/x': '', 'project/x': '' });
  if (files.user !== undefined) put(home, { 'config.yml': files.user });
  if (files.project !== undefined) put(root, { '.kern/config.yml': files.project });
  if (files.overlay !== undefined) put(folder, { 'overlay.yml': files.overlay });
  const config = await loadConfig({
    home,
    root,
    ...(files.overlay === undefined ? {} : { overlay: path.join(folder, 'overlay.yml') }),
    ...options,
  });
  return Object.assign(config, { home, root });
}

test('without a word from anyone the defaults hold', async () => {
  const config = await configWith({});
  expect(config.get('startup.autoChdir')).toEqual({
    key: 'startup.autoChdir',
    value: true,
    origin: { layer: 'default' },
  });
  expect(config.get('permissions').value).toEqual({ mode: 'ask', rules: [] });
  expect(config.get('model').value).toBeUndefined();
  expect(config.problems).toEqual([]);
});

test('each layer beats the one below, and says where it stands', async () => {
  const all: Files = {
    user: 'thinking: low\n',
    project: 'tools:\n  execution: sequential\nthinking: medium\n',
    overlay: '\n\nthinking: high\n',
  };
  const config = await configWith(all, {
    flags: { model: 'flag/model' },
    env: { KERN_MODEL: 'env/model', KERN_PERMISSION_MODE: 'plan' },
  });
  expect(config.get('thinking')).toMatchObject({
    value: 'high',
    origin: { layer: 'overlay', line: 3, file: expect.stringContaining('overlay.yml') },
  });
  expect(config.get('tools.execution')).toMatchObject({ value: 'sequential', origin: { layer: 'project', line: 2 } });
  expect(config.get('model')).toMatchObject({ value: 'flag/model', origin: { layer: 'flags' } });
  expect(config.get('permissions.mode')).toMatchObject({ value: 'plan', origin: { layer: 'environment' } });
  expect((await configWith({ user: all.user ?? '' })).get('thinking')).toMatchObject({
    value: 'low',
    origin: { layer: 'user', line: 1 },
  });
  const { user = '', project = '' } = all;
  expect((await configWith({ user, project })).get('thinking')).toMatchObject({
    value: 'medium',
    origin: { layer: 'project' },
  });
});

test('the overlay is the file of the flag, else of KERN_CONFIG', async () => {
  const folder = folderWith({ 'a.json': '{ "thinking": "low" }', 'b.yaml': 'thinking: high' });
  const env = { KERN_CONFIG: path.join(folder, 'a.json') };
  expect((await configWith({}, { env })).get('thinking').value).toBe('low');
  expect((await configWith({}, { env, overlay: path.join(folder, 'b.yaml') })).get('thinking').value).toBe('high');
  expect((await configWith({}, { env: { KERN_CONFIG: '' } })).get('thinking').value).toBeUndefined();
});

test('an overlay that is missing or broken is an error: a person named it', async () => {
  const folder = folderWith({ 'broken.yml': 'a: [\n', 'code.ts': 'export default {}' });
  expect(await failure(() => configWith({}, { overlay: path.join(folder, 'absent.yml') }))).toMatchObject({
    code: 'config_missing',
  });
  expect(await failure(() => configWith({}, { overlay: path.join(folder, 'broken.yml') }))).toMatchObject({
    code: 'config_unreadable',
    message: expect.stringMatching(/broken\.yml:\d/),
  });
  expect(await failure(() => configWith({}, { overlay: path.join(folder, 'code.ts') }))).toMatchObject({
    code: 'config_unreadable',
  });
});

test('a bad value costs only itself: the layer below speaks, and file and line are named', async () => {
  const config = await configWith({
    user: 'thinking: low\nmodel: a/b\n',
    overlay: 'thinking: lots\nstartup:\n  autoChdir: "yes"\n',
  });
  expect(config.get('thinking')).toMatchObject({ value: 'low', origin: { layer: 'user' } });
  expect(config.get('startup.autoChdir').value).toBe(true);
  expect(config.get('model').value).toBe('a/b');
  expect(config.problems).toMatchObject([
    {
      key: 'thinking',
      line: 1,
      file: expect.stringContaining('overlay.yml'),
      message: expect.stringContaining('expected one of off, minimal'),
    },
    { key: 'startup.autoChdir', line: 3, message: 'expected true or false, got "yes"' },
  ]);
});

test('a group that is no map is a bad value of all its settings', async () => {
  const config = await configWith({ user: 'tools: parallel\n' });
  expect(config.get('tools.execution').value).toBe('parallel');
  expect(config.problems).toMatchObject([
    { key: 'tools.execution', line: 1, message: 'expected a map at tools, got "parallel"' },
  ]);
});

test('a key with nothing behind it says nothing', async () => {
  const config = await configWith({ user: 'model:\npermissions:\nplugins:\n  x:\n' });
  expect(config.problems).toEqual([]);
  expect(config.plugin('permissions', 'builtin').failure).toBeUndefined();
});

test('a project sets only what is marked for it', async () => {
  const config = await configWith({
    user: 'model: mine/model\n',
    project:
      'model: script/evil.yml\npermissions:\n  mode: all\n  rules: [{ allow: "bash(*)" }]\nstartup:\n  autoChdir: false\nthinking: high\n',
  });
  expect(config.get('model').value).toBe('mine/model');
  expect(config.get('permissions').value).toEqual({ mode: 'ask', rules: [] });
  expect(config.get('startup.autoChdir').value).toBe(true);
  expect(config.get('thinking').value).toBe('high');
  expect(config.problems.map(({ key, line }) => [key, line])).toEqual([
    ['model', 1],
    ['permissions.mode', 3],
    ['permissions.rules', 4],
    ['startup.autoChdir', 6],
  ]);
  expect(config.plugin('permissions', 'builtin').failure).toBeUndefined();
});

test.each([
  ['a bad mode', 'permissions:\n  mode: plann\n', 'permissions.mode'],
  ['a bad rule', 'permissions:\n  rules: [{ deny: 3 }]\n', 'permissions.rules'],
  ['a rule with two verdicts', 'permissions:\n  rules: [{ deny: a, allow: b }]\n', 'permissions.rules'],
  ['a misspelt key', 'permissions:\n  rule: [{ deny: "bash(*)" }]\n', 'permissions.rule'],
  ['a text for the group', 'permissions: ask\n', 'permissions.mode'],
  ['a bad switch of the keeper', 'plugins:\n  permissions: 3\n', 'plugins.permissions'],
  ['a file that cannot be parsed', 'permissions: [\n', 'cannot be parsed'],
  ['a file with a key twice', 'permissions: {}\npermissions: {}\n', 'twice'],
  ['a file that is no map', '- permissions\n', 'does not hold a map'],
])('%s in the config of the user fails the keeper', async (_, user, message) => {
  const config = await configWith({ user });
  const { failure: why } = config.plugin('permissions', 'builtin');
  expect(why).toContain(message);
  expect(why).toContain('config.yml');
  expect(config.plugin('other', 'builtin').failure).toBeUndefined();
  expect(config.configure('permissions', 'builtin', z.object({})).ok).toBe(false);
});

test('a bad mode in the environment, on the command line or in an overlay fails the keeper too', async () => {
  expect(
    (await configWith({}, { env: { KERN_PERMISSION_MODE: 'none' } })).plugin('permissions', 'builtin').failure,
  ).toContain('the environment');
  expect(
    (await configWith({}, { flags: { 'permissions.mode': 'none' } })).plugin('permissions', 'builtin').failure,
  ).toContain('the command line');
  expect(
    (await configWith({ overlay: 'permissions: { mode: none }' })).plugin('permissions', 'builtin').failure,
  ).toContain('overlay.yml');
});

test('no project can fail the keeper, or switch it', async () => {
  for (const project of [
    'permissions: [\n',
    'permissions: { mode: 3, x: 1 }\n',
    'plugins: { permissions: false }\n',
    '- a\n',
  ]) {
    expect(await configWith({ project }).then((config) => config.plugin('permissions', 'builtin'))).toMatchObject({
      state: 'on',
      settings: {},
    });
  }
});

test('a key is found by the longest id that fits', async () => {
  const config = await configWith({
    user: 'plugins:\n  tools: { bash: { timeout: 1 } }\n  tools.bash: { timeout: 5, deep: { a: [1, 2] } }\n  b.c: false\n',
  });
  expect(config.get('plugins.tools.bash.timeout')).toMatchObject({ value: 5, origin: { line: 3 } });
  expect(config.get('plugins.tools.bash.deep.a.1').value).toBe(2);
  expect(config.get('plugins.tools.bash').value).toEqual({ timeout: 5, deep: { a: [1, 2] } });
  expect(config.get(['plugins', 'tools', 'bash', 'timeout']).value).toBe(1);
  expect(config.get('plugins.b.c')).toMatchObject({ value: false, origin: { line: 4 } });
  expect(config.get('plugins.nobody').value).toBe(true);
});

test('a plugin that is known has its id found before anything is set', async () => {
  const config = await configWith({}, { flags: { 'plugins.my.tool.loud': true } });
  config.know([{ id: 'my.tool', level: 'user' }]);
  expect(config.get('plugins.my.tool.loud')).toMatchObject({ value: true, origin: { layer: 'flags' } });
  expect(config.plugin('my.tool', 'user').settings).toEqual({ loud: true });
});

test('keys of prototypes are keys like any other', async () => {
  const config = await configWith({ user: 'plugins:\n  constructor: { toString: 1 }\n' });
  expect(config.plugin('constructor', 'user').settings).toEqual({ toString: 1 });
  expect(config.plugin('__proto__', 'user')).toMatchObject({ state: 'on', settings: {} });
  expect(config.get('toString').value).toBeUndefined();
  expect(config.get('permissions.constructor').value).toBeUndefined();
  expect(config.get('plugins.constructor.valueOf').value).toBeUndefined();
});

const rows: Setting[] = [
  { key: 'greeting', schema: text, default: 'hello', env: true, project: true, summary: 'How it greets.' },
];

test('a setting can be added later, with its layers', async () => {
  const config = await configWith(
    { user: 'greeting: hi\n', project: 'greeting: hey\n' },
    { env: { KERN_GREETING: 'from outside' } },
  );
  expect(config.get('greeting').value).toBeUndefined();
  expect(config.unknown([]).map(({ key }) => key)).toEqual(['greeting', 'greeting']);
  config.register(rows);
  expect(config.get('greeting')).toMatchObject({ value: 'from outside', origin: { layer: 'environment' } });
  expect(config.unknown([])).toEqual([]);
  config.register(rows);
});

test('no added setting takes the place of one of the kernel', async () => {
  const config = await configWith({});
  for (const key of [
    'permissions.mode',
    'permissions',
    'permissions.mode.x',
    'plugins',
    'plugins.x',
    'providers.x',
    'disabledItems',
    '',
  ]) {
    expect(
      await failure(() => config.register([{ key, schema: trueOrFalse, default: true, project: true, summary: '' }])),
    ).toMatchObject({ code: 'config_bad_setting' });
  }
});

const bash = z.object({
  timeout: z.number().default(300).meta({ project: true, env: true, description: 'In seconds.' }),
  shell: z.string().optional(),
  limits: z.object({ lines: z.number().default(5) }).prefault({}),
});

test("a plugin's schema gives its settings: defaults, marks and words", () => {
  expect(pluginSettings('tools.bash', bash).map(({ schema: _, ...row }) => row)).toEqual([
    {
      key: 'plugins.tools.bash.timeout',
      path: ['plugins', 'tools.bash', 'timeout'],
      default: 300,
      summary: 'In seconds.',
      project: true,
      env: true,
    },
    {
      key: 'plugins.tools.bash.shell',
      path: ['plugins', 'tools.bash', 'shell'],
      default: undefined,
      summary: '',
      project: false,
      env: false,
    },
    {
      key: 'plugins.tools.bash.limits',
      path: ['plugins', 'tools.bash', 'limits'],
      default: { lines: 5 },
      summary: '',
      project: false,
      env: false,
    },
  ]);
  expect(pluginSettings('x', z.string())).toEqual([]);
  expect(pluginSettings('x', undefined)).toEqual([]);
});

test('a mark is found under what is put around it', () => {
  const schema = z.object({
    a: z.number().meta({ project: true }).default(1),
    b: z.number().meta({ project: true }).optional(),
  });
  expect(pluginSettings('x', schema).map((row) => row.project)).toEqual([true, true]);
});

test('a project sets only the marked settings of a plugin that is not its own', async () => {
  const project =
    'plugins:\n  tools.bash:\n    timeout: 9\n    shell: /evil\n  tools.read: false\n  own: { loud: true }\n';
  const config = await configWith({ user: 'plugins: { tools.bash: { shell: zsh } }\n', project });
  config.know([
    { id: 'tools.bash', level: 'builtin' },
    { id: 'tools.read', level: 'builtin' },
    { id: 'own', level: 'project' },
  ]);
  expect(config.plugin('tools.bash', 'builtin').settings).toEqual({ shell: 'zsh' });
  config.register(pluginSettings('tools.bash', bash));
  expect(config.plugin('tools.bash', 'builtin').settings).toEqual({ shell: 'zsh', timeout: 9 });
  expect(config.get('plugins.tools.bash.shell').value).toBe('zsh');
  expect(config.plugin('tools.read', 'builtin').state).toBe('on');
  expect(config.plugin('own', 'project').settings).toEqual({ loud: true });
  expect(config.get('plugins.own.loud')).toMatchObject({ value: true, origin: { layer: 'project' } });
  expect(config.problems.map(({ key, line }) => [key, line])).toEqual([
    ['plugins.tools.bash.shell', 4],
    ['plugins.tools.read', 5],
  ]);
});

test('an id that the user and the project both have keeps the rules of the user', async () => {
  const config = await configWith({ project: 'plugins: { same: { a: 1 } }\n' });
  for (const order of [
    ['user', 'project'],
    ['project', 'user'],
  ] as const) {
    config.know(order.map((level) => ({ id: 'same', level })));
    expect(config.get('plugins.same.a').value).toBeUndefined();
  }
});

test('the environment sets marked settings of a plugin, as numbers too', async () => {
  const config = await configWith(
    {},
    { env: { KERN_PLUGINS_TOOLS_BASH_TIMEOUT: '7', KERN_PLUGINS_TOOLS_BASH_SHELL: 'evil' } },
  );
  config.register(pluginSettings('tools.bash', bash));
  expect(config.plugin('tools.bash', 'builtin').settings).toEqual({ timeout: 7 });
});

test('maps of a plugin merge key by key, lists do not', async () => {
  const config = await configWith({
    user: 'plugins: { x: { deep: { a: 1, b: 2 }, list: [1, 2], kind: { a: 1 } } }\n',
    overlay: 'plugins:\n  x:\n    deep: { b: 3 }\n    list: [3]\n    kind: none\n',
  });
  const { settings, origins } = config.plugin('x', 'user');
  expect(settings).toEqual({ deep: { a: 1, b: 3 }, list: [3], kind: 'none' });
  expect(origins.get('deep.a')).toMatchObject({ layer: 'user' });
  expect(origins.get('deep.b')).toMatchObject({ layer: 'overlay', line: 3 });
  expect(Array.from(origins.keys()).toSorted()).toEqual(['deep.a', 'deep.b', 'kind', 'list']);
});

test('a bad value of a plugin costs only itself, and the layer below speaks', async () => {
  const config = await configWith({
    user: 'plugins: { x: { timeout: 5, shell: zsh } }\n',
    overlay: 'plugins:\n  x:\n    timeout: soon\n    limits:\n      lines: many\n',
  });
  const result = config.configure('x', 'user', bash);
  expect(result).toMatchObject({ ok: true, value: { timeout: 5, shell: 'zsh', limits: { lines: 5 } } });
  expect(result.problems).toMatchObject([
    { key: 'plugins.x.timeout', line: 3 },
    { key: 'plugins.x.limits.lines', line: 5 },
  ]);
});

test('a keeper forgives nothing', async () => {
  const config = await configWith({ user: 'plugins: { x: { timeout: soon } }\n' });
  expect(config.configure('x', 'user', bash, { keeper: true })).toMatchObject({
    ok: false,
    problems: [{ key: 'plugins.x.timeout' }],
  });
});

test('what no default can save fails the plugin', async () => {
  const config = await configWith({ user: 'plugins: { x: { list: [1, a] } }\n' });
  expect(config.configure('x', 'user', z.object({ needed: z.string() }))).toMatchObject({
    ok: false,
    problems: [{ key: 'plugins.x.needed' }],
  });
  expect(config.configure('x', 'user', z.object({ list: z.array(z.number()).default([]) }))).toMatchObject({
    ok: true,
    value: { list: [] },
  });
});

test('a key that a strict schema does not know costs only itself', async () => {
  const config = await configWith({ user: 'plugins: { x: { timeout: 5, tmeout: 6 } }\n' });
  expect(config.configure('x', 'user', z.strictObject({ timeout: z.number() }))).toMatchObject({
    ok: true,
    value: { timeout: 5 },
    problems: [{ key: 'plugins.x.tmeout', line: 1 }],
  });
});

test('a schema that throws or waits fails the plugin, not the program', async () => {
  const config = await configWith({});
  const throwing = z.object({}).transform(() => {
    throw new Error('no');
  });
  expect(config.configure('x', 'user', throwing).ok).toBe(false);
  expect(
    config.configure(
      'x',
      'user',
      z.object({}).refine(async () => true),
    ).ok,
  ).toBe(false);
});

test('keys that nobody reads are named with what they are near to', async () => {
  const config = await configWith({
    user: 'modle: x\nthinking: low\ntools:\n  exection: parallel\ntools.execution: sequential\nplugins:\n  tools.bsh: false\n  tools.bash: { timeot: 1 }\nproviders:\n  claud: false\n  codex: { prioritty: 3 }\n',
  });
  config.register(pluginSettings('tools.bash', bash));
  const found = config.unknown(['tools.bash', 'permissions'], ['claude', 'codex']);
  expect(found.map(({ key, line, message }) => [key, line, message])).toEqual([
    ['modle', 1, 'nothing reads this key. Did you mean model?'],
    ['tools.exection', 4, 'nothing reads this key. Did you mean execution?'],
    ['tools.execution', 5, 'write it as a map: tools: { execution: … }.'],
    ['plugins.tools.bsh', 7, 'there is no such plugin here. Did you mean tools.bash?'],
    ['plugins.tools.bash.timeot', 8, 'the plugin does not read this key. Did you mean timeout?'],
    ['providers.claud', 10, 'there is no such provider here. Did you mean claude?'],
    ['providers.codex.prioritty', 11, 'nothing reads this key. Did you mean priority?'],
  ]);
  expect(config.problems).toEqual([]);
});

test('everything that is set, switched or settled is listed with its origin', async () => {
  const config = await configWith({
    user: 'model: a/b\nplugins:\n  x: { a: 1, deep: { b: 2 } }\n  off.one: false\nproviders: { claude: false }\ndisabledItems: ["skill:a"]\n',
    project: 'disabledItems: ["skill:b"]\n',
  });
  const values = config.list();
  const byKey = values.map(({ key, value, origin }) => [key, value, origin.layer]);
  expect(byKey).toContainEqual(['model', 'a/b', 'user']);
  expect(byKey).toContainEqual(['plugins.x.a', 1, 'user']);
  expect(byKey).toContainEqual(['plugins.x.deep.b', 2, 'user']);
  expect(byKey).toContainEqual(['plugins.off.one', false, 'user']);
  expect(byKey).toContainEqual(['providers.claude', { user: false, project: false }, 'user']);
  expect(byKey).toContainEqual(['disabledItems', ['skill:a'], 'user']);
  expect(byKey).toContainEqual(['disabledItems', ['skill:b'], 'project']);
  expect(byKey).toContainEqual(['startup.autoChdir', true, 'default']);
  expect(values.map(({ key }) => key)).toEqual(values.map(({ key }) => key).toSorted());
});

test('a reload says which keys changed, and no others', async () => {
  const config = await configWith({ user: 'model: a/b\nthinking: low\nplugins: { x: { a: 1 }, y: true }\n' });
  expect(await config.reload()).toEqual({ keys: [], plugins: [] });
  put(config.home, {
    'config.yml': 'model: c/d\nthinking: low\nplugins: { x: { a: 2 }, z.z: false }\ndisabledProviders: [claude]\n',
  });
  const change = await config.reload();
  expect(change.keys.toSorted()).toEqual(['disabledProviders', 'model', 'plugins.x', 'plugins.y', 'plugins.z.z']);
  expect(change.plugins.toSorted()).toEqual(['x', 'y', 'z.z']);
  expect(config.get('model').value).toBe('c/d');
});

test('a file that comes later is seen, and one that goes is forgotten', async () => {
  const config = await configWith({});
  put(config.root, { '.kernrc.json': '{ "thinking": "low" }' });
  expect((await config.reload()).keys).toEqual(['thinking']);
  put(config.root, { '.kern/config.yaml': 'thinking: high' });
  await config.reload();
  expect(config.get('thinking').value).toBe('high');
  expect(config.shadowed).toEqual([path.join(config.root, '.kernrc.json')]);
  for (const file of config.shadowed) expect(config.files).toContain(file);
});

test('a broken edit leaves what the file said before, and is named', async () => {
  const config = await configWith({ user: 'permissions: { mode: plan }\n' });
  put(config.home, { 'config.yml': 'permissions: { mode: \n' });
  expect(await config.reload()).toEqual({ keys: [], plugins: [] });
  expect(config.get('permissions.mode').value).toBe('plan');
  expect(config.plugin('permissions', 'builtin').failure).toBeUndefined();
  expect(config.problems).toMatchObject([
    { file: expect.stringContaining('config.yml'), message: expect.stringContaining('stays in force') },
  ]);
  put(config.home, { 'config.yml': 'permissions: { mode: edits }\n' });
  await config.reload();
  expect(config.problems).toEqual([]);
});

test('a file that was away and comes back broken does not speak with its old words', async () => {
  const config = await configWith({ user: 'permissions: { mode: all }\n' });
  rmSync(path.join(config.home, 'config.yml'));
  await config.reload();
  put(config.home, { 'config.yml': 'permissions: [\n' });
  await config.reload();
  expect(config.get('permissions.mode').value).toBe('ask');
  expect(config.plugin('permissions', 'builtin').failure).toContain('cannot be parsed');
});

test('reloads at the same time take turns', async () => {
  const config = await configWith({ user: 'model: a/b\n' });
  put(config.home, { 'config.yml': 'model: c/d\n' });
  const changes = await Promise.all([config.reload(), config.reload(), config.write('user', 'thinking', 'low')]);
  expect(changes[0].keys).toEqual(['model']);
  expect(changes[1].keys).toEqual([]);
  expect(changes[2].change.keys).toEqual(['thinking']);
});
