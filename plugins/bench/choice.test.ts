import { expect, test } from 'vitest';
import { chosenOf, roundsOf } from './choice.ts';
import { names } from './names.ts';

test('rounds are a whole number, ten where nothing is said', () => {
  expect([roundsOf(undefined), roundsOf('3')]).toEqual([10, 3]);
  for (const wrong of ['0', '-1', '1.5', 'many', '']) expect(() => roundsOf(wrong)).toThrow('--runs takes');
});

test('what is chosen is measured once, in the order of all', () => {
  expect(chosenOf(undefined)).toEqual(names);
  expect(chosenOf(['hook', 'start,hook'])).toEqual(['start', 'hook']);
});

test('a name that is none says which are near, or which there are', () => {
  const said = (name: string): unknown => {
    try {
      return chosenOf([name]);
    } catch (error) {
      return error;
    }
  };
  expect(said('hooks')).toMatchObject({ code: 'usage', hint: 'Did you mean hook?' });
  expect(said('anything')).toMatchObject({ code: 'usage', hint: expect.stringContaining('start, request') });
});
