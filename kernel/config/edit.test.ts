import { expect, test } from 'vitest';
import { editText } from './edit.ts';

const yaml = (text: string, path: string, value: unknown): Promise<string> =>
  editText(text, { path: path.split('/'), value }, false);
const json = (text: string, path: string, value: unknown): Promise<string> =>
  editText(text, { path: path.split('/'), value }, true);

const file = `# my settings
model: a/b # the good one

unknown: [1, 2]   # not ours

plugins:
  # quiet
  tools.bash:
    timeout: 30 # seconds
`;

test('a changed value leaves comments, order and unknown keys', async () => {
  expect(await yaml(file, 'model', 'c/d')).toBe(file.replace('a/b', 'c/d').replace(']   #', '] #'));
});

test('a comment beside a value stays when the value changes its kind', async () => {
  expect(await yaml('a: 1 # why\nb: 2\n', 'a', { x: [1] })).toContain('# why');
  expect(await yaml('a: true # why\n', 'a', 'text')).toBe('a: text # why\n');
});

test('a new value is put where its map is, and maps are made for it', async () => {
  expect(await yaml(file, 'plugins/tools.bash/shell', 'zsh')).toContain('    timeout: 30 # seconds\n    shell: zsh\n');
  expect(await yaml('', 'plugins/a.b/c', 1)).toBe('plugins:\n  a.b:\n    c: 1\n');
  expect(await yaml('# only words\n', 'a', 1)).toContain('# only words\n');
  expect(await yaml('plugins: {}\n', 'plugins/a', false)).toBe('plugins:\n  a: false\n');
  expect(await yaml('plugins:\n', 'plugins/a', false)).toBe('plugins:\n  a: false\n');
});

test('a text that looks like something else is quoted', async () => {
  for (const value of ['true', '12', 'null', '- a', 'a: b', '', ' x', '#x', 'line\nbreak', '*a', '😀']) {
    const edited = await yaml('a: 1\n', 'a', value);
    expect(edited).not.toBe('a: 1\n');
  }
});

test('keys that are numbers or truth values are found by their text', async () => {
  expect(await yaml('plugins:\n  123: true\n  true: false\n', 'plugins/123', false)).toBe(
    'plugins:\n  123: false\n  true: false\n',
  );
});

test('taking out leaves no empty map behind, and nothing else changes', async () => {
  expect(await yaml('a: 1\nplugins:\n  x:\n    y: 1\n', 'plugins/x/y', undefined)).toBe('a: 1\n');
  expect(await yaml('a: 1\nplugins:\n  x: 1\n  z: 2\n', 'plugins/x', undefined)).toBe('a: 1\nplugins:\n  z: 2\n');
  expect(await yaml('a: 1\n', 'plugins/x', undefined)).toBe('a: 1\n');
  expect(await yaml('', 'a', undefined)).toBe('');
});

test('lists and maps on one line keep their spacing', async () => {
  expect(await yaml('a: [1, 2]\nb: 1\n', 'b', 2)).toBe('a: [1, 2]\nb: 2\n');
  expect(await yaml('a: { x: 1 }\nb: 1\n', 'b', 2)).toBe('a: { x: 1 }\nb: 2\n');
});

test('line ends stay what they are', async () => {
  expect(await yaml('a: 1\r\nb: 2\r\n', 'b', 3)).toBe('a: 1\r\nb: 3\r\n');
});

test('JSON keeps its indent, its order and its end', async () => {
  expect(await json('{\n\t"z": 1,\n\t"a": { "b": 1 }\n}\n', 'a/b', 2)).toBe(
    '{\n\t"z": 1,\n\t"a": {\n\t\t"b": 2\n\t}\n}\n',
  );
  expect(await json('{"a":1}', 'a', undefined)).toBe('{}');
  expect(await json('', 'a', 1)).toBe('{\n  "a": 1\n}\n');
});

test('JSON values with the names of prototypes are written as data', async () => {
  expect(JSON.parse(await json('{}', 'plugins/constructor', false))).toEqual({ plugins: { constructor: false } });
  await expect(json('{}', 'plugins/__proto__', false)).rejects.toMatchObject({ code: 'config_unreadable' });
  expect(({} as Record<string, unknown>).plugins).toBeUndefined();
});

test('a file that is broken is not touched', async () => {
  for (const text of ['a: [1\n', '- a\n', 'a: 1\n---\nb: 1\n', 'a: 1\na: 2\n'])
    await expect(yaml(text, 'a', 3)).rejects.toMatchObject({ code: 'config_unreadable' });
  for (const text of ['{', '[]', '"x"'])
    await expect(json(text, 'a', 3)).rejects.toMatchObject({ code: 'config_unreadable' });
});

test('a value behind an alias is not changed for all who use it', async () => {
  await expect(yaml('a: &a { x: 1 }\nb: *a\n', 'b/x', 2)).rejects.toMatchObject({ code: 'config_unreadable' });
});
