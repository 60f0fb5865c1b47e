import { expect, test } from 'vitest';
import { readJson } from './json.ts';
import { readToml } from './toml.ts';

test('JSON is read with comments, commas at the end and an empty file', () => {
  expect(readJson('{\n  // why\n  "a": "//no", /* x */ "b": [1, 2,],\n}')).toEqual({
    ok: true,
    value: { a: '//no', b: [1, 2] },
  });
  expect(readJson(' \n')).toEqual({ ok: true, value: undefined });
});

test('what is wrong with JSON is told with its line', () => {
  expect(readJson('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ ok: false, why: expect.stringMatching(/^line 3: /) });
  expect(readJson('{\n  "a": 1\n')).toMatchObject({ ok: false, why: expect.stringMatching(/^line 2: /) });
});

const toml = `# settings
model = "gpt" # which
'quoted key' = 'C:\\x'
dotted.a.b = 1_000
when = 1979-05-27 07:32:00
hex = 0xFF
float = -1.5e3

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # yes
  "docs",
]
env = { A = "1", "B.C" = '''x''' }

[mcp_servers.docs.env2]
LONG = """
one \\
   two\\u0041"""

[[list]]
n = 1
[[list]]
n = 2
[list.inner]
x = true
`;

test('TOML is read as its specification has it', () => {
  expect(readToml(toml)).toEqual({
    ok: true,
    value: {
      model: 'gpt',
      'quoted key': 'C:\\x',
      dotted: { a: { b: 1000 } },
      when: '1979-05-27T07:32:00.000',
      hex: 255,
      float: -1500,
      mcp_servers: {
        docs: {
          command: 'npx',
          args: ['-y', 'docs'],
          env: { A: '1', 'B.C': 'x' },
          env2: { LONG: 'one twoA' },
        },
      },
      list: [{ n: 1 }, { n: 2, inner: { x: true } }],
    },
  });
  expect(readToml('')).toEqual({ ok: true, value: {} });
  expect(readToml('a = 1\r\nb = 2\r\n')).toEqual({ ok: true, value: { a: 1, b: 2 } });
});

test.each([
  ['a = \n', 1],
  ['a = 1\na = 2', 2],
  ['[t]\n[t]', 2],
  ['a = word', 1],
  ['a = "open\nb = 1', 1],
  ['x = 1\n\n[a\n', 3],
  ['a = 1 b = 2', 1],
  ['a = "\\q"', 1],
  ['a = 1\n[a.b]', 2],
  [`a = ${'['.repeat(10_000)}`, 1],
])('what is wrong with TOML is told with its line (%#)', (text, line) => {
  expect(readToml(text)).toMatchObject({ ok: false, why: expect.stringContaining(`line ${line}: `) });
});

test('names of prototypes are keys like any other', () => {
  const read = readToml('[__proto__]\nevil = true\n[constructor]\na = 1');
  expect(({} as Record<string, unknown>).evil).toBeUndefined();
  expect(read.ok && Object.keys(read.value as object)).toEqual(['__proto__', 'constructor']);
});
