import { expect, test } from 'vitest';
import { redactText } from './redact.ts';

test.each([
  ['an OpenAI key', `key sk-proj-${'a'.repeat(24)} is wrong`, 'key [key] is wrong'],
  ['an Anthropic key', `sk-ant-api03-${'b'.repeat(30)}`, '[key]'],
  ['a token of GitHub', `ghp_${'c'.repeat(36)}`, '[key]'],
  ['a key of Google', `AIza${'d'.repeat(35)}`, '[key]'],
  ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE', '[key]'],
  ['a token that says who one is', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'e'.repeat(20)}`, '[key]'],
  ['a header', 'authorization: Bearer abcdefghijklmnop', 'authorization: Bearer [key]'],
  ['a header as JSON', '{"x-api-key":"abcdefghijkl","n":1}', '{"x-api-key":"[key]","n":1}'],
  ['an address', 'https://acme.test/v1?key=abcdefghijkl&n=1', 'https://acme.test/v1?key=[key]&n=1'],
  ['a password in an address', 'postgres://ada:lovelace@db.test/x', 'postgres://ada:[key]@db.test/x'],
])('%s is taken out', (_, text, expected) => {
  expect(redactText(text)).toBe(expected);
});

test.each([
  'the task-oriented-approach-to-everything is risk-averse and well-understood-by-all',
  'see https://acme.test:8443/path and ssh://git@acme.test/repo',
  'a token is a word; the key=value pairs',
  'src/keys/authorization.test.ts:10:20',
  'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
])('what only looks a little like one stays: %s', (text) => {
  expect(redactText(text)).toBe(text);
});

test('known secrets are taken out whole, the longest first; short words are no secrets', () => {
  expect(redactText('abcdefgh abcdef abc', ['abcdef', 'abcdefgh', 'abc'])).toBe('[key] [key] abc');
});
