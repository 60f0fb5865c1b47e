import { expect, test } from 'vitest';
import { copies } from './copies.ts';

const files = [
  { path: 'a.ts', text: `definePlugin({\n  id: 'a', declares: [x] }); defineCapability({ id: 'a/x' })` },
  { path: 'b/package.json', text: '{ "kern": { "extensions": ["main.ts"] } }' },
  { path: 'b/main.ts', text: `import './slug.ts'; definePlugin({ id: 'b' })` },
];

test('a folder is one extension, and where they run out they come again under other names and ids', () => {
  const made = copies(files, 4);
  expect(made.map(({ path }) => path)).toEqual([
    'a.ts',
    'b/package.json',
    'b/main.ts',
    'a-2.ts',
    'b-2/package.json',
    'b-2/main.ts',
  ]);
  expect(made.slice(0, 3)).toEqual(files);
  expect(made[3]?.text).toBe(`definePlugin({\n  id: 'a-2', declares: [x] }); defineCapability({ id: 'a-2/x' })`);
  expect(made[4]?.text).toBe(files[1]?.text);
  expect(made[5]?.text).toBe(`import './slug.ts'; definePlugin({ id: 'b-2' })`);
});

test('fewer are the first ones, and out of nothing comes nothing', () => {
  expect(copies(files, 1)).toEqual(files.slice(0, 1));
  expect(copies([], 3)).toEqual([]);
});
