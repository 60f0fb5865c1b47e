import { expect, test } from 'vitest';
import { type ConfigNode, dig, plain } from './node.ts';
import { readConfigText } from './read.ts';

const lineOf = (root: ConfigNode, ...path: string[]): number | undefined => dig(root, path).node?.line;

test('values come with the lines they stand on', async () => {
  const { root } = await readConfigText(
    '# mine\nmodel: a/b\n\npermissions:\n  mode: plan\n  rules:\n    - deny: "bash(rm *)"\n',
  );
  expect(plain(root)).toEqual({ model: 'a/b', permissions: { mode: 'plan', rules: [{ deny: 'bash(rm *)' }] } });
  expect([lineOf(root, 'model'), lineOf(root, 'permissions', 'mode'), lineOf(root, 'permissions', 'rules')]).toEqual([
    2, 5, 6,
  ]);
});

test('JSON has lines too, with tabs and escapes', async () => {
  const { root } = await readConfigText(
    '{\n\t"model": "a\\/b",\n\t"plugins": {\n\t\t"tools.bash": { "icon": "\\ud83d\\ude00", "n": 1e3 }\n\t}\n}\n',
  );
  expect(plain(root)).toEqual({ model: 'a/b', plugins: { 'tools.bash': { icon: '😀', n: 1000 } } });
  expect(lineOf(root, 'plugins', 'tools.bash')).toBe(4);
});

test.each(['', '\n\n', '# nothing\n', '---\n', 'null'])(
  'a file that says nothing is an empty map: %j',
  async (text) => {
    expect(plain((await readConfigText(text)).root)).toEqual({});
  },
);

test('a byte order mark is not part of the first key', async () => {
  expect(plain((await readConfigText('\uFEFFmodel: a')).root)).toEqual({ model: 'a' });
});

test.each([
  ['a list', '- a\n- b\n', 'does not hold a map'],
  ['a text', 'just words\n', 'does not hold a map'],
  ['bad YAML', 'a: [1\nb: 2\n', 'cannot be parsed'],
  ['two documents', 'a: 1\n---\nb: 2\n', 'cannot be parsed'],
  ['binary', '\u0000\u0001\u0002', 'not a text file'],
  ['a key twice', 'a: 1\nb: 2\na: 3\n', 'has the key a twice'],
  ['an undefined alias', 'a: *nobody\n', 'nobody'],
])('%s is refused as a whole', async (_, text, message) => {
  await expect(readConfigText(text)).rejects.toThrow(message);
});

test('the line of a mistake is named', async () => {
  await expect(readConfigText('a: 1\nb: "open\n')).rejects.toMatchObject({ line: expect.any(Number) });
  await expect(readConfigText('a: 1\nb: 2\na: 3\n')).rejects.toMatchObject({ line: 3 });
});

test('__proto__ is no key, and reaches no prototype', async () => {
  const { root, problems } = await readConfigText(
    '__proto__:\n  polluted: true\nplugins:\n  x: { __proto__: { polluted: true }, constructor: 1 }\n',
  );
  expect(problems.map((problem) => problem.line)).toEqual([1, 4]);
  const value = plain(root) as Record<string, Record<string, Record<string, unknown>>>;
  expect(Object.hasOwn(value, '__proto__')).toBe(false);
  expect((value as unknown as Record<string, unknown>).polluted).toBeUndefined();
  expect(value.plugins?.x?.constructor).toBe(1);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a map as a key is left out and named', async () => {
  const { root, problems } = await readConfigText('? {a: 1}\n: 2\nb: 3\n');
  expect(plain(root)).toEqual({ b: 3 });
  expect(problems).toHaveLength(1);
});

test('an alias means what its anchor says', async () => {
  const { root } = await readConfigText('a: &one { x: [1, 2] }\nb: *one\nc: &two [3]\nd: [*two]\n');
  expect(plain(root)).toEqual({ a: { x: [1, 2] }, b: { x: [1, 2] }, c: [3], d: [[3]] });
});

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'
    .split('')
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`),
].join('\n');
test.each([
  ['an alias bomb', bomb],
  ['an alias of itself', 'a: &a [*a]'],
  ['a map in itself', 'a: &a { b: *a }'],
  ['deep lists', `a: ${'['.repeat(300)}${']'.repeat(300)}`],
  ['a million brackets', '['.repeat(1_000_000)],
  ['a million open maps', '{a: '.repeat(250_000)],
  ['anchors without end', '&a '.repeat(300_000)],
  ['tags without end', '!a '.repeat(300_000)],
  ['dashes without end', '- '.repeat(500_000)],
  ['a hundred thousand keys', Array.from({ length: 100_000 }, (_, index) => `k${index}: 1`).join('\n')],
  ['more than a megabyte', `a: ${'x'.repeat(1_100_000)}`],
])('%s is refused', async (_, text) => {
  await expect(readConfigText(text)).rejects.toThrow();
});
