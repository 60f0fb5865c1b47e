import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Breadcrumbs } from './breadcrumbs.ts';
import { terminal } from './terminal.ts';
import { tempFolder } from './test/stores.ts';

test('without a device a terminal is known by what it says of itself, and its name leads nowhere', () => {
  const none = (): undefined => undefined;
  expect(terminal({ TMUX_PANE: '', WT_SESSION: '../../x y' }, none)).toEqual({
    id: 't-WT_SESSION-------x-y',
    leader: undefined,
  });
  expect(terminal({}, none)).toBeUndefined();
  expect(terminal({ TMUX_PANE: '%1' }, () => '/dev/pts/3')?.id).toBe('t-pts-3');
});

test('a crumb is private, says what it should, and counts for its terminal, folder and leader only', () => {
  const home = tempFolder();
  const crumbs = (id: string, leader?: string): Breadcrumbs => new Breadcrumbs(home, () => ({ id, leader }));
  crumbs('t-1', '7 100').leave('/repo', '/s/a.jsonl');
  const file = join(home, 'terminal-sessions', 't-1');
  expect(readFileSync(file, 'utf8')).toBe('/repo\n/s/a.jsonl\n7 100\n');
  expect([statSync(file).mode & 0o777, readdirSync(join(home, 'terminal-sessions'))]).toEqual([0o600, ['t-1']]);
  expect(crumbs('t-1', '7 100').find('/repo')).toBe('/s/a.jsonl');
  expect(crumbs('t-1', '9 900').find('/repo')).toBeUndefined();
  expect(crumbs('t-1', '7 100').find('/other')).toBeUndefined();
  expect(crumbs('t-2', '7 100').find('/repo')).toBeUndefined();
  writeFileSync(file, 'nothing of ours');
  expect(crumbs('t-1', '7 100').find('/repo')).toBeUndefined();
});

test('a folder with a line break in its name leaves no crumb', () => {
  const home = tempFolder();
  mkdirSync(join(home, 'terminal-sessions'));
  new Breadcrumbs(home, () => ({ id: 't', leader: undefined })).leave('/a\n/b', '/s');
  expect(readdirSync(join(home, 'terminal-sessions'))).toEqual([]);
});
