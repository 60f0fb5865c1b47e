import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/test/line.ts';
import { FileHistory } from './history.ts';

test('prompts are listed, looked for and forgotten', async () => {
  await using desk = await openDesk({ x: '' });
  const settings = (): { enabled: boolean; maxEntries: number } => ({ enabled: true, maxEntries: 100 });
  const history = new FileHistory({ home: desk.home, settings, now: () => 0, warn: () => {} });
  history.add('fix the tests\nand the docs', desk.project);
  history.add('add a \u001b[31mcolour', '/elsewhere');
  await history.close();
  expect((await desk.kern('history')).out).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d {2}add a \S*\[31mcolour\n\d{4}-\d\d-\d\d \d\d:\d\d {2}fix the tests … \(1 more line\)\n$/,
  );
  expect((await desk.kern('history')).out).not.toContain('\u001b');
  expect(await desk.json('history', 'tests')).toEqual({
    prompts: [{ prompt: 'fix the tests\nand the docs', cwd: desk.project, createdAt: '1970-01-01T00:00:00.000Z' }],
  });
  expect(await desk.json('history', '--here', '-n', '5')).toMatchObject({ prompts: [{ cwd: desk.project }] });
  expect((await desk.kern('history', '--limit', 'many')).code).toBe(2);
  expect((await desk.kern('history', 'nothing', 'like', 'it')).err).toContain('nothing like that');
  expect((await desk.kern('history', '--clear')).code).toBe(0);
  expect(await desk.json('history')).toEqual({ prompts: [] });
});

test('looking makes no file where there is none', async () => {
  await using desk = await openDesk({ x: '' });
  expect((await desk.kern('history')).code).toBe(0);
  expect(existsSync(path.join(desk.home, 'history.db'))).toBe(false);
});
