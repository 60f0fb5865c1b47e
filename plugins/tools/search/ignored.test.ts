import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { needs } from '../../cli/test/needs.ts';
import { counts, seed } from '../../cli/test/soak.ts';
import { noRules, rulesAbove } from './ignored.ts';
import { plant, planted, type Tree } from './test/tree.ts';
import { walk } from './walk.ts';

const git = needs('git', 'git');
const signal = new AbortController().signal;

async function filesIn(root: string): Promise<readonly string[]> {
  const { rules } = await rulesAbove(root);
  const found: string[] = [];
  for await (const entries of walk(root, { rules, signal, closed: new Set(['.git']) }))
    found.push(...entries.filter(({ kind }) => kind !== 'folder').map(({ path }) => path));
  return found;
}

const name = fc.constantFrom('a', 'b', 'ab', 'a.log', 'b.txt', '.h', 'A', 'a b', '#a', '!a');
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '**/', '\\'),
    fc.array(
      fc.constantFrom('a', 'b', '*', '?', '.log', '.txt', '[ab]', '[!a]', '/', '**', 'a/b', ' ', '\\ ', '#', '!'),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    fc.constantFrom('', '', '/', '/*', '/**', ' '),
  )
  .map(([start, parts, end]) => start + parts.join('') + end)
  // A backslash at the end of a line, and stars beside something else, are read in more than one way, also by git.
  .filter((line) => !line.endsWith('\\') && !/\*\*\*|[^/]\*\*|\*\*[^/]/.test(line));

test.skipIf(git.skip)(
  `what is left out is what git ignores${git.name}`,
  { timeout: counts({ test: 60_000, soak: 600_000 }) },
  async () => {
    const folder = planted({});
    execFileSync('git', ['init', '-q', folder]);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
          { minLength: 1, maxLength: 8 },
        ),
        fc.array(rule, { maxLength: 4 }),
        fc.array(rule, { maxLength: 2 }),
        async (paths, rules, inner) => {
          const root = join(folder, 'tree');
          const isFolder = (path: string): boolean => paths.some((other) => other.startsWith(`${path}/`));
          const tree: Record<string, string> = { '.gitignore': `${rules.join('\n')}\n` };
          for (const path of paths) if (!isFolder(path)) tree[path] = 'x';
          if (isFolder('a')) tree['a/.gitignore'] = inner.join('\r\n');
          plant(root, tree);
          try {
            const said = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
              cwd: root,
              encoding: 'utf8',
            });
            expect([...(await filesIn(root))].sort()).toEqual(said.split('\0').filter(Boolean).sort());
          } finally {
            rmSync(root, { recursive: true });
          }
        },
      ),
      { seed: seed(), numRuns: counts({ test: 50, soak: 1_500 }) },
    );
  },
);

test('rules of the folders above hold, up to the top of the repository', async () => {
  const folder = planted({
    '.gitignore': '*.txt\n',
    '.ignore': '*.tmp\n',
    'repo/.git/HEAD': 'x',
    'repo/.gitignore': '*.log\n/src/out\n',
    'repo/src/a.txt': '',
    'repo/src/a.log': '',
    'repo/src/a.tmp': '',
    'repo/src/a.ts': '',
    'repo/src/out/b.ts': '',
  });
  expect(await filesIn(join(folder, 'repo/src'))).toEqual(['a.ts', 'a.txt']);
});

test('in a folder that is ignored what stands above does not count, but what stands in it does', async () => {
  const folder = planted({
    '.gitignore': 'node_modules\nbuild/*\n*.log\n',
    'node_modules/.gitignore': 'secret\n',
    'node_modules/a.log': '',
    'node_modules/m/b.js': '',
    'node_modules/secret': '',
    'build/c.js': '',
    'src/d.log': '',
    'src/d.js': '',
  });
  const rooted = async (path: string) => (await rulesAbove(join(folder, path))).isRootIgnored;
  expect(await filesIn(join(folder, 'node_modules'))).toEqual(['.gitignore', 'a.log', 'm/b.js']);
  expect(await filesIn(join(folder, 'build'))).toEqual(['c.js']);
  expect(await filesIn(join(folder, 'src'))).toEqual(['d.js']);
  expect(await Promise.all(['node_modules/m', 'build', 'src', '.'].map(rooted))).toEqual([true, true, false, false]);
});

test('a home folder that is a repository and ignores all but a few does not hide the projects in it', async () => {
  const folder = planted({ '.git/HEAD': 'x', '.gitignore': '*\n!.bashrc\n', '.bashrc': '', 'project/a.ts': '' });
  expect(await filesIn(join(folder, 'project'))).toEqual(['a.ts']);
  expect(await filesIn(folder)).toEqual(['.bashrc']);
});

test('a worktree and its repository share what is excluded', async () => {
  const folder = planted({
    'repo/.git/info/exclude': 'mine\n',
    'repo/.git/worktrees/w/commondir': '../..\n',
    'repo/a': '',
    'repo/mine': '',
  });
  plant(folder, { 'w/.git': `gitdir: ${folder}/repo/.git/worktrees/w\n`, 'w/a': '', 'w/mine': '' });
  expect(await filesIn(join(folder, 'repo'))).toEqual(['a']);
  expect(await filesIn(join(folder, 'w'))).toEqual(['a']);
});

test("a person's own rules for all repositories hold", async () => {
  const folder = planted({ 'config/git/ignore': '.envrc\n', 'p/.envrc': '', 'p/a': '', 'other/rules': 'a\n' });
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'));
  vi.stubEnv('HOME', join(folder, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await filesIn(join(folder, 'p'))).toEqual(['a']);
  plant(folder, { 'home/.gitconfig': `[core]\n\texcludesFile = "${folder}/other/rules"\n` });
  expect(await filesIn(join(folder, 'p'))).toEqual(['.envrc']);
});

test('what goes by the name of a file of rules and is none has no rules', async () => {
  const tree: Tree = { '.gitignore/x': '', '.ignore': { link: 'nowhere' }, a: '' };
  const folder = planted(tree);
  execFileSync('mkfifo', [join(folder, '.rgignore')]);
  expect(await filesIn(folder)).toEqual(['.gitignore/x', '.ignore', '.rgignore', 'a']);
});

test('memory of paths that were asked about does not grow', async () => {
  const { rules } = await rulesAbove(planted({ '.gitignore': '*.log\n' }));
  const here = rules.in('/x', new Set());
  for (let at = 0; at < 25_000; at += 1) expect(here.ignores(`/x/${at}.ts`, false)).toBe(false);
  expect(noRules.in('/', new Set()).ignores('/a', true)).toBe(false);
});
