import fc from 'fast-check';
import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { enginesHere, grepWith } from './test/engines.ts';

const [ripgrep] = await enginesHere();
const withRipgrep = grepWith(ripgrep?.rg ?? false);
const builtIn = grepWith(false);

/** Small alphabets, so that patterns and texts meet. */
const character = fc.constantFrom(
  'a',
  'b',
  'B',
  '1',
  '_',
  '-',
  ' ',
  '.',
  'é',
  'É',
  'ß',
  '中',
  '\u{1F600}',
  '\t',
  '(',
  '{',
);
const word = fc.array(character, { maxLength: 8 }).map((parts) => parts.join(''));
const text = fc
  .array(fc.tuple(word, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 8 })
  .chain((lines) => word.map((rest) => `${lines.map(([line, end]) => line + end).join('')}${rest}`));

const { pattern } = fc.letrec<{ pattern: string; part: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      'é',
      '中',
      '.',
      '\\w',
      '\\W',
      '\\d',
      '\\s',
      '\\S',
      '\\b',
      '^',
      '$',
      '\\.',
      '\\(',
      '{',
      ' ',
    ),
    fc.constantFrom(
      '[a-b]',
      '[^a]',
      '[[:alpha:]]',
      '[\\w-]',
      '[é-ü]',
      '[^\\s1]',
      '[a-z&&[^b]]',
      '\\p{L}',
      '\\P{L}',
      '\\x61',
    ),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
    tie('pattern').map((inner) => `(?i:${inner})`),
    tie('pattern').map((inner) => `(?-i:${inner})`),
  ),
  part: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{,2}', '*?', '+?'))
    // What repeats without end within what repeats without end may take for ever to find that it does not fit.
    .map(([atom, times]) => (/^\(.*[*+]/.test(atom) && /[*+]/.test(times) ? atom : atom + times)),
  pattern: fc
    .array(fc.array(tie('part'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((alternatives) => alternatives.map((parts) => parts.join('')).join('|')),
}));

test.each([
  ['ripgrep', withRipgrep],
  ['the built-in matcher', builtIn],
] as const)('to %s a line between two empty ones is not empty, also where a page ends', async (_, grep) => {
  const path = grep.folder({ '0.txt': '\na\n\n' });
  const found = await grep.kernel.callTool('grep', { pattern: '^$', path: `${path}/0.txt`, context: 1, limit: 1 });
  expect(resultText(found)).toMatch(/0\.txt:1: \n.*0\.txt-2- a\n/);
});

test('whatever is searched for, ripgrep and the built-in matcher find the same', {
  timeout: counts({ test: 60_000, soak: 600_000 }),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 3 }),
      pattern,
      fc.record({
        ignoreCase: fc.boolean(),
        multiline: fc.boolean(),
        literal: fc.constantFrom(false, false, true),
        context: fc.integer({ min: 0, max: 2 }),
        limit: fc.integer({ min: 1, max: 6 }),
        offset: fc.integer({ min: 1, max: 3 }),
      }),
      async (texts, expression, options) => {
        // How far a match reaches, which shows across lines, is another matter where a group that may be empty repeats.
        fc.pre(!options.multiline || !/\)[*+?{]/.test(expression));
        // Across lines CR LF is two characters for ripgrep, and one line end for us.
        const plain = options.multiline ? texts.map((content) => content.replaceAll('\r', '')) : texts;
        const tree = Object.fromEntries(plain.map((content, at) => [`${at}.txt`, content]));
        const path = withRipgrep.folder(tree);
        const args = { pattern: expression, path, ...options };
        const [one, other] = await Promise.all([
          withRipgrep.kernel.callTool('grep', args),
          builtIn.kernel.callTool('grep', args),
        ]);
        fc.pre(!resultText(other).includes('takes too long'));
        const shown = (words: string): string => words.replaceAll(path, '').replaceAll(/^.*?(\d\.txt)/gm, '$1');
        expect(shown(resultText(other))).toBe(shown(resultText(one)));
        expect(one.details).toMatchObject({ engine: 'ripgrep' });
      },
    ),
    { seed: seed(), numRuns: counts({ test: 50, soak: 1_000 }) },
  );
});
