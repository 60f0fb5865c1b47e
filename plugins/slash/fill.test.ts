// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are places of the texts.
import { expect, test } from 'vitest';
import { filledIn } from './fill.ts';
import { slashed } from './slashed.ts';
import { wordsOf } from './words.ts';

test.for([
  ['a  b', ['a', 'b']],
  [`"a b" 'c "d"' e\\ f`, ['a b', 'c "d"', 'e f']],
  [`x"y z"`, ['xy z']],
  [`'' ""`, ['', '']],
  [`'not ended`, ['not ended']],
  ['', []],
] as const)('the words of %j are told apart as a shell does it', ([line, words]) => {
  expect(wordsOf(line)).toEqual(words);
});

test.for([
  ['Fix $1 in $2.', 'bug "the parser"', 'Fix bug in the parser.'],
  ['All: $@ / $ARGUMENTS', 'a "b c"', 'All: a "b c" / a "b c"'],
  ['Or ${1:-main} and ${2:-none}', 'dev', 'Or dev and none'],
  ['Or ${@:-all}', '', 'Or all'],
  ['Rest ${@:2} one ${@:2:1}', 'a b c', 'Rest b c one b'],
  ['Braced ${1} and ${ARGUMENTS}', 'x', 'Braced x and x'],
  ['Missing [$3]', 'a', 'Missing []'],
  ['No place.', 'extra words', 'No place.\n\nextra words'],
  ['No place.', '  ', 'No place.'],
  ['Tenth: $10', 'a b c d e f g h i j', 'Tenth: j'],
  ['Never twice: $1', "'$2 $@' b", 'Never twice: $2 $@'],
  ['$HOME and $ stay; $1', 'a', '$HOME and $ stay; a'],
] as const)('%j with %j', ([text, args, result]) => {
  expect(filledIn(text, args)).toBe(result);
});

test('other dialects have their own places', () => {
  expect(filledIn('$ARGUMENTS[0] then $ARGUMENTS[1], $0', 'a b', 'claude')).toBe('a then b, a');
  expect(filledIn('Do {{args}} now, $1', 'x y', 'gemini')).toBe('Do x y now, $1');
  expect(filledIn('$FILE for $$5, $1, $UNSET', 'FILE=a.ts', 'codex')).toBe('a.ts for $5, FILE=a.ts, $UNSET');
});

test.for([
  ['/review the tests', { name: 'review', args: 'the tests' }],
  ['/git:review', { name: 'git:review', args: '' }],
  ['/a\nline two', { name: 'a', args: 'line two' }],
  ['/tmp/x is full', undefined],
  ['/ alone', undefined],
  ['//comment', undefined],
  ['see /review', undefined],
] as const)('what is typed behind a slash in %j', ([text, parts]) => {
  expect(slashed(text)).toEqual(parts);
});
