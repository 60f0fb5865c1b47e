import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type PlacesTable, placesTables, prepareToolCall, resultText } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { builtins } from '../index.ts';
import { type Executables, executablesOf } from './executables.ts';
import { judge } from './judge.ts';
import { protectedPart } from './protected.ts';
import { parseRule, type Rule } from './rules.ts';

// What an agent writes may run later: by kern, by another agent, by git, a shell or an editor. In every mode that asks at
// all it is asked about, whatever it is called and whether it is there or not.

let tables: readonly PlacesTable[] = [];
let executables: Executables;

beforeAll(async () => {
  const wanted = builtins.filter(({ id }) => id === 'discovery' || id.startsWith('discovery.'));
  await using t = await bootKernel(await Promise.all(wanted.map((builtin) => builtin.load())));
  tables = t.view.use(placesTables).items();
  executables = executablesOf(tables, { user: '/home/u', env: { CLAUDE_CONFIG_DIR: '/etc/claude' } });
});

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function project(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-later-')));
  roots.push(root);
  return root;
}

function verdict(root: string, name: string, rules: readonly Rule[] = []): string {
  const effects = [{ kind: 'write' as const, path: path.isAbsolute(name) ? name : `${root}/${name}` }];
  const places = { root, kernHome: '/home/u/.kern', executables };
  return judge({ tool: 'write', args: {}, effects, cwd: root }, { mode: 'edits', rules }, places).verdict;
}

const running = [
  'hook',
  'mcp-server',
  'custom-tool',
  'extension-module',
  'extension-manifest',
  'settings-file',
  'agent-definition',
  'skill',
  'slash-command',
  'prompt',
  'ssh-host',
];

test('every place from which any agent runs something is guarded before anything is there', () => {
  const root = project();
  const places = tables.flatMap(({ id, places: own }) =>
    own
      .filter(({ kind }) => running.includes(kind))
      .flatMap(({ path: names }) => [names].flat().map((name) => ({ id, name }))),
  );
  expect(places.length).toBeGreaterThan(150);
  const open = places.filter(({ name }) => {
    const full = name.replace(/^~\//, '/home/u/').replace(/^\$KERN_HOME\//, '/home/u/.kern/');
    return (
      protectedPart(path.isAbsolute(full) ? full : path.join(root, full), '/home/u/.kern', executables) === undefined
    );
  });
  expect(open).toEqual([]);
  expect(protectedPart('/etc/claude/settings.json', '/home/u/.kern', executables)).toBe('/etc/claude');
  expect(verdict(root, 'src/index.ts')).toBe('allow');
  expect(verdict(root, '.github/CODEOWNERS')).toBe('allow');
  expect(verdict(root, 'AGENTS.md')).toBe('allow');
});

test('a provider that somebody adds is guarded by its own table', () => {
  const own: PlacesTable = {
    id: 'robot',
    displayName: 'Robot',
    description: '',
    priority: 1,
    places: [
      { kind: 'hook', path: '.robot/hooks.json', format: 'data' },
      { kind: 'mcp-server', path: ['robot/servers.json', '.robotrc'], format: 'data' },
      { kind: 'context-file', path: 'ROBOT.md', format: 'text' },
    ],
  };
  const known = executablesOf([own], { user: '/home/u', env: {} });
  const part = (file: string): string | undefined => protectedPart(`/r/${file}`, '/home/u/.kern', known);
  expect([
    part('.robot/later/x'),
    part('sub/robot/servers.json'),
    part('.ROBOTRC'),
    part('ROBOT.md'),
    part('robot/a'),
  ]).toEqual(['.robot', 'robot/servers.json', '.ROBOTRC', undefined, undefined]);
});

test.for([
  '.git/hooks/pre-commit',
  'deep/er/.git/config',
  '.GIT/Hooks/x',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  'git~1/config',
  '.g\u200cit/config',
  '.\u212Ferosene/../.git/config',
  'src/../.claude/settings.json',
  '.Claude/Settings.JSON',
  '.mcp.json',
  '.vscode/tasks.json',
  'a.code-workspace',
  '.envrc',
  '.cargo/config.toml',
  '.github/workflows/ci.yml',
  '.husky/pre-push',
  '.git',
])('%s asks, by whatever spelling', (name) => {
  expect(verdict(project(), name)).toBe('ask');
});

test.skipIf(process.platform === 'win32')(
  'links into a guarded place, out of one, and to nothing yet make no difference',
  () => {
    const root = project();
    mkdirSync(path.join(root, '.git/hooks'), { recursive: true });
    mkdirSync(path.join(root, 'config-of-claude'));
    mkdirSync(path.join(root, 'scripts'));
    symlinkSync('.git/hooks', path.join(root, 'docs'));
    symlinkSync('config-of-claude', path.join(root, '.claude'));
    symlinkSync('../../scripts/check.sh', path.join(root, '.git/hooks/pre-push'));
    symlinkSync('.mcp.json', path.join(root, 'notes.json'));
    writeFileSync(path.join(root, 'scripts/check.sh'), '');
    for (const name of [
      'docs/post-merge',
      '.claude/settings.json',
      'config-of-claude/settings.json',
      'scripts/check.sh',
      'notes.json',
    ])
      expect([name, verdict(root, name)]).toEqual([name, 'ask']);
    expect(verdict(root, 'scripts/other.sh')).toBe('allow');
  },
);

test.skipIf(process.platform === 'win32')(
  'a file with another name is asked about, since that name may be anywhere',
  () => {
    const root = project();
    mkdirSync(path.join(root, '.git'));
    writeFileSync(path.join(root, '.git/config'), '');
    linkSync(path.join(root, '.git/config'), path.join(root, 'notes.txt'));
    const allow = (text: string): readonly Rule[] => [parseRule('allow', text) as Rule];
    expect(verdict(root, 'notes.txt')).toBe('ask');
    expect(verdict(root, 'notes.txt', allow('write(**)'))).toBe('ask');
    expect(verdict(root, 'notes.txt', allow('write(notes.txt)'))).toBe('allow');
  },
);

test('a repository without .git around it is one', () => {
  const root = project();
  mkdirSync(path.join(root, 'vendor/objects'), { recursive: true });
  writeFileSync(path.join(root, 'vendor/HEAD'), '');
  expect([verdict(root, 'vendor/config'), verdict(root, 'vendor/hooks/post-checkout')]).toEqual(['ask', 'ask']);
  expect(verdict(root, 'vendor/readme')).toBe('allow');
});

test.for([
  ['cp(*)', 'cp evil.sh .git/hooks/pre-commit', 'ask'],
  ['mv(*)', 'mv x .claude/settings.json', 'ask'],
  ['dd(*)', 'dd if=x of=.git/config', 'ask'],
  ['curl(*)', 'curl -o.mcp.json https://x.test', 'ask'],
  ['curl(*)', 'curl --output=.vscode/tasks.json https://x.test', 'ask'],
  ['git(*)', 'git config core.hooksPath evil', 'ask'],
  ['git(*)', 'git mv a .mcp.json', 'ask'],
  ['git(*)', 'git config --get user.name', 'allow'],
  ['git(*)', 'git add .claude/settings.json', 'allow'],
  ['cat(*)', 'cat .github/workflows/ci.yml', 'allow'],
  ['cp(*)', 'cp a b', 'allow'],
  ['cp(* .git/hooks/*)', 'cp a .git/hooks/x', 'allow'],
] as const)('with allow bash(%s), %s: %s', ([pattern, command, expected]) => {
  const root = project();
  const [program, argument] = /^(\w+)\((.*)\)$/.exec(pattern)?.slice(1) ?? [];
  const rules = [parseRule('allow', `bash(${program} ${argument})`) as Rule];
  const effects = [{ kind: 'run' as const, command, cwd: root, shell: 'bash' }];
  const places = { root, kernHome: '/home/u/.kern', executables };
  expect(judge({ tool: 'bash', args: { command }, effects, cwd: root }, { mode: 'edits', rules }, places).verdict).toBe(
    expected,
  );
});

test('the tools themselves: nothing is written, and a move is a write where it leads', async () => {
  const root = project();
  const ids = ['permissions', 'tools', 'tools.write', 'tools.edit', 'tools.resolve', 'processes'];
  const wanted = builtins.filter(({ id }) => ids.includes(id) || id.startsWith('discovery'));
  const t = await bootKernel(await Promise.all(wanted.map((builtin) => builtin.load())), {
    settings: { permissions: { mode: 'edits' } },
    config: { 'tools.edit': { format: 'patch' } },
    cwd: root,
    home: project(),
  });
  onTestFinished(() => t[Symbol.asyncDispose]());
  writeFileSync(path.join(root, 'a.json'), '{}\n');
  const said = async (name: string, args: object): Promise<string> => {
    const { signal } = new AbortController();
    const call = await prepareToolCall(t.view, { name, args, callId: 'c', sessionId: 's', by: 'model', signal });
    return resultText(call.state === 'ready' ? await call.execute(() => {}) : call.result);
  };
  expect(await said('write', { path: '.omp/tools/x.ts', content: '' })).toContain('(.omp is protected)');
  expect(await said('write', { path: 'src/../.Claude/settings.json', content: '' })).toContain('is protected)');
  const move = { path: 'a.json', op: 'update', rename: '.mcp.json', diff: '@@\n-{}\n+{ }\n' };
  expect(await said('edit', move)).toContain('(.mcp.json is protected)');
  expect(await said('write', { path: 'fine.txt', content: 'x' })).toContain('Created');
  expect(readdirSync(root).toSorted()).toEqual(['a.json', 'fine.txt']);
});
