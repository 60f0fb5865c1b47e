import { expect, test } from 'vitest';
import { compareVersions, satisfies } from './range.ts';

test.each([
  ['1.2.3', '^1.2.0', true],
  ['2.0.0', '^1.2.0', false],
  ['0.1.5', '^0.1.0', true],
  ['0.2.0', '^0.1.0', false],
  ['0.0.4', '^0.0.3', false],
  ['0.9.0', '^0', true],
  ['1.2.9', '~1.2', true],
  ['1.3.0', '~1.2.3', false],
  ['1.9.0', '~1', true],
  ['1.5.0', '>=1 <2', true],
  ['2.0.0', '>=1 <2', false],
  ['1.5.0', '>= 1.5', true],
  ['1.5.0', '>1.5', false],
  ['1.6.0', '>1.5', true],
  ['1.5.9', '<=1.5', true],
  ['1.5.0', '1.x || 3', true],
  ['3.4.5', '1.x || 3', true],
  ['2.4.5', '1.x || 3', false],
  ['2.0.0', '1.2 - 2.0.0', true],
  ['2.0.1', '1.2 - 2.0.0', false],
  ['9.9.9', '*', true],
  ['9.9.9', '', true],
  ['1.0.0', '=1.0.0', true],
  ['1.0.0-beta.2', '^1.0.0', false],
  ['1.0.0-beta.2', '>=1.0.0-beta.1', true],
  ['1.1.0-beta.2', '>=1.0.0-beta.1', false],
  ['2.0.0-rc.1', '<2.0.0', false],
  ['1.0.0', 'what', false],
  ['what', '*', false],
])('%s in %s: %s', (version, range, isIn) => {
  expect(satisfies(version, range)).toBe(isIn);
});

test('versions are put in order by their numbers', () => {
  const versions = ['1.10.0', '1.2.0', '1.10.0-rc.10', '1.10.0-rc.2', '1.10.0-alpha', '0.9.9'];
  expect(versions.toSorted(compareVersions)).toEqual([
    '0.9.9',
    '1.2.0',
    '1.10.0-alpha',
    '1.10.0-rc.2',
    '1.10.0-rc.10',
    '1.10.0',
  ]);
});
