import { expect, test } from 'vitest';
import { withIncludes } from './includes.ts';

/** Files of a project as they are asked for. */
function project(texts: Readonly<Record<string, string>>) {
  const read: string[] = [];
  const warnings = new Set<string>();
  const files = {
    real: async (path: string) => (path in texts ? path : undefined),
    text: async (path: string) => {
      read.push(path);
      return texts[path];
    },
    warn: (path: string, why: string) => warnings.add(`${path}: ${why}`),
  };
  const options = { files, within: ['/p'], notes: [], user: '/home' };
  const told = () => withIncludes(texts['/p/CLAUDE.md'] ?? '', '/p/CLAUDE.md', options);
  return { told, read, warnings: () => [...warnings] };
}

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');

test('files that name one another hundreds of times are read once each, and stand in the text once', async () => {
  const { told, read, warnings } = project({
    '/p/CLAUDE.md': many(200, () => '@a.md'),
    '/p/a.md': many(200, () => '@b.md'),
    '/p/b.md': many(200, () => '@c.md'),
    '/p/c.md': many(200, () => '@d.md'),
    '/p/d.md': 'The end. @CLAUDE.md',
  });
  const text = await told();
  expect(read).toEqual(['/p/a.md', '/p/b.md', '/p/c.md', '/p/d.md']);
  expect(text.match(/The end\./g)).toHaveLength(1);
  expect(text).toContain('The end. @CLAUDE.md');
  expect(warnings()).toEqual([]);
});

test('five files deep is the end, and the text that leads there is told of it', async () => {
  const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`/p/${at}.md`, `(${at}) @${at + 1}.md`]));
  const { told, warnings } = project({ '/p/CLAUDE.md': '@1.md', ...chain });
  expect(await told()).toBe('(1) (2) (3) (4) (5) @6.md');
  expect(warnings()).toEqual([
    '/p/CLAUDE.md: has files with @path more than 5 deep: the others stay as they are written',
  ]);
});

test('a text is made of at most a hundred files, and what is left out is a warning of that text', async () => {
  const parts = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`/p/part-${at}.md`, `Part ${at}.`]));
  const { told, read, warnings } = project({ '/p/CLAUDE.md': many(150, (at) => `@part-${at}.md`), ...parts });
  const text = await told();
  expect(read).toHaveLength(100);
  expect(text).toContain('Part 99.\n@part-100.md\n');
  expect(warnings()).toEqual([
    '/p/CLAUDE.md: is made of more than 100 files with @path: the others stay as they are written',
  ]);
});

test('what is put into a text has at most a megabyte', async () => {
  const { told, warnings } = project({
    '/p/CLAUDE.md': '@a.md @b.md @c.md',
    '/p/a.md': 'a'.repeat(600_000),
    '/p/b.md': 'b'.repeat(600_000),
    '/p/c.md': 'and c',
  });
  expect((await told()).slice(600_000)).toBe(' @b.md and c');
  expect(warnings()).toEqual([
    '/p/CLAUDE.md: is made of more than 1 MB of files with @path: the others stay as they are written',
  ]);
});

test('names of files that are not there are looked for a thousand times and no more, and a word without end is none', async () => {
  const { told, warnings } = project({
    '/p/CLAUDE.md': `${many(3_000, (at) => `@no-${at}.md`)}\n@${'!'.repeat(500_000)}x`,
  });
  expect(await told()).toContain('@no-2999.md');
  expect(warnings()).toEqual(['/p/CLAUDE.md: names more than 1000 files with @: the others stay as they are written']);
});
