import { expect, test } from 'vitest';
import { createHeldHits } from './held-hits.ts';
import type { Hits } from './query.ts';

function listening(most = Number.POSITIVE_INFINITY): Hits & { readonly said: string[] } {
  const said: string[] = [];
  return {
    said,
    get isDone() {
      return said.length >= most;
    },
    line: (path, number) => void said.push(`${path}:${number}`),
    binary: (path) => void said.push(`${path} binary`),
    decoded: (path, encoding) => void said.push(`${path} ${encoding}`),
  };
}

const accepts = (path: string): boolean => !path.startsWith('not');

function held(paths: readonly string[], folders: readonly string[] = ['']): ReturnType<typeof createHeldHits> {
  const hits = createHeldHits({ folders, accepts }, listening());
  for (const path of paths) hits.line(path, 1, true, 'hit');
  return hits;
}

test('files come in the order of their names, folder by folder', () => {
  const ordered = ['A', 'a/b', 'a/b/c', 'a-b', 'a.txt', 'ab', 'é', '\uffff', '\u{1F600}'].filter(
    (path) => path !== 'a/',
  );
  const hits = listening();
  held(['not wanted', ...ordered.toReversed()]).tell(hits);
  expect(hits.said).toEqual(ordered.map((path) => `${path}:1`));
});

test('folders come in the order in which they are searched', () => {
  const hits = listening();
  held(['b/1', 'a/x/1', 'b/0', 'a.b/2'], ['a.b', 'a/x', 'b']).tell(hits);
  expect(hits.said).toEqual(['a.b/2:1', 'a/x/1:1', 'b/0:1', 'b/1:1']);
});

test('lines of a file stay together, what is said of it follows, and nothing is told that is not wanted', () => {
  const hits = createHeldHits({ folders: [''], accepts }, listening());
  hits.line('b', 1, true, 'hit');
  hits.line('a', 3, true, 'hit');
  hits.binary('a');
  hits.line('a', 5, true, 'hit');
  const [all, some] = [listening(), listening(1)];
  hits.tell(all);
  hits.tell(some);
  expect(all.said).toEqual(['a:3', 'a:5', 'a binary', 'b:1']);
  expect(some.said).toEqual(['a:3']);
});

test('more than a page or two is not held, and what is held is heard of at once', () => {
  const preview = listening();
  const hits = createHeldHits({ folders: [''], accepts }, preview);
  hits.line('a', 1, true, 'x'.repeat(1_000));
  expect([hits.isDone, preview.said]).toEqual([false, ['a:1']]);
  for (let number = 2; number < 300; number += 1) hits.line('a', number, true, 'x'.repeat(1_000));
  expect(hits.isDone).toBe(true);
});
