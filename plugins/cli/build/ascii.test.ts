import { expect, test } from 'vitest';

const { escaped }: { escaped(code: string): string } = await import(new URL('ascii.mjs', import.meta.url).href);

test('what is not ASCII is written as escapes that mean the same', () => {
  const code = 'const text = "… – 😀 é"; const pattern = /[–😀]/u; text + `— ü`';
  expect(escaped(code)).toMatch(/^[\x20-\x7e]+$/);
  expect(new Function(`${escaped(code)}; return [text, pattern.test('😀'), pattern.test('x')]`)()).toEqual([
    '… – 😀 é',
    true,
    false,
  ]);
});
