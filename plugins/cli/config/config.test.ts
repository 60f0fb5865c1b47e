import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

test('a value is written, read back with its origin, and taken out again', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  expect(await desk.json('config', 'set', 'permissions.mode', 'edits')).toEqual({
    file,
    key: 'permissions.mode',
    value: 'edits',
    origin: { layer: 'user', file, line: 2 },
  });
  expect(await desk.json('config', 'get', 'permissions.mode')).toEqual({
    key: 'permissions.mode',
    value: 'edits',
    origin: { layer: 'user', file, line: 2 },
  });
  expect((await desk.kern('config', 'get', 'permissions.mode', '--why')).out).toBe(`edits  (user: ${file}:2)\n`);
  await desk.kern('config', 'set', 'permissions.mode', '--unset');
  expect(await desk.json('config', 'get', 'permissions.mode')).toMatchObject({
    value: 'ask',
    origin: { layer: 'default' },
  });
});

test('values are YAML', async () => {
  await using desk = await openDesk();
  await desk.kern('config', 'set', 'disabledItems', '[tool:bash, tool:edit]');
  expect(await desk.json('config', 'get', 'disabledItems')).toMatchObject({ value: ['tool:bash', 'tool:edit'] });
  await desk.kern('config', 'set', 'plugins.tools.edit.maxBytes', '5000');
  expect(readFileSync(path.join(desk.home, 'config.yml'), 'utf8')).toContain('maxBytes: 5000');
  expect((await desk.kern('config', 'set', 'model', '[a')).err).toContain('not YAML');
});

test('a bad value and an unknown key are refused with what would be right', async () => {
  await using desk = await openDesk();
  for (const [argv, why] of [
    [['permissions.mode', 'often'], 'plan, ask, edits, all'],
    [['permisions.mode', 'ask'], 'permissions.mode'],
    [['plugins.tools.edit.maxBytes', 'many'], 'maxBytes'],
    [['plugins.tools.edit.maxByte', '5'], 'maxBytes'],
    [['plugins.tols.edit', 'false'], 'tools.edit'],
  ] as const) {
    const { code, err } = await desk.kern('config', 'set', ...argv);
    expect({ argv, code }).toEqual({ argv, code: 2 });
    expect(err).toContain(why);
  }
});

test('with --project the file of the project is written, and only with what a project may set', async () => {
  await using desk = await openDesk({ '.kern/x': '' });
  expect((await desk.kern('config', 'set', 'tools.execution', 'sequential', '--project')).out).toContain(
    path.join(desk.project, '.kern/config.yml'),
  );
  expect(await desk.json('config', 'get', 'tools.execution')).toMatchObject({ origin: { layer: 'project' } });
  expect((await desk.kern('config', 'set', 'permissions.mode', 'all', '--project')).code).not.toBe(0);
});

test('the list has every setting, those of sleeping plugins too, and says what is wrong', async () => {
  await using desk = await openDesk({ '.kern/config.yml': 'tools: { execution: sometimes }\nnonsense: 1\n' });
  const { values } = (await desk.json('config', 'list')) as { values: readonly { key: string }[] };
  expect(values.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['model', 'permissions.mode', 'tools.execution', 'startup.autoChdir']),
  );
  const { err } = await desk.kern('config');
  expect(err).toContain('config.yml:1: tools.execution');
  expect(err).toContain('nonsense');
});

test('the paths are those of the files that count', async () => {
  await using desk = await openDesk({
    'over.yml': 'model: script/a.yml\n',
    '.kern/config.yml': 'thinking: high\n',
    '.kernrc': 'thinking: low\n',
  });
  const { files } = (await desk.json('config', 'path', '--config', 'over.yml')) as {
    files: readonly { layer: string; file: string }[];
  };
  expect(files.map(({ layer, file }) => `${layer} ${path.basename(file)}`)).toEqual([
    'user config.yml',
    'project config.yml',
    'overlay over.yml',
    'shadowed .kernrc',
  ]);
  expect(await desk.json('config', 'get', 'model', '--config', 'over.yml')).toMatchObject({
    value: 'script/a.yml',
    origin: { layer: 'overlay' },
  });
});
