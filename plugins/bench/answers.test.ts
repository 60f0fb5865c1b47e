import { expect, test } from 'vitest';
import { createAnswers } from './answers.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a line goes to whoever asked first, in whatever pieces it comes', async () => {
  const answers = createAnswers();
  const first = answers.next();
  const second = answers.next();
  const [head, tail] = [bytes('größer\nzwei\n').slice(0, 3), bytes('größer\nzwei\n').slice(3)];
  answers.push(head);
  answers.push(tail);
  expect(await Promise.all([first, second])).toEqual(['größer', 'zwei']);
});

test('a line that nobody asked for yet waits', async () => {
  const answers = createAnswers();
  answers.push(bytes('one\ntwo\nthr'));
  expect([await answers.next(), await answers.next()]).toEqual(['one', 'two']);
});
