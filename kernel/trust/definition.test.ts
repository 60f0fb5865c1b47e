import { expect, test } from 'vitest';
import { canonical } from './definition.ts';

test('the order of keys, and what is undefined, make no difference', () => {
  expect(canonical({ b: 1, a: { d: [1, 2], c: undefined } })).toBe(canonical({ a: { d: [1, 2] }, b: 1 }));
});

test.each([
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: '1' }, { a: 1 }],
  [{ a: [undefined, 1] }, { a: [1] }],
  [{ a: null }, {}],
  [{ a: Number.NaN }, { a: null }],
  [{ a: 'b:c' }, { a: 'b', c: '' }],
  ['{"a":1}', { a: 1 }],
  [{ a: 1n }, { a: 1 }],
  [{ url: new URL('http://a/') }, { url: new URL('http://b/') }],
  [{ url: new URL('http://a/') }, { url: 'http://a/' }],
  [{ ['__proto__']: 1 }, {}],
  [JSON.parse('{"__proto__":{"a":1}}'), {}],
])('definitions that mean different things stay apart (%#)', (a, b) => {
  expect(canonical(a)).not.toBe(canonical(b));
});

test('what a hash could not see is refused', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  for (const value of [
    () => 1,
    Symbol('x'),
    undefined,
    { a: () => 1 },
    new Map(),
    new Set(),
    /x/,
    loop,
    new (class Own {})(),
  ])
    expect(() => canonical(value)).toThrow(TypeError);
});

test('the same object in two places is no loop', () => {
  const shared = { x: 1 };
  expect(canonical({ a: shared, b: shared })).toBe('{"a":{"x":1},"b":{"x":1}}');
});
