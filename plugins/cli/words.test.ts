import type { OptionDescriptor } from 'kern/contracts';
import { expect, test } from 'vitest';
import { namesOf, readWords } from './words.ts';

const options: readonly OptionDescriptor[] = [
  { name: 'print', names: ['-p', '--print'], kind: 'boolean', summary: '' },
  { name: 'json', names: ['-j', '--json'], kind: 'boolean', summary: '' },
  { name: 'model', names: ['--model'], kind: 'string', summary: '' },
  { name: 'extensions', names: ['-e', '--extension'], kind: 'list', summary: '' },
  { name: 'resume', names: ['-r', '--resume'], kind: 'string', optional: true, summary: '' },
];

/** Short forms: `--model=x` for an option with a value, `?--x` for an unknown one, a word as it is. */
function shown(...argv: string[]): readonly string[] {
  return readWords(argv, namesOf(options)).map((word) => {
    if (word.kind === 'word') return word.afterEnd ? `|${word.text}` : word.text;
    if (word.kind === 'option') return word.value === true ? word.typed : `${word.typed}=${word.value}`;
    return `${{ unknown: '?', 'missing-value': '!', 'needless-value': '=' }[word.kind]}${word.typed}`;
  });
}

test('options stand before, between and after words', () => {
  expect(shown('-p', 'a', '--model', 'm', 'b', '-e', 'x')).toEqual(['-p', 'a', '--model=m', 'b', '-e=x']);
});

test('a value may be bound with an equals sign, also one with an equals sign of its own', () => {
  expect(shown('--model=a=b', '-e=x')).toEqual(['--model=a=b', '-e=x']);
});

test('a value that may be left out takes no word that follows', () => {
  expect(shown('-r', 'a', '--resume=b', '--resume')).toEqual(['-r=', 'a', '--resume=b', '--resume=']);
});

test('-- ends options, and only the first one does', () => {
  expect(shown('a', '--', '-p', '--', 'b')).toEqual(['a', '|-p', '|--', '|b']);
});

test('a dash alone is a word', () => {
  expect(shown('-', '--model', '-')).toEqual(['-', '--model=-']);
});

test('a value may begin with a dash, unless it is an option that is known', () => {
  expect(shown('--model', '-odd')).toEqual(['--model=-odd']);
  expect(shown('--model', '--print')).toEqual(['!--model', '--print']);
  expect(shown('--model', '--print=x')).toEqual(['!--model', '=--print']);
});

test('a value is missing at the end of the line and before --', () => {
  expect(shown('--model')).toEqual(['!--model']);
  expect(shown('--model', '--', 'a')).toEqual(['!--model', '|a']);
});

test('a switch takes no value', () => {
  expect(shown('--print=yes')).toEqual(['=--print']);
});

test('switches of one letter may be written together, others not', () => {
  expect(shown('-pj')).toEqual(['-p', '-j']);
  expect(shown('-pe')).toEqual(['?-pe']);
});

test('an unknown option is told without its value', () => {
  expect(shown('--bogus=1', '-z')).toEqual(['?--bogus', '?-z']);
});
