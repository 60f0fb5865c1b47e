import { expect, test } from 'vitest';
import { createMatcher } from './matcher.ts';
import { literalPattern, readPattern } from './pattern.ts';

const read = (text: string, dotAll = false) => {
  const found = readPattern(text, { dotAll });
  if (!found.ok) throw new Error(`${found.why}\n${found.shown}`);
  return found.pattern;
};

/** Whether JavaScript's form of it finds something in a line. */
const finds = (text: string, line: string): boolean => createMatcher(read(text), false).isIn(line, true);

test.each([
  ['plain words', 'plain words'],
  ['a{2,3}', 'a{2,3}'],
  ['a{,3}', 'a{0,3}'],
  ['a{}b{x}c{', 'a\\{\\}b\\{x\\}c\\{'],
  ['a**', '(?:a*)*'],
  ['\\b{2}', '(?:\\b){2}'],
  ['(?<n>a)', '(?P<n>a)'],
  ['(?P<n>a)', '(?P<n>a)'],
  ['(?i)a(?-i)b', '(?i)a(?-i)b'],
  ['\\"\\/\\_\\ ', '"/_ '],
  ['\\<word\\>', '\\bword\\b'],
  ['\\Astart|end\\z', '^start|end$'],
  ['a\\nb', 'a(?:\\r?\\n)b'],
  ['a\nb', 'a(?:\\r?\\n)b'],
  ['[^\\n]', '[^\\n]'],
  ['[]a-]', '[\\]a\\-]'],
  ['[a&&b]', '[[a]&&[b]]'],
  ['\\x41\\x{1F600}\\u0042\\U00000043', 'A\u{1F600}BC'],
  ['\\pL\\p{^Greek}', '\\p{L}\\P{Greek}'],
  [']}', '\\]\\}'],
])('%s reads %s for ripgrep', (text, rust) => {
  expect(read(text).rust).toBe(rust);
});

test.each([
  ['(?i)STRASSE|Ä', 'ä', true],
  ['a(?i)b|C', 'c', true],
  ['a(?i)b|C', 'Ab', false],
  ['(?i:a)b', 'AB', false],
  ['(?i:[a-b]{0,2})[a-b]', 'B', false],
  ['^(?i:[x]|y)c[a-b]$', 'XcB', false],
  ['^(?i:[^a])$', 'A', false],
  ['^(?i:[^a])$', 'b', true],
  ['^(?i:\\P{Lu})$', 'a', false],
  ['^(?i:[ak])$', '\u212A', true],
  ['^(?i:ß)$', 'ẞ', true],
  ['(?i)(é)\\1', 'éÉ', true],
  ['((?i)é)\\1', 'Éé', false],
  ['\\bé', 'xé', false],
  ['\\bé\\b', '(é)', true],
  ['x\\Bé', 'xé', true],
  ['^\\d$', '٣', true],
  ['^[\\w-]+$', 'größe-1', true],
  ['[[:^alpha:]]', 'abc', false],
  ['[a-z~~m-p]', 'n', false],
  ['[a-z--m-p]', 'n', false],
  ['[a-z--m-p]', 'q', true],
  ['\\p{Greek}', 'δ', true],
  ['\\p{sc=Greek}', 'd', false],
  ['^.$', '\u{1F600}', true],
  ['(a)(?P<n>b)\\2\\k<n>\\1', 'abbba', true],
  ['(?<=a)b(?!c)', 'abd', true],
  ['(?<!a)b', 'ab', false],
])('%s in %s: %s', (text, line, found) => {
  expect(finds(text, line)).toBe(found);
});

test.each([
  ['foo(bar', 'this group is not closed by )', '  foo(bar\n     ^'],
  ['a)b', 'this ) closes no group', '  a)b\n   ^'],
  ['x[a-z', 'this class is not closed by ]', '  x[a-z\n   ^'],
  ['[z-a]', 'the range z-a is the wrong way round', '  [z-a]\n   ^'],
  ['[a-\\d]', 'a range ends with a class, not with a character', '  [a-\\d]\n   ^'],
  ['[[:foo:]]', 'there is no class [:foo:]', '  [[:foo:]]\n   ^'],
  ['*.ts', 'there is nothing before this * that could be repeated', '  *.ts\n  ^'],
  ['a|+', 'there is nothing before this + that could be repeated', '  a|+\n    ^'],
  ['a{3,2}', '{3,2} is the wrong way round', '  a{3,2}\n   ^'],
  ['a{5000}', 'more than 1000 repetitions are too many', '  a{5000}\n   ^'],
  ['a\\', 'nothing follows the backslash', '  a\\\n   ^'],
  ['\\q', '\\q means nothing', '  \\q\n  ^'],
  ['\\xZZ', '\\x needs the number of a character, like \\x{41}', '  \\xZZ\n  ^'],
  ['\\u{D800}', '\\u needs the number of a character, like \\u{41}', '  \\u{D800}\n  ^'],
  ['\\p{Klingon}', 'there is no property "Klingon" of characters', '  \\p{Klingon}\n  ^'],
  ['(?#note)', 'this kind of group is not known', '  (?#note)\n  ^'],
  ['(?z)a', 'there is no flag z', '  (?z)a\n  ^'],
  ['(?x) a', 'the flag x is not known here: write the pattern without blanks and comments', '  (?x) a\n  ^'],
  ['(?<a>x)(?<a>y)', 'there are two groups named a', '  (?<a>x)(?<a>y)\n         ^'],
  ['(a)\\2', 'there is no group 2 that it could refer to', '  (a)\\2\n     ^'],
  ['größe\u{1F600}(', 'this group is not closed by )', '  größe\u{1F600}(\n        ^'],
  ['a\n(', 'this group is not closed by )', '  a␊(\n    ^'],
])('%s is no expression: %s', (text, why, shown) => {
  expect(readPattern(text, { dotAll: false })).toEqual({ ok: false, why, shown });
});

test('of a long pattern the part around the place is shown', () => {
  const found = readPattern(`${'a'.repeat(100)}(${'b'.repeat(100)}`, { dotAll: false });
  expect(found).toMatchObject({ ok: false, shown: `  …${'a'.repeat(40)}(${'b'.repeat(39)}…\n  ${' '.repeat(41)}^` });
});

test('what needs JavaScript, what needs ripgrep and what needs more than a line is known', () => {
  expect(read('a(?=b)')).toMatchObject({ needsScript: true, hasLineFeed: false });
  expect(read('(a)\\1')).toMatchObject({ needsScript: true });
  expect(read('\\b{start}a')).toMatchObject({ needsScript: false, needsRipgrep: '\\b{start}' });
  expect(read('(?U)a+')).toMatchObject({ needsRipgrep: 'the flag U' });
  expect(read('a\\nb')).toMatchObject({ hasLineFeed: true });
  expect(read('[^\\n]+')).toMatchObject({ hasLineFeed: false });
  expect(literalPattern('a\nb')).toMatchObject({ hasLineFeed: true, rust: 'a(?:\\r?\\n)b' });
});

test('a flag in the pattern goes before that of the search', () => {
  const matcher = createMatcher(read('^a(?-i:[a-b]?)[a-b]$'), true);
  expect(['Aa', 'AaB', 'ABb'].map((line) => matcher.isIn(line, true))).toEqual([true, true, false]);
});

test('among lines a match stays within one', () => {
  const among = (text: string) =>
    new RegExp(read(text).script({ unicode: true, text: 'lines', ignoreCase: false }), 'v');
  const lines = 'ab\nc\n';
  for (const text of ['b[^x]c', 'b\\Wc', 'b\\sc', 'b\\Dc', 'b\\P{L}c', '(?s)b.c', 'b[[:^alpha:]]c', 'b$\\sc'])
    expect([text, among(text).test(lines)]).toEqual([text, false]);
  for (const text of ['^c$', 'b$', '^a[^x]', '^[^\\d]$', '\\bc\\b'])
    expect([text, among(text).test(lines)]).toEqual([text, true]);
});

test('between the halves of a character there is no line', () => {
  const whole = new RegExp(read('$^').script({ unicode: true, text: 'whole', ignoreCase: false }), 'v');
  expect([whole.test('\u{1F600}'), whole.test('a\n\nb'), whole.test('')]).toEqual([false, true, true]);
});

test('a line feed by its number is one', () => {
  expect(read('a\\x0Ab')).toMatchObject({ hasLineFeed: true, rust: 'a(?:\\r?\\n)b' });
});

test('a literal means each of its signs', () => {
  const text = '^a.b*c+d?e(f)[g]{h}|i\\j$#&~-';
  const { rust, script } = literalPattern(text);
  expect(new RegExp(script({ unicode: false, text: 'line', ignoreCase: false }), 'v').exec(`x${text}y`)?.[0]).toBe(
    text,
  );
  expect(rust).toBe('\\^a\\.b\\*c\\+d\\?e\\(f\\)\\[g\\]\\{h\\}\\|i\\\\j\\$\\#\\&\\~\\-');
});
