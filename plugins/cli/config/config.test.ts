import { readFileSync, writeFileSync } from 'node:fs';
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

test('a model that nobody knows is written, with what may be meant; one that is known, without a word', async () => {
  await using desk = await openDesk();
  const doubtful = await desk.kern('config', 'set', 'model', 'snnet');
  expect(doubtful.code).toBe(0);
  expect(doubtful.err).toMatch(/snnet: no model is called that — did you mean anthropic\/claude-sonnet/);
  expect(await desk.kern('config', 'set', 'model', 'sonnet')).toMatchObject({ code: 0, err: '' });
  expect(await desk.json('config', 'get', 'model')).toMatchObject({ value: 'sonnet' });
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

test('a bad word about permissions stands in nobody’s way who wants to mend it', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(file, 'permissions:\n  mode: often\n');
  const listed = await desk.kern('config', 'list');
  expect(listed.code, listed.err).toBe(0);
  expect(listed.err).toContain(`${file}:2: permissions.mode: expected one of plan, ask, edits, all, got "often"`);
  expect((await desk.kern('config', 'get', 'permissions.mode')).err).toContain(`${file}:2`);
  expect((await desk.kern('doctor')).out).toContain('FAIL plugins: permissions failed');
  expect((await desk.kern('plugins')).code).toBe(0);
  // Whatever works with tools does not begin.
  expect((await desk.kern('tool', 'call', 'ls')).code).toBe(2);
  expect((await desk.kern('config', 'set', 'permissions.mode', 'edits')).code).toBe(0);
  expect(await desk.json('config', 'get', 'permissions.mode')).toMatchObject({ value: 'edits' });
});

test('a file that cannot be parsed is named, and not written', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(file, 'permissions: {\n');
  const listed = await desk.kern('config', 'list');
  expect(listed.code).toBe(0);
  expect(listed.err).toContain(`${file}:2: cannot be parsed`);
  for (const line of [
    ['permissions.mode', 'ask'],
    ['permissions.mode', '--unset'],
  ]) {
    const { code, err } = await desk.kern('config', 'set', ...line);
    expect(code).toBe(1);
    expect(err).toContain(`${file} cannot be parsed`);
  }
  const { err } = await desk.kern('-p', 'hi');
  expect(err).toContain(`${file}:2 cannot be parsed`);
  expect(readFileSync(file, 'utf8')).toBe('permissions: {\n');
});

test('a bad setting of a plugin that sleeps is found by the list and by doctor', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(file, 'plugins:\n  tools.edit: { maxBytes: x }\n');
  expect((await desk.kern('config')).err).toContain(`${file}:2: plugins.tools.edit.maxBytes: `);
  expect((await desk.kern('doctor')).out).toContain(`warn config: ${file}:2: plugins.tools.edit.maxBytes: `);
  expect(await desk.json('config', 'get', 'plugins.tools.edit.maxBytes')).toMatchObject({ value: 10_000_000 });
});

test('a number below zero is a value and no option', async () => {
  await using desk = await openDesk();
  const { code, err } = await desk.kern('config', 'set', 'plugins.tools.edit.maxBytes', '-5');
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('plugins.tools.edit.maxBytes: ') });
});

test('what is needed to switch plugins on stays on, whatever stands in a file', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(
    file,
    'plugins:\n  cli: false\n  cli.run: { enabled: false }\n  cli.config: false\n  cli.plugins: false\n',
  );
  const { code, err } = await desk.kern('config');
  expect(code).toBe(0);
  expect(err).toContain(`${file}:3: plugins.cli.run: stays on`);
  expect((await desk.kern('plugins', 'enable', 'cli.run')).code).toBe(0);
  expect((await desk.kern('-p', 'hi', '--model', 'script/none.yml')).err).toContain('none.yml');
});

test('what a plugin that is gone has left behind is named with how to take it out, and that does', async () => {
  await using desk = await openDesk();
  const file = path.join(desk.home, 'config.yml');
  writeFileSync(file, 'weather:\n  unit: c\nplugins:\n  weather:\n    unit: f\n');
  const said = (await desk.kern('doctor')).out;
  for (const key of ['weather', 'plugins.weather']) {
    expect(said).toContain(`\`kern config set ${key} --unset\` takes it out.`);
    expect(await desk.kern('config', 'set', key, '--unset')).toEqual({
      code: 0,
      out: `${file}: ${key} taken out\n`,
      err: '',
    });
  }
  expect((await desk.kern('doctor')).out).not.toContain('weather');
  expect((await desk.kern('config', 'set', 'weather', '--unset')).code).toBe(2);
});
