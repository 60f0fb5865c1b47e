import { diffArrays } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { applyEdits, type Edit } from './apply.ts';
import { spliced } from './lines.ts';

const options = { numRuns: counts({ test: 300, soak: 20_000 }), seed: seed() };

/** The file after the edits, or what was wrong with them. */
function apply(
  file: string,
  ...edits: readonly (readonly [oldText: string, newText: string])[]
): string | readonly string[] {
  const applied = applyEdits(
    file,
    edits.map(([oldText, newText]): Edit => ({ oldText, newText })),
    diffArrays,
  );
  return applied.ok ? spliced(file, applied.splices) : applied.problems;
}

test('several edits are looked up in the file as it was, in any order', () => {
  expect(apply('one two three\n', ['three', 'one'], ['one', 'two'], ['two', 'three'])).toBe('two three one\n');
});

test('a text that is not unique is refused with the lines it is in', () => {
  expect(apply('a\nx\na\n', ['a', 'b'])).toEqual([
    'The edit: oldText is in the file 2 times (lines 1, 3). Add lines around it until it is there once.',
  ]);
  expect(apply('aaa', ['aa', 'b'])).toEqual([expect.stringContaining('2 times (lines 1, 1)')]);
  expect(apply('a  \nb\na\t\nb\n', ['a\nb', 'c'])).toEqual([
    expect.stringContaining('2 times (lines 1, 3), not counting spaces at line ends'),
  ]);
});

test('overlapping edits are refused, touching ones are not', () => {
  expect(apply('abcdef', ['abc', '1'], ['cde', '2'])).toEqual([
    'edits[0] and edits[1] overlap (line 1): make one edit of them.',
  ]);
  expect(apply('abcdef', ['abc', '1'], ['abc', '2'])).toEqual([expect.stringContaining('overlap')]);
  expect(apply('abcdef', ['abc', '1'], ['def', '2'])).toBe('12');
});

test('all problems are told at once, and nothing is changed then', () => {
  expect(apply('one\ntwo\n', ['one', '1'], ['', 'x'], ['two', 'two'], ['three', '3'])).toEqual([
    'edits[1]: oldText is empty. Give the text to replace; for a whole file use write.',
    'edits[2]: oldText and newText are the same.',
    'edits[3]: oldText is not in the file. Read the file again: nothing in it is like that.',
  ]);
  expect(apply('a\r\nb', ['a\nb', 'a\r\nb'])).toEqual([
    'Nothing would change: the file has this text already, and its lines keep their line ends. To change those use a program through bash (sed, unix2dos).',
  ]);
});

test.each([
  ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\ny', 'a\r\nx\r\ny\r\nc\r\n'],
  ['CR', 'a\rb\rc\r', 'a\nb', 'a\nx\ny', 'a\rx\ry\rc\r'],
  ['LF, asked for with CRLF', 'a\nb\nc\n', 'a\r\nb', 'x\r\ny\r\nz', 'x\ny\nz\nc\n'],
  ['mixed: each line keeps its own', 'a\r\nb\nc\rd\n', 'a\nb\nc\nd', 'a\nB\nc\nD', 'a\r\nB\nc\rD\n'],
  ['mixed: a new line takes the end of the one it replaces', 'a\nb\r\nc\n', 'b', 'x\ny', 'a\nx\r\ny\r\nc\n'],
  ["mixed: a line put in takes its neighbour's", 'a\r\nb\nc\n', 'a\n', 'a\nnew\n', 'a\r\nnew\r\nb\nc\n'],
  ['the last line, which has none, takes that of the line before', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
  ['a file of one line takes LF', 'b', 'b', 'b\nc', 'b\nc'],
  ['a CR by itself is a character, where the file has LF', 'a\nb\n', 'a', '10 %\r20 %\nx', '10 %\r20 %\nx\nb\n'],
  ['or CRLF', 'a\r\nb\r\n', 'a', '10 %\r20 %\nx', '10 %\r20 %\r\nx\r\nb\r\n'],
  ['also in a text that is found in spite of a space', 'a \nb\n', 'a\nb', 'x\ry\nb', 'x\ry \nb\n'],
  ['where the file has CR, it is a line end', 'a\rb\r', 'a\n', 'x\ry\n', 'x\ry\rb\r'],
  ['so it is where it stands for one in the old text', 'a\r\nb\r\n', 'a\rb', 'x\ry', 'x\r\ny\r\n'],
  ['the CR of a CRLF, named by itself, is replaced by itself', 'a\r\nb\r\n', 'a\r', 'x', 'x\nb\r\n'],
  ['or stays', 'a\r\nb\r\n', 'a\r', 'x\r', 'x\r\nb\r\n'],
  ['the middle of a CRLF is not split', 'a\r\nb\r\n', '\nb', '\nx\ny', 'a\r\nx\r\ny\r\n'],
  ['an empty line after a lone CR stays a line of its own', '\rfoo\n', '\rfoo\n', '\n\n', '\r\r\n'],
  ['a missing final line end stays missing', 'a\r\nb', 'a\n', 'x\n', 'x\r\nb'],
  ['a line is taken away with its end', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
])('line ends: %s', (_what, file, oldText, newText, expected) => {
  expect(apply(file, [oldText, newText])).toBe(expected);
});

test.each([
  [
    'spaces at line ends are not needed to find, and stay where the line stays',
    'a  \nb\t\nc\n',
    'a\nb\nc',
    'a\nX\nc',
    'a  \nX\t\nc\n',
  ],
  ['spaces in the wanted text that the file has not', 'a\nb\nc\n', 'a   \nb  ', 'a   \nX', 'a\nX\nc\n'],
  ['spaces behind the last line found stay', 'a\nb   \nc\n', 'a \nb', 'a \nX', 'a\nX   \nc\n'],
  [
    'changed lines keep the spaces at their ends as well, if the edit does not speak of them',
    'a\t\nb  \nc \nd  \ne\n',
    'a\nb\nc\nd\ne',
    'a\nB\nc\nD\ne',
    'a\t\nB  \nc \nD  \ne\n',
  ],
  ['taking spaces away at line ends can be asked for', 'a  \nb\n', 'a  \nb', 'a\nb', 'a\nb\n'],
])('tolerance: %s', (_what, file, oldText, newText, expected) => {
  expect(apply(file, [oldText, newText])).toBe(expected);
});

test.each([
  ['a word is not found inside a longer one because of a space at its end', 'a\nbarbaz\n', 'a \nba '],
  ['a line of spaces is not any line end', 'abc\nfoo\n', '   \nfoo \n'],
  ['indentation that is off by more than a unit', '\t\t\tfoo\n', '  foo\n'],
  ['lines that are off by different amounts', '\tfoo\n\t\t\tbar\n', 'foo\nbar\n'],
  ['spaces inside a line count', 'a b\n', 'a  b\n'],
  ['nothing but spaces is nowhere', 'a\nb\n', ' \n '],
])('tolerance ends: %s', (_what, file, oldText) => {
  expect(apply(file, [oldText, 'X'])).toEqual([expect.stringContaining('oldText is not in the file')]);
});

test('half a character is never written', () => {
  expect(apply('one', ['one', 'x\ud83d'])).toEqual([expect.stringContaining('a lone surrogate')]);
});

test.each([
  [
    'quotes',
    'say “hello” to\nmy friend’s dog\n',
    'say "hello" to',
    'say "hello" and',
    'say “hello” and\nmy friend’s dog\n',
  ],
  ['dashes and spaces', 'a\u00a0– b\u2011c = 1;\n', 'a - b-c = 1;', 'a - b-c = 2;', 'a\u00a0– b\u2011c = 2;\n'],
  [
    'wide forms and signs of several letters',
    'ｆｏｏ（１）… end\n',
    'foo(1)... end',
    'foo(1)... END',
    'ｆｏｏ（１）… END\n',
  ],
  [
    'accents written as signs of their own',
    'cafe\u0301 au lait\n',
    'caf\u00e9 au lait',
    'caf\u00e9 crème',
    'cafe\u0301 crème\n',
  ],
  ['signs that are not seen', 'a\u200bb = 1\n', 'ab = 1', 'ab = 2', 'a\u200bb = 2\n'],
  ['lines around the change', '“a”\nx\n‘b’\n', '"a"\nx\n\'b\'', '"a"\ny\n\'b\'', '“a”\ny\n‘b’\n'],
  ['two changes in a line', 'f(“a”, 1, “b”, 2)\n', 'f("a", 1, "b", 2)', 'f("a", 3, "b", 4)', 'f(“a”, 3, “b”, 4)\n'],
  ['what is changed on purpose is changed', '“a”\n', '“a”', '"a"', '"a"\n'],
])('signs that look alike find, and stay where nothing is changed: %s', (_what, file, oldText, newText, expected) => {
  expect(apply(file, [oldText, newText])).toBe(expected);
});

test('a sign of several letters is found whole or not at all', () => {
  expect(apply('wait… done\n', ['wait..', 'x'])).toEqual([expect.stringContaining('oldText is not in the file')]);
});

test.each([
  [
    'a tab too few',
    '\tif (a) {\n\t\tb();\n\t}\n',
    'if (a) {\n\tb();\n}\n',
    'if (a) {\n\tc();\n\td();\n}\n',
    '\tif (a) {\n\t\tc();\n\t\td();\n\t}\n',
  ],
  [
    'a tab too many',
    'if (a) {\n\tb();\n}\n',
    '\tif (a) {\n\t\tb();\n\t}',
    '\tif (a) {\n\t\tc();\n\t}',
    'if (a) {\n\tc();\n}\n',
  ],
  [
    'two spaces too few',
    '  x:\n    - a\n    - b\n',
    'x:\n  - a\n  - b',
    'x:\n  - a\n  - c',
    '  x:\n    - a\n    - c\n',
  ],
  [
    'spaces for tabs',
    '\tx {\n\t\ty;\n\t}\n',
    '    x {\n        y;\n    }',
    '    x {\n        y;\n        z;\n    }',
    '\tx {\n\t\ty;\n\t\tz;\n\t}\n',
  ],
  ['tabs for spaces', '  x {\n    y;\n  }\n', '\tx {\n\t\ty;\n\t}', '\tx {\n\t\tz;\n\t}', '  x {\n    z;\n  }\n'],
  ['empty lines are of any indentation', '\ta\n\n\t\tb\n', 'a\n\n\tb', 'a\n\n\tc', '\ta\n\n\t\tc\n'],
  ['a line that is moved in', '\ta\n\tb\n', 'a\nb\n', 'a\n\tb\n', '\ta\n\t\tb\n'],
  ['with CRLF', '\ta\r\n\t\tb\r\n', 'a\n\tb\n', 'a\n\tc\n\td\n', '\ta\r\n\t\tc\r\n\t\td\r\n'],
  [
    'what begins with the line end before',
    'x\n\tfoo {\n\t\ta\n\t}\n',
    '\nfoo {\n\ta\n}',
    '\nfoo {\n\tb\n}',
    'x\n\tfoo {\n\t\tb\n\t}\n',
  ],
])(
  'indentation that is off by one unit finds, and the new text is moved likewise: %s',
  (_what, file, oldText, newText, expected) => {
    expect(apply(file, [oldText, newText])).toBe(expected);
  },
);

test('a place found in spite of its indentation has to be the only one', () => {
  expect(apply('\tif (a) {\n\t\tb();\n\n\tif (a) {\n\t\tb();\n', ['if (a) {\n\tb();\n', 'x'])).toEqual([
    expect.stringContaining('2 times (lines 1, 4), not counting indentation'),
  ]);
});

test('every place is changed where that is asked for', () => {
  const all = (file: string, oldText: string, newText: string) => {
    const applied = applyEdits(file, [{ oldText, newText, replaceAll: true }], diffArrays);
    return applied.ok ? spliced(file, applied.splices) : applied.problems;
  };
  expect(all('a b a\r\na', 'a', 'aa')).toBe('aa b aa\r\naa');
  expect(all('aaaa', 'aa', 'b')).toBe('bb');
  expect(all('“x” “x”', '"x"', '"y"')).toBe('“y” “y”');
  expect(all('b', 'a', 'c')).toEqual([expect.stringContaining('oldText is not in the file')]);
  expect(all('x '.repeat(5_000), 'x', 'yy')).toBe('yy '.repeat(5_000));
});

test('a text that is nearly there is shown where it is, with a diff', () => {
  const file = [
    'function sum(a, b) {',
    '\treturn a + b;',
    '}',
    '',
    'function product(a, b) {',
    '\treturn a * b;',
    '}',
    '',
  ].join('\n');
  expect(apply(file, ['function product(a, b) {\n  return a / b;\n}\n', 'x'])).toEqual([
    [
      'The edit: oldText is not in the file. The nearest is line 5 to 7 (- the file, + oldText):',
      ' 5: function product(a, b) {',
      '-6: "\\treturn a * b;"',
      '+  "  return a / b;"',
      ' 7: }',
    ].join('\n'),
  ]);
  expect(apply(file, ['function produkt(a, b)', 'x'])).toEqual([
    'The edit: oldText is not in the file. The nearest is line 5 (- the file, + oldText):\n-5: "function product(a, b) {"\n+  "function produkt(a, b)"',
  ]);
  expect(apply('a\nlast line here\n', ['last line here\nand one more', 'x'])).toEqual([
    expect.stringContaining(' 2: last line here\n+  "and one more"'),
  ]);
});

test('a search in vain, also of many equal lines, ends soon and says little', () => {
  const file = 'same line\n'.repeat(20_000);
  const [problem] = apply(file, [`${'same line\n'.repeat(300)}other`, 'x']) as readonly string[];
  expect(problem?.length).toBeLessThan(2_000);
});

// --- Properties ----------------------------------------------------------------------------------------------------

const end = fc.constantFrom('\n', '\r\n', '\r');
const word = fc.oneof(
  fc.constantFrom('foo', 'bar', '  x', '}', '', '\ufeff', '€', '😀', '\u00e4', '\u0000'),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, '').toWellFormed()),
);
const tail = fc.constantFrom('', '', '', ' ', '\t', '   ');
const line = fc
  .tuple(word, tail, end)
  .map(([text, spaces, lineEnd]) => ({ text: text.replace(/[ \t]+$/, ''), spaces, lineEnd }));
const lines = fc.array(line, { minLength: 1, maxLength: 30 });
const joined = (all: readonly { text: string; spaces: string; lineEnd: string }[]): string =>
  all.map(({ text, spaces, lineEnd }) => text + spaces + lineEnd).join('');
const finalEnd = fc.boolean();

test('whatever is edited, everything outside the edits is the same', () => {
  fc.assert(
    fc.property(
      lines,
      finalEnd,
      fc.nat(),
      fc.nat(),
      fc.string({ unit: 'binary', maxLength: 30 }),
      (all, hasEnd, from, length, text) => {
        const file = hasEnd ? joined(all) : joined(all).replace(/[\r\n]+$/, '');
        // A part of whole characters.
        const characters = [...file];
        const start = from % Math.max(1, characters.length);
        const oldText = characters.slice(start, start + 1 + (length % 40)).join('');
        const newText = text.toWellFormed();
        const applied = applyEdits(file, [{ oldText, newText }], diffArrays);
        if (!applied.ok) return;
        const [change] = applied.changes;
        expect(change).toBeDefined();
        if (change === undefined) return;
        const result = spliced(file, applied.splices);
        const { start: at, end: to } = change.place;
        expect(result.startsWith(file.slice(0, at))).toBe(true);
        expect(result.endsWith(file.slice(to))).toBe(true);
        // What was given is what stands there, line ends aside.
        const plain = (part: string): string => part.replaceAll(/\r\n|\r/g, '\n');
        if (change.how === 'exact')
          expect(plain(result.slice(at, result.length - (file.length - to)))).toBe(
            plain(newText.replace(/^\ufeff/, '')),
          );
      },
    ),
    options,
  );
});

test('changed lines given without line ends and spaces: all other lines keep every byte, changed ones their line end', () => {
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), (all, from, length) => {
      const unique = all.map((one, at) => ({ ...one, text: `#${at}#${one.text}` }));
      const start = from % unique.length;
      const part = unique.slice(start, start + 1 + (length % 6));
      const changedAt = part.map((_, at) => (at * 7 + from) % 3 === 0);
      const oldText = part.map(({ text }) => text).join('\n');
      const newText = part.map(({ text }, at) => (changedAt[at] ? `new ${at}` : text)).join('\n');
      const applied = applyEdits(joined(unique), [{ oldText, newText }], diffArrays);
      if (oldText === newText) return;
      expect(applied).toMatchObject({ ok: true });
      if (!applied.ok) return;
      const result = spliced(joined(unique), applied.splices).split(/(?<=\r\n|\n|\r(?!\n))/);
      const before = unique.map(({ text, spaces, lineEnd }) => text + spaces + lineEnd);
      expect(result.length).toBe(joined(unique).split(/(?<=\r\n|\n|\r(?!\n))/).length);
      if (result.length !== before.length) return;
      for (const [at, line] of result.entries()) {
        const index = at - start;
        if (part[index] === undefined || !changedAt[index]) expect(line).toBe(before[at]);
        else
          expect(line.replace(/[ \t]*$/, '')).toMatch(new RegExp(`^new ${index}[ \t]*${unique[at]?.lineEnd ?? ''}$`));
      }
    }),
    options,
  );
});

test('a file in other signs and one unit further in: lines that stay keep every character', () => {
  const other: Readonly<Record<string, string>> = { '"': '“', "'": '’', '-': '–' };
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-c"'(-]{0,8}$/), { minLength: 2, maxLength: 12 }),
      fc.constantFrom('', '\t', '  '),
      fc.boolean(),
      fc.nat(),
      (texts, unit, fancy, chosen) => {
        const given = texts.map((text, at) => `${at % 2 === 0 ? '' : '\t'}<${at}>${text}`);
        const there = given.map(
          (line) => unit + (fancy ? line.replaceAll(/["'-]/g, (sign) => other[sign] ?? sign) : line),
        );
        const file = `${there.join('\r\n')}\r\n`;
        const index = chosen % given.length;
        const newText = given.map((line, at) => (at === index ? `${line} and more` : line)).join('\n');
        const applied = applyEdits(file, [{ oldText: given.join('\n'), newText }], diffArrays);
        expect(applied).toMatchObject({ ok: true });
        if (!applied.ok) return;
        expect(spliced(file, applied.splices)).toBe(
          `${there.map((line, at) => (at === index ? `${line} and more` : line)).join('\r\n')}\r\n`,
        );
      },
    ),
    options,
  );
});

test('random edits of disjoint lines together give what they give one by one', () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 29 }), { maxLength: 6 }), (all, chosen) => {
      const unique = all.map((one, at) => ({ ...one, text: `#${at}#${one.text}|` }));
      const edits = [...new Set(chosen.map((at) => at % unique.length))].map(
        (at): Edit => ({ oldText: `${unique[at]?.text}`, newText: `#${at}#new\nline|` }),
      );
      if (edits.length === 0) return;
      const together = applyEdits(joined(unique), edits, diffArrays);
      let alone = joined(unique);
      for (const edit of edits) {
        const one = applyEdits(alone, [edit], diffArrays);
        if (one.ok) alone = spliced(alone, one.splices);
      }
      expect(together.ok && spliced(joined(unique), together.splices)).toBe(alone);
    }),
    options,
  );
});
