import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { failure, folderWith } from '../trust/test/folder.ts';
import { type Config, loadConfig } from './config.ts';
import { pluginSettings } from './settings.ts';

async function setUp(
  files: Record<string, string> = {},
): Promise<{ folder: string; home: string; root: string; config: Config; text: (name: string) => string }> {
  const folder = folderWith({ 'home/x': '', 'project/x': '', ...files });
  const [home, root] = [path.join(folder, 'home'), path.join(folder, 'project')];
  return {
    folder,
    home,
    root,
    config: await loadConfig({ home, root }),
    text: (name) => readFileSync(path.join(folder, name), 'utf8'),
  };
}

test('a first value makes the file of its level', async () => {
  const { config, text, folder } = await setUp();
  expect(await config.write('user', 'model', 'a/b')).toMatchObject({
    file: path.join(folder, 'home/config.yml'),
    changed: true,
    change: { keys: ['model'] },
  });
  await config.write('project', 'thinking', 'low');
  expect([text('home/config.yml'), text('project/.kern/config.yml')]).toEqual(['model: a/b\n', 'thinking: low\n']);
  expect(statSync(path.join(folder, 'home/config.yml')).mode & 0o777).toBe(0o600);
  expect(config.get('model')).toMatchObject({ value: 'a/b', origin: { layer: 'user', line: 1 } });
  expect(readdirSync(path.join(folder, 'home')).toSorted()).toEqual(['config.yml', 'x']);
  expect(readdirSync(path.join(folder, 'project/.kern'))).toEqual(['config.yml']);
});

test('the file that counts is the one that is changed', async () => {
  const { config, text } = await setUp({
    'home/config.json': '{\n    "thinking": "low"\n}\n',
    'project/package.json': '{ "name": "x", "kern": { "config": { "thinking": "low" } } }\n',
    'project/sub/x': '',
  });
  await config.write('user', 'model', 'a/b');
  await config.write('project', 'thinking', 'high');
  expect(text('home/config.json')).toBe('{\n    "thinking": "low",\n    "model": "a/b"\n}\n');
  expect(JSON.parse(text('project/package.json'))).toEqual({ name: 'x', kern: { config: { thinking: 'high' } } });
});

test('a .kernrc in JSON stays JSON', async () => {
  const { config, text } = await setUp({ 'project/.kernrc': '{ "thinking": "low" }' });
  await config.write('project', 'thinking', 'high');
  expect(JSON.parse(text('project/.kernrc'))).toEqual({ thinking: 'high' });
});

test('comments, unknown keys and the mode of the file survive', async () => {
  const { config, text, folder } = await setUp({ 'home/config.yml': '# mine\nstrange: 1 # keep\nmodel: a/b\n' });
  chmodSync(path.join(folder, 'home/config.yml'), 0o640);
  await config.write('user', 'model', 'c/d');
  expect(text('home/config.yml')).toBe('# mine\nstrange: 1 # keep\nmodel: c/d\n');
  expect(statSync(path.join(folder, 'home/config.yml')).mode & 0o777).toBe(0o640);
});

test('a bad value is refused with what was expected, and nothing is written', async () => {
  const { config, folder } = await setUp();
  const bad: [string | string[], unknown, string][] = [
    ['thinking', 'lots', 'expected one of off, minimal'],
    ['permissions.mode', true, 'expected one of plan, ask, edits, all'],
    ['permissions.rules', [{ deny: 1 }], 'expected a list of rules'],
    ['startup.autoChdir', 'yes', 'expected true or false'],
    ['permissions', { mode: 'plan' }, 'permissions.mode, permissions.rules'],
    ['permissions.rules.0', {}, 'as a whole'],
    ['plugins', {}, 'plugins.<id>'],
    [['plugins', 'x'], 'off', 'true, false or a map of settings'],
    [['plugins', 'x', 'enabled'], 'no', 'true or false'],
    ['providers.x.priority', 'high', 'expected a number'],
    ['disabledItems', 'skill:x', 'a list of texts'],
    ['model', null, 'only text'],
    ['model', undefined, 'only text'],
    [['plugins', 'x', 'fn'], () => 1, 'only text'],
    [['plugins', 'x', 'n'], Number.NaN, 'only text'],
    [['plugins', 'x', 'd'], new Date(), 'only text'],
  ];
  for (const [key, value, message] of bad)
    expect(await failure(() => config.write('user', key, value))).toMatchObject({
      code: 'config_bad_value',
      message: expect.stringContaining(message),
    });
  expect(existsSync(path.join(folder, 'home/config.yml'))).toBe(false);
});

test('an unknown key is refused with near names', async () => {
  const { config } = await setUp();
  config.know([{ id: 'tools.bash', level: 'builtin' }]);
  config.register(pluginSettings('tools.bash', z.object({ timeout: z.number().default(1) })));
  for (const [key, near] of [
    ['modle', 'model'],
    ['tools.exection', 'tools.execution'],
    ['plugins.tools.bahs', 'tools.bash'],
    ['plugins.tools.bash.timeot', 'timeout'],
  ] as const) {
    expect(await failure(() => config.write('user', key, 'x'))).toMatchObject({
      code: 'config_unknown_key',
      message: expect.stringContaining(`Did you mean ${near}?`),
    });
  }
});

test('a plugin that is not known is switched by a key in parts', async () => {
  const { config, text } = await setUp();
  await config.write('user', ['plugins', 'my.tool'], false);
  expect(text('home/config.yml')).toBe('plugins:\n  my.tool: false\n');
  expect(config.plugin('my.tool', 'user').state).toBe('off');
});

test("a plugin's value is checked by its own schema", async () => {
  const { config, text } = await setUp();
  config.register(pluginSettings('tools.bash', z.object({ timeout: z.number().default(1) })));
  expect(await failure(() => config.write('user', 'plugins.tools.bash.timeout', 'soon'))).toMatchObject({
    code: 'config_bad_value',
  });
  await config.write('user', 'plugins.tools.bash.timeout', 5);
  expect(text('home/config.yml')).toBe('plugins:\n  tools.bash:\n    timeout: 5\n');
});

test('switching off and on loses no settings', async () => {
  const { config, text } = await setUp({
    'home/config.yml': 'plugins:\n  x:\n    a: 1 # mine\nproviders:\n  p: { priority: 3 }\n',
  });
  await config.write('user', 'plugins.x', false);
  await config.write('user', 'providers.p', false);
  expect(config.plugin('x', 'user')).toMatchObject({ state: 'off', settings: { a: 1 } });
  expect(config.provider('p', 'user')).toMatchObject({ on: false, priority: 3 });
  await config.write('user', 'plugins.x', true);
  expect(config.plugin('x', 'user')).toMatchObject({ state: 'on', settings: { a: 1 } });
  expect(text('home/config.yml')).toContain('a: 1 # mine');
});

test('a setting of what is switched off does not switch it on', async () => {
  const { config, text } = await setUp({ 'home/config.yml': 'plugins:\n  x: false\n  y: true\n' });
  expect(await failure(() => config.write('user', 'plugins.x.a', 1))).toMatchObject({
    code: 'config_bad_value',
    message: expect.stringContaining('config.yml:2'),
  });
  await config.write('user', 'plugins.y.a', 1);
  expect(text('home/config.yml')).toBe('plugins:\n  x: false\n  y:\n    a: 1\n');
});

test('into the config of a project only goes what a project may set', async () => {
  const { config } = await setUp();
  config.know([
    { id: 'tools.bash', level: 'builtin' },
    { id: 'own', level: 'project' },
  ]);
  config.register(
    pluginSettings('tools.bash', z.object({ timeout: z.number().meta({ project: true }), shell: z.string() })),
  );
  for (const [key, value] of [
    ['model', 'a/b'],
    ['permissions.mode', 'all'],
    ['plugins.tools.bash', false],
    ['plugins.tools.bash.shell', 'zsh'],
  ] as const) {
    expect(await failure(() => config.write('project', key, value))).toMatchObject({ code: 'config_not_project' });
  }
  await config.write('project', 'plugins.tools.bash.timeout', 3);
  await config.write('project', 'plugins.own', false);
  await config.write('project', 'disabledItems', ['skill:a']);
  await config.write('project', 'providers.claude', false);
  expect(config.plugin('own', 'project').state).toBe('off');
  expect(config.plugin('tools.bash', 'builtin').settings).toEqual({ timeout: 3 });
});

test('a value is taken out again, also one that nobody knows', async () => {
  const { config, text } = await setUp({ 'home/config.yml': 'model: a/b\nstrange: 1\n' });
  expect(await config.unset('user', 'model')).toMatchObject({ changed: true, change: { keys: ['model'] } });
  expect(await config.unset('user', 'strange')).toMatchObject({ changed: true });
  expect(await config.unset('user', 'model')).toMatchObject({ changed: false });
  expect(await config.unset('project', 'thinking')).toMatchObject({ changed: false });
  expect(text('home/config.yml').trim()).toBe('{}');
});

test('a broken file is not written over', async () => {
  const { config, text } = await setUp({ 'home/config.yml': 'model: [\n' });
  expect(await failure(() => config.write('user', 'model', 'a/b'))).toMatchObject({ code: 'config_unreadable' });
  expect(text('home/config.yml')).toBe('model: [\n');
});

test("a link of the user's own stays a link", async () => {
  const { config, home, folder } = await setUp({ 'dotfiles/kern.yml': 'model: a/b\n' });
  symlinkSync(path.join(folder, 'dotfiles/kern.yml'), path.join(home, 'config.yml'));
  await config.reload();
  await config.write('user', 'model', 'c/d');
  expect(lstatSync(path.join(home, 'config.yml')).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(folder, 'dotfiles/kern.yml'), 'utf8')).toBe('model: c/d\n');
});

test('a link that leads out of the project is not written through', async () => {
  const { config, root, folder } = await setUp({
    'victim/config.yml': 'thinking: low\n',
    'victim/rc': 'thinking: low\n',
  });
  symlinkSync(path.join(folder, 'victim'), path.join(root, '.kern'));
  await config.reload();
  expect(await failure(() => config.write('project', 'thinking', 'high'))).toMatchObject({
    code: 'config_outside_project',
  });
  expect(readFileSync(path.join(folder, 'victim/config.yml'), 'utf8')).toBe('thinking: low\n');
});

test('a link to nowhere is replaced, and what it pointed at is not made', async () => {
  const { config, root, folder } = await setUp({ 'project/.kern/x': '' });
  symlinkSync(path.join(folder, 'victim'), path.join(root, '.kern/config.yml'));
  await config.write('project', 'thinking', 'high');
  expect(existsSync(path.join(folder, 'victim'))).toBe(false);
});

test('without a project there is nothing to write it into', async () => {
  const home = folderWith();
  const config = await loadConfig({ home });
  expect(await failure(() => config.write('project', 'thinking', 'high'))).toMatchObject({ code: 'config_no_project' });
});

test('two writers lose nothing of each other', async () => {
  const { config, home, root } = await setUp();
  const other = await loadConfig({ home, root });
  const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(ids.map((id, index) => (index % 2 === 0 ? config : other).write('user', ['plugins', id], false)));
  await config.reload();
  expect(ids.filter((id) => config.plugin(id, 'user').state === 'on')).toEqual([]);
});

test('a write leaves nothing beside the file', async () => {
  const { config, home } = await setUp();
  await config.write('user', 'model', 'c/d');
  await failure(() => config.write('user', 'thinking', 'lots'));
  expect(readdirSync(home).toSorted()).toEqual(['config.yml', 'x']);
});

test('a level where nothing can be written is told in words, with the file', async () => {
  const { config, root } = await setUp({ 'project/.kern': 'a file where the folder should be' });
  const error = await failure(() => config.write('project', 'thinking', 'low'));
  expect(error).toMatchObject({ code: 'config_unwritable' });
  expect(String(error)).toContain(`${path.join(root, '.kern/config.yml')} cannot be written`);
});
