import type { PendingChange } from 'kern/contracts';
import { expect, test } from 'vitest';
import { createPendingChanges } from './pending.ts';

const change = (title: string, discard = (): void => undefined): PendingChange => ({
  tool: 'x',
  title,
  effects: [],
  apply: async () => ({ content: [] }),
  discard,
});

test('what waits is known by its session and its name, and taken once', () => {
  const pending = createPendingChanges();
  const id = pending.add('s1', change('one'));
  pending.add('s2', change('two'));
  expect(pending.list('s1').map(({ change: { title } }) => title)).toEqual(['one']);
  expect(pending.list()).toHaveLength(2);
  expect(pending.take('s2', id)).toBeUndefined();
  expect(pending.take('s1', id)?.title).toBe('one');
  expect(pending.take('s1', id)).toBeUndefined();
});

test('of a session that decides nothing the oldest are discarded', () => {
  const pending = createPendingChanges();
  const discarded: string[] = [];
  pending.add('s2', change('other'));
  for (let at = 0; at < 25; at += 1)
    pending.add(
      's1',
      change(`${at}`, () => void discarded.push(`${at}`)),
    );
  expect(discarded).toEqual(['0', '1', '2', '3', '4']);
  expect(pending.list('s1')).toHaveLength(20);
  expect(pending.list('s2')).toHaveLength(1);
});
