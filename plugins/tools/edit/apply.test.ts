import { diffArrays } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { applyEdits, type Edit } from './apply.ts';
import { toBytes, toText } from './lines.ts';

const options = { numRuns: counts({ test: 300, soak: 20_000 }), seed: seed() };

/** The file after the edits, or what was wrong with them. */
function apply(
  file: string,
  ...edits: readonly (readonly [oldText: string, newText: string])[]
): string | readonly string[] {
  const applied = applyEdits(
    toBytes(file),
    edits.map(([oldText, newText]): Edit => ({ oldText, newText })),
    diffArrays,
  );
  return applied.ok ? toText(applied.result) : applied.problems;
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
  expect(apply('a\r\nb', ['a\nb', 'a\r\nb'])).toEqual(['Nothing would change: the file has this text already.']);
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
  ['the middle of a CRLF is not split', 'a\r\nb\r\n', '\nb', '\nx\ny', 'a\r\nx\r\ny\r\n'],
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
    'a  \nX\nc\n',
  ],
  ['spaces in the wanted text that the file has not', 'a\nb\nc\n', 'a   \nb  ', 'a   \nX', 'a\nX\nc\n'],
  ['spaces behind the last line found stay', 'a\nb   \nc\n', 'a \nb', 'a \nX', 'a\nX   \nc\n'],
  [
    'lines in the middle that both texts have keep their spaces',
    'a\t\nb  \nc \nd  \ne\n',
    'a\nb\nc\nd\ne',
    'a\nB\nc\nD\ne',
    'a\t\nB\nc \nD\ne\n',
  ],
  ['taking spaces away at line ends can be asked for', 'a  \nb\n', 'a  \nb', 'a\nb', 'a\nb\n'],
])('tolerance: %s', (_what, file, oldText, newText, expected) => {
  expect(apply(file, [oldText, newText])).toBe(expected);
});

test.each([
  ['a word is not found inside a longer one because of a space at its end', 'a\nbarbaz\n', 'a \nba '],
  ['a line of spaces is not any line end', 'abc\nfoo\n', '   \nfoo \n'],
  ['indentation counts', '\tfoo\n', '  foo\n'],
  ['spaces inside a line count', 'a b\n', 'a  b\n'],
  ['nothing but spaces is nowhere', 'a\nb\n', ' \n '],
])('tolerance ends: %s', (_what, file, oldText) => {
  expect(apply(file, [oldText, 'X'])).toEqual([expect.stringContaining('oldText is not in the file')]);
});

test('the mark at the start of a file stays, whatever the texts say of it', () => {
  expect(apply('\ufeffone\n', ['one', 'two'])).toBe('\ufefftwo\n');
  expect(apply('\ufeffone\n', ['\ufeffone', '\ufefftwo'])).toBe('\ufefftwo\n');
  expect(apply('\ufeffone\n', ['\ufeff', 'x'])).toEqual([expect.stringContaining('oldText is empty')]);
});

test('in a file that is not UTF-8 ASCII is edited and no other byte changes; other characters are refused', () => {
  const latin1 = '\xe4\xf6\xfc = one\xa0\r\n\x00\xff';
  const edit = (newText: string) => applyEdits(latin1, [{ oldText: '= one', newText }], diffArrays);
  expect(edit('= two')).toMatchObject({ ok: true, result: '\xe4\xf6\xfc = two\xa0\r\n\x00\xff' });
  expect(edit('= zwölf')).toMatchObject({ ok: false, problems: [expect.stringContaining('the file is not UTF-8')] });
});

test('half a character is never written', () => {
  expect(apply('one', ['one', 'x\ud83d'])).toEqual([expect.stringContaining('a lone surrogate')]);
});

test('a text that is nearly there is shown where it is, with the first difference', () => {
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
  expect(apply(file, ['function product(a, b) {\n  return a * b;\n}\n', 'x'])).toEqual([
    'The edit: oldText is not in the file. The nearest is line 5 to 7:\n5: function product(a, b) {\n6: \treturn a * b;\n7: }\nLine 6 differs: the file has "\\treturn a * b;", oldText has "  return a * b;".',
  ]);
  expect(apply(file, ['function produkt(a, b)', 'x'])).toEqual([
    'The edit: oldText is not in the file. The nearest is line 5:\n5: function product(a, b) {\nLine 5 differs: the file has "function product(a, b) {", oldText has "function produkt(a, b)".',
  ]);
  expect(apply('a\nlast line here\n', ['last line here\nand one more', 'x'])).toEqual([
    expect.stringContaining('Line 3 differs: the file has "", oldText has "and one more".'),
  ]);
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

test('whatever is edited, every byte outside the edits is the same', () => {
  fc.assert(
    fc.property(
      lines,
      finalEnd,
      fc.nat(),
      fc.nat(),
      fc.string({ unit: 'binary', maxLength: 30 }),
      (all, hasEnd, from, length, text) => {
        const file = hasEnd ? joined(all) : joined(all).replace(/[\r\n]+$/, '');
        const source = toBytes(file);
        // A part of whole characters.
        const characters = [...file];
        const start = from % Math.max(1, characters.length);
        const oldText = characters.slice(start, start + 1 + (length % 40)).join('');
        const newText = text.toWellFormed();
        const applied = applyEdits(source, [{ oldText, newText }], diffArrays);
        if (!applied.ok) return;
        const [splice] = applied.splices;
        expect(splice).toBeDefined();
        if (splice === undefined) return;
        expect(applied.result.startsWith(source.slice(0, splice.start))).toBe(true);
        expect(applied.result.endsWith(source.slice(splice.end))).toBe(true);
        expect(applied.result.length).toBe(source.length - (splice.end - splice.start) + splice.text.length);
        // What was given is what stands there, line ends aside.
        const plain = (bytes: string): string => toText(bytes).replaceAll(/\r\n|\r/g, '\n');
        expect(plain(splice.text)).toBe(newText.replace(/^\ufeff/, '').replaceAll(/\r\n|\r/g, '\n'));
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
      const applied = applyEdits(toBytes(joined(unique)), [{ oldText, newText }], diffArrays);
      if (oldText === newText) return;
      expect(applied).toMatchObject({ ok: true });
      if (!applied.ok) return;
      const expected = unique.map((one, at) => {
        const index = at - start;
        if (part[index] === undefined || !changedAt[index]) return one;
        // Spaces behind the very last line found are outside of what was given.
        return { ...one, text: `new ${index}`, spaces: index === part.length - 1 ? one.spaces : '' };
      });
      expect(toText(applied.result)).toBe(joined(expected));
    }),
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
      const together = applyEdits(toBytes(joined(unique)), edits, diffArrays);
      let alone = toBytes(joined(unique));
      for (const edit of edits) {
        const one = applyEdits(alone, [edit], diffArrays);
        if (one.ok) alone = one.result;
      }
      expect(together).toMatchObject({ ok: true, result: alone });
    }),
    options,
  );
});
