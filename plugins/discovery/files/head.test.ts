import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readHead, readPlain } from './head.ts';

const headOf = (inside: string, body = 'text'): ReturnType<typeof readHead> => readHead(`---\n${inside}\n---\n${body}`);

test('a text without a head is all body, and a head may be empty', async () => {
  expect(await readHead('\n# Title\n')).toEqual({ data: {}, body: '# Title', problems: [] });
  expect(await readHead('---\n---\nbody')).toEqual({ data: {}, body: 'body', problems: [] });
  expect(await readHead('---\nname: a\n')).toMatchObject({ data: {} });
});

test('keys are as in JavaScript, and line ends do not matter', async () => {
  expect(await readHead('---\r\nallowed-tools: Read\r\nargument-hint: x\r\n---\r\nbody\r\n')).toEqual({
    data: { allowedTools: 'Read', argumentHint: 'x' },
    body: 'body',
    problems: [],
  });
});

test.each([
  ['globs: *.ts', { globs: '*.ts' }, 0],
  ['globs: **/*.{ts,tsx}\nalwaysApply: false', { globs: '**/*.{ts,tsx}', alwaysApply: false }, 0],
  ['description: Use when: you must', { description: 'Use when: you must' }, 1],
  ['a: 1\n  b: 2\nc: 3', { a: '1 b: 2', c: 3 }, 1],
  ['name: x\nno pair at all\nb: 2', { name: 'x', b: 2 }, 1],
])('what is not quite YAML is read line by line: %s', async (inside, data, problems) => {
  const head = await headOf(inside);
  expect(head.data).toEqual(data);
  expect(head.problems).toHaveLength(problems);
});

test('a line that cannot be read is named as it is counted in the file', async () => {
  expect((await headOf('name: x\nno pair')).problems).toEqual(['line 3 is no "key: value"']);
});

test('a head cannot reach what objects have of their prototype', async () => {
  const head = await headOf('__proto__: evil\nconstructor: x');
  expect(({} as Record<string, unknown>).evil).toBeUndefined();
  expect(Object.hasOwn(head.data, 'constructor')).toBe(true);
});

test('what the quick reader reads, a parser of YAML reads as the same', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'true',
      'False',
      'null',
      '~',
      'no',
      '.5',
      '.inf',
      '1',
      '1e3',
      '0x1f',
      '2024-01-01',
      '"a b"',
      "'c'",
      '[]',
    ),
    fc.constantFrom(
      '*.ts',
      'a: b',
      'a #b',
      'a#b',
      '- x',
      '-x',
      '{a}',
      '[a, b]',
      '[ a ,"b"]',
      '|',
      '>',
      '& x',
      '!t',
      '@x',
      '`x`',
      '%x',
    ),
    fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\u2028\u2029\u0085]/g, ' ')),
  );
  const line = fc.tuple(fc.constantFrom('a', 'b', 'c-d', '_e'), word).map(([key, value]) => `${key}: ${value}`);
  const list = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((items) => `l:\n${items.map((item) => `  - ${item}`).join('\n')}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(line, list), { maxLength: 4 }), (lines) => {
      const inside = lines.join('\n');
      const plain = readPlain(inside);
      if (plain === undefined) return;
      expect({ inside, data: plain }).toEqual({ inside, data: parse(inside, { logLevel: 'error' }) ?? {} });
    }),
    { numRuns: 2_000 },
  );
});
