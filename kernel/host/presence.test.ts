import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPresence } from './presence.ts';

function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-presence-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text = ''): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  put('user/code/repo/src/index.ts');
  const where = {
    cwd: join(folder, 'user/code/repo/src'),
    root: join(folder, 'user/code/repo'),
    home: join(folder, 'user/.kern'),
    user: join(folder, 'user'),
  };
  return { folder, put, where };
}

test('a path is looked for in the working directory and above, the personal folders, and the environment', async () => {
  const { folder, put, where } = place();
  const presence = createPresence({ user: '/nowhere', env: { SET: '1', EMPTY: '' } });
  const isThere = async (...paths: string[]): Promise<boolean> => (await presence.look(paths, where)).isThere;
  expect(await isThere('AGENTS.md', '~/.claude/skills', '$KERN_HOME/rules', '$EMPTY', '$UNSET', 'index.ts/x')).toBe(
    false,
  );
  expect(await isThere('nothing', '$SET')).toBe(true);
  for (const [path, file] of [
    ['one.md', 'user/code/repo/one.md'],
    ['two.md', 'user/code/two.md'],
    ['.x/y', 'user/code/repo/src/.x/y'],
    ['~/.claude/skills', 'user/.claude/skills/a/SKILL.md'],
    ['$KERN_HOME/rules', 'user/.kern/rules/a.md'],
  ] as const) {
    expect(await isThere(path), path).toBe(false);
    put(file);
    expect(await isThere(path), path).toBe(true);
  }
  // As a file system that takes both for one would find it.
  expect(await isThere('ONE.MD')).toBe(true);
  put('above.md');
  expect(await isThere('above.md')).toBe(false);
  symlinkSync('nowhere', join(folder, 'user/code/repo/dangling.md'));
  expect(await isThere('dangling.md')).toBe(true);
});

test('it says in which folders what is missing would come', async () => {
  const { folder, put, where } = place();
  put('user/.claude/settings.json');
  const presence = createPresence({ user: '/nowhere', env: {} });
  const { watch } = await presence.look(['.mcp.json', '~/.claude/skills'], where);
  expect(watch.toSorted()).toEqual(
    ['user/', 'user/.claude/', 'user/code/', 'user/code/repo/', 'user/code/repo/src/'].map((name) =>
      join(folder, name),
    ),
  );
});

test('a folder that did not change is not read again, and one whose clock stands still is', async () => {
  const { folder, put, where } = place();
  const presence = createPresence({ user: '/nowhere', env: {} });
  const look = async (): Promise<boolean> => (await presence.look(['new.md'], where)).isThere;
  expect(await look()).toBe(false);
  put('user/code/repo/new.md');
  utimesSync(join(folder, 'user/code/repo'), new Date(), new Date());
  expect(await look()).toBe(true);
});

test('a folder that does not answer, or may not be read, is taken to have everything', async () => {
  const { where } = place();
  const presence = createPresence({
    user: '/nowhere',
    env: {},
    limitMs: 5,
    port: { stat: () => new Promise(() => {}), names: async () => [] },
  });
  expect((await presence.look(['x.md'], where)).isThere).toBe(true);
  const forbidden = createPresence({
    user: '/nowhere',
    env: {},
    port: { stat: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })), names: async () => [] },
  });
  expect((await forbidden.look(['x.md'], where)).isThere).toBe(true);
});
