import { expect, test } from 'vitest';
import { fromPs, members, type ProcessRow, processTable } from './table.ts';

const row = (pid: number, parent: number, group: number, run?: string, zombie = false): ProcessRow => ({
  pid,
  parent,
  group,
  run,
  zombie,
});
const none = new Set<number>();

test('a group is taken with everything below it, also what left the group', () => {
  const table = [row(10, 2, 10), row(11, 10, 10), row(12, 11, 12), row(13, 12, 13), row(20, 2, 20)];
  expect(members(table, { groups: new Set([10]), run: 'x', spare: none })).toEqual([10, 11, 12, 13]);
});

test('a mark finds what has no living parent of ours, and everything under the mark', () => {
  const table = [
    row(10, 1, 10, 'a.1'),
    row(11, 1, 11, 'a.1.f00.3'),
    row(12, 1, 12, 'a.10'),
    row(13, 1, 13, 'b.1'),
    row(14, 1, 14),
  ];
  expect(members(table, { groups: none, run: 'a.1', spare: none })).toEqual([10, 11]);
  expect(members(table, { groups: none, run: 'a', spare: none })).toEqual([10, 11, 12]);
});

test('what is spared stays, with what only it leads to; the dead are not counted, their children are', () => {
  const table = [row(10, 2, 10, 'a'), row(11, 10, 11), row(30, 10, 10, 'a', true), row(31, 30, 31)];
  expect(members(table, { groups: none, run: 'a', spare: new Set([10]) })).toEqual([31]);
  expect(members([row(1, 0, 1, 'a'), row(5, 1, 5)], { groups: none, run: 'a', spare: none })).toEqual([]);
});

test.each([
  ['processTable', processTable],
  ['fromPs', fromPs],
] as const)('%s knows this very process', (_name, read) => {
  const own = read().find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, zombie: false });
});
