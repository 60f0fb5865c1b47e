import { expect, test } from 'vitest';
import { ToldTexts } from './told-texts.ts';

test('a text that cannot be read is what it was, said once for each reason; at the end of a run nothing is said', async () => {
  const said: string[] = [];
  const texts = new ToldTexts({ warn: (text) => void said.push(String(text)) });
  let answer: () => Promise<string> = async () => ' one ';
  const file = { path: '/a.md', read: () => answer() };
  const { signal } = new AbortController();
  expect(await texts.read(file, signal)).toBe('one');
  answer = () => Promise.reject(new Error('it is gone'));
  expect([await texts.read(file, signal), await texts.read(file, signal)]).toEqual(['one', 'one']);
  expect(said).toEqual(['it is gone — what it said before goes on to hold']);
  answer = () => Promise.reject(new Error('aborted'));
  expect(await texts.read(file, AbortSignal.abort())).toBe('one');
  expect(await texts.read({ ...file, path: '/b.md' }, AbortSignal.abort())).toBeUndefined();
  expect(said).toHaveLength(1);
});
