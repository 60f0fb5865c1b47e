import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Effect, PermissionMode } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { plainWords, possibleCommands } from './command.ts';
import { judge } from './judge.ts';
import { canonical, isWithin } from './paths.ts';
import { readSettings } from './policy.ts';
import { type Places, parseRule, type Rule, type RuleVerdict } from './rules.ts';
import { visible } from './words.ts';

const rules = (...list: readonly Partial<Record<RuleVerdict, string>>[]): readonly Rule[] =>
  list.flatMap((rule) =>
    Object.entries(rule).map(([verdict, text]) => parseRule(verdict as RuleVerdict, text) as Rule),
  );
const places: Places = { root: '/repo', kernHome: '/home/u/.kern' };

interface Asked {
  readonly mode?: PermissionMode;
  readonly rules?: readonly Rule[];
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly places?: Places;
}

function verdictOf(effects: Effect | readonly Effect[], asked: Asked = {}): string {
  const question = {
    tool: asked.tool ?? 'tool',
    args: asked.args ?? {},
    effects: Array.isArray(effects) ? effects : [effects as Effect],
    cwd: '/repo',
  };
  return judge(question, { mode: asked.mode ?? 'ask', rules: asked.rules ?? [] }, asked.places ?? places).verdict;
}

const run = (command: string, rest: Partial<Extract<Effect, { kind: 'run' }>> = {}): Effect => ({
  kind: 'run',
  command,
  cwd: '/repo',
  shell: 'bash',
  ...rest,
});
const bash = (command: string, asked: Asked = {}): string => verdictOf(run(command), { tool: 'bash', ...asked });
const write = (path: string): Effect => ({ kind: 'write', path });
const read = (path: string): Effect => ({ kind: 'read', path });

function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kern-permissions-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('each mode allows what its name says', () => {
  const effects: Record<string, Effect> = {
    read: read('/repo/a'),
    write: write('/repo/a'),
    delete: { kind: 'delete', path: '/repo/a' },
    outside: write('/etc/passwd'),
    run: run('ls'),
    network: { kind: 'network', host: 'example.com' },
    mcp: { kind: 'mcp', server: 's', tool: 't' },
    spawn: { kind: 'spawn', agent: 'x' },
    everything: { kind: 'everything' },
  };
  const table = (mode: PermissionMode): string =>
    Object.entries(effects)
      .map(([name, effect]) => `${name}:${verdictOf(effect, { mode })}`)
      .join(' ');
  expect(table('plan')).toBe(
    'read:allow write:deny delete:deny outside:deny run:deny network:deny mcp:deny spawn:deny everything:deny',
  );
  expect(table('ask')).toBe(
    'read:allow write:ask delete:ask outside:ask run:ask network:ask mcp:ask spawn:ask everything:ask',
  );
  expect(table('edits')).toBe(
    'read:allow write:allow delete:allow outside:ask run:ask network:ask mcp:ask spawn:ask everything:ask',
  );
  expect(table('all')).toBe(
    'read:allow write:allow delete:allow outside:allow run:allow network:allow mcp:allow spawn:allow everything:allow',
  );
});

test('a call is judged by its hardest effect, and one without effects is allowed', () => {
  expect(verdictOf([read('/repo/a'), write('/repo/a'), run('x')], { mode: 'edits' })).toBe('ask');
  expect(verdictOf([write('/repo/a'), write('/repo/b')], { mode: 'edits' })).toBe('allow');
  expect(verdictOf([], { mode: 'plan' })).toBe('allow');
});

test('deny comes before ask, and ask before allow, whatever their order', () => {
  const all = rules({ allow: 'bash' }, { ask: 'bash(git *)' }, { deny: 'bash(git push *)' });
  expect([
    bash('ls -l', { rules: all }),
    bash('git status', { rules: all }),
    bash('git push origin', { rules: all }),
  ]).toEqual(['allow', 'ask', 'deny']);
});

test('a deny rule holds in every mode, an ask rule not where nothing is asked, an allow rule not in plan mode', () => {
  for (const mode of ['plan', 'ask', 'edits', 'all'] as const)
    expect(bash('git push', { mode, rules: rules({ deny: 'bash(git push *)' }) })).toBe('deny');
  expect(bash('git push', { mode: 'all', rules: rules({ ask: 'bash(git push *)' }) })).toBe('allow');
  expect(bash('ls', { mode: 'plan', rules: rules({ allow: 'bash' }) })).toBe('deny');
});

test('an allow rule covers one plain command and nothing that a shell could make of it', () => {
  const allowed = rules({ allow: 'bash(git push *)' }, { allow: 'bash(npm test)' });
  for (const command of [
    'git push',
    'git push origin main',
    'git  push  origin',
    "git push 'my remote'",
    'git "push" origin',
    'npm test',
  ])
    expect([command, bash(command, { rules: allowed })]).toEqual([command, 'allow']);
  const not = [
    'git push; rm -rf /',
    'git push && rm x',
    'git push || rm x',
    'git push | sh',
    'git push & rm x',
    'git push\nrm x',
    'git push $(rm x)',
    'git push `rm x`',
    'git push > /etc/passwd',
    'git push <(rm x)',
    'git push "$(rm x)"',
    'git push "`rm x`"',
    'git push $HOME',
    'git push $IFS',
    'git push {a,b}',
    'git push *',
    'git push ~',
    'git push \\; rm',
    'git push # comment',
    "git push 'unclosed",
    'GIT_SSH=evil git push',
    'git pushx',
    'npm test --foo',
    'npm tes',
    'git',
    '',
    ' ',
  ];
  for (const command of not) expect([command, bash(command, { rules: allowed })]).toEqual([command, 'ask']);
});

test('an allow rule does not cover a command in another environment or another place', () => {
  const allowed = rules({ allow: 'bash(npm test)' });
  expect(bash('npm test', { rules: allowed, args: { env: { NODE_OPTIONS: '--require evil' } } })).toBe('ask');
  expect(bash('npm test', { rules: allowed, args: { env: {} } })).toBe('allow');
  expect(verdictOf(run('npm test', { cwd: '/elsewhere' }), { tool: 'bash', rules: allowed })).toBe('ask');
  expect(verdictOf(run('npm test', { cwd: '/repo-other' }), { tool: 'bash', rules: allowed })).toBe('ask');
});

test('an argument list is matched word by word', () => {
  const effect: Effect = { kind: 'run', argv: ['git', 'push; rm x'], cwd: '/repo' };
  expect(verdictOf(effect, { tool: 'git', rules: rules({ allow: 'git(git push *)' }) })).toBe('ask');
  expect(
    verdictOf({ ...effect, argv: ['git', 'push', 'a;b'] }, { tool: 'git', rules: rules({ allow: 'git(git push *)' }) }),
  ).toBe('allow');
});

test('a deny rule finds its command in chains, substitutions, quotes and wrappers', () => {
  const denied = rules({ deny: 'bash(git push *)' }, { deny: 'bash(rm *)' });
  const hits = [
    'git push',
    'cd x && git push origin',
    'true; git  push',
    'echo $(git push)',
    'echo `git push`',
    '(git push)',
    '{ git push; }',
    'if true; then git push; fi',
    'FOO=1 git push',
    'env -i FOO=1 git push',
    'sudo git push',
    'bash -c "git push"',
    "/bin/sh -c 'git push'",
    'eval git push',
    'xargs rm',
    'timeout 5s git push',
    '"git" push',
    'g\\it push',
    "'r'm -rf /",
    'x | xargs -n 1 rm',
    'cat <(git push)',
    'a\ngit push',
  ];
  for (const command of hits)
    expect([command, bash(command, { mode: 'all', rules: denied })]).toEqual([command, 'deny']);
  for (const command of ['git status', 'echo rm', 'git pusher'])
    expect([command, bash(command, { mode: 'all', rules: denied })]).toEqual([command, 'allow']);
});

test('a rule about writing covers every tool that writes, also one that deletes when it denies', () => {
  const inSrc = rules({ allow: 'write(src/**)' });
  expect(verdictOf(write('/repo/src/a/b.ts'), { tool: 'edit', rules: inSrc })).toBe('allow');
  expect(verdictOf(write('/repo/other.ts'), { tool: 'write', rules: inSrc })).toBe('ask');
  expect(verdictOf(write('/repo/src/../other.ts'), { tool: 'write', rules: inSrc })).toBe('ask');
  expect(verdictOf({ kind: 'delete', path: '/repo/src/a' }, { rules: inSrc })).toBe('ask');
  expect(
    verdictOf({ kind: 'delete', path: '/repo/src/a' }, { mode: 'all', rules: rules({ deny: 'write(src/**)' }) }),
  ).toBe('deny');
});

test('patterns: one without a slash speaks of names at any depth, one with an end slash of all inside, * stays in one part', () => {
  const covers = (pattern: string, path: string): boolean =>
    verdictOf(write(path), { rules: rules({ allow: `write(${pattern})` }) }) === 'allow';
  expect([covers('*.md', '/repo/a.md'), covers('*.md', '/repo/x/y/a.md'), covers('*.md', '/other/a.md')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([covers('src/', '/repo/src/a/b'), covers('src/*', '/repo/src/a'), covers('src/*', '/repo/src/a/b')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([
    covers('src/**/x.ts', '/repo/src/x.ts'),
    covers('src/**/x.ts', '/repo/src/a/b/x.ts'),
    covers('/tmp/**', '/tmp/a/b'),
  ]).toEqual([true, true, true]);
  expect([covers('a?c', '/repo/abc'), covers('a.c', '/repo/abc'), covers('./src/*', '/repo/src/a')]).toEqual([
    true,
    false,
    true,
  ]);
});

test('network, mcp and agent rules match by host, server/tool and name', () => {
  const network = (host: string, port?: number): Effect => ({
    kind: 'network',
    host,
    ...(port === undefined ? {} : { port }),
  });
  const hosts = rules({ allow: 'network(*.example.com)' });
  expect([
    verdictOf(network('api.example.com'), { rules: hosts }),
    verdictOf(network('API.Example.com.'), { rules: hosts }),
  ]).toEqual(['allow', 'allow']);
  expect([
    verdictOf(network('example.com.evil.org'), { rules: hosts }),
    verdictOf(network('evilexample.com'), { rules: hosts }),
  ]).toEqual(['ask', 'ask']);
  expect(
    verdictOf({ kind: 'mcp', server: 'github', tool: 'search' }, { rules: rules({ allow: 'mcp(github/*)' }) }),
  ).toBe('allow');
  expect(verdictOf({ kind: 'spawn', agent: 'reviewer' }, { rules: rules({ allow: 'spawn(reviewer)' }) })).toBe('allow');
});

test('a tool that does not say what it does is allowed only by its bare name', () => {
  const effect: Effect = { kind: 'everything' };
  expect(verdictOf(effect, { tool: 'deploy', rules: rules({ allow: 'deploy' }) })).toBe('allow');
  expect(verdictOf(effect, { tool: 'deploy', args: { to: 'prod' }, rules: rules({ allow: 'deploy(prod)' }) })).toBe(
    'ask',
  );
  expect(
    verdictOf(effect, {
      tool: 'deploy',
      mode: 'all',
      args: { to: ['x', { at: 'prod' }] },
      rules: rules({ deny: 'deploy(prod)' }),
    }),
  ).toBe('deny');
});

test('what runs later is protected, also where nothing is there yet, and whatever its case', () => {
  const paths = [
    '.git/hooks/pre-commit',
    '.git/config',
    '.kern/extensions/x.ts',
    '.claude/settings.json',
    '.mcp.json',
    '.vscode/tasks.json',
    '.github/workflows/ci.yml',
    'sub/.git/config',
    '.bashrc',
    '.envrc',
    '.GIT/hooks/x',
    '.husky/pre-push',
    '.kernrc',
  ];
  for (const path of paths) {
    expect([path, verdictOf(write(`/repo/${path}`), { mode: 'edits' })]).toEqual([path, 'ask']);
    expect([path, verdictOf(write(`/repo/${path}`), { mode: 'all' })]).toEqual([path, 'allow']);
  }
  for (const path of ['src/git/config', '.gitignore', 'kern/x', '.github/CODEOWNERS', 'package.json'])
    expect([path, verdictOf(write(`/repo/${path}`), { mode: 'edits' })]).toEqual([path, 'allow']);
});

test('secrets are asked for before they are read, through links too; what lies beside them is read', () => {
  const read = (path: string): Effect => ({ kind: 'read', path });
  const secrets = [
    '/home/u/.kern/auth.json',
    '/home/u/.kern/trust.json',
    '/home/u/.kern',
    '/home/u/.claude/.credentials.json',
    '/home/u/.codex/auth.json',
    '/home/u/.pi/agent/auth.json',
    '/home/u/.ssh/id_ed25519',
    '/home/u/.SSH/work.pem',
    '/home/u/.ssh',
    '/home/u/.aws/credentials',
    '/home/u/.netrc',
  ];
  for (const path of secrets) {
    for (const mode of ['plan', 'ask', 'edits'] as const)
      expect([path, verdictOf(read(path), { mode })]).toEqual([path, 'ask']);
    expect(verdictOf(read(path), { mode: 'all' })).toBe('allow');
  }
  const open = [
    '/home/u/.kern/config.yml',
    '/home/u/.ssh/id_ed25519.pub',
    '/home/u/.ssh/known_hosts',
    '/repo/src/auth.json',
  ];
  for (const path of [...open, '/home/u/.claude/settings.json', '/repo/agent/notes.md'])
    expect(verdictOf(read(path))).toBe('allow');
  const key = read('/home/u/.ssh/id_ed25519');
  expect(verdictOf(key, { rules: rules({ allow: 'read' }) })).toBe('ask');
  expect(verdictOf(key, { rules: rules({ allow: 'read(/home/u/.ssh/*)' }) })).toBe('allow');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-secret-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(join(folder, '.ssh', 'id_rsa'), 'key');
  symlinkSync(join(folder, '.ssh', 'id_rsa'), join(folder, 'notes.txt'));
  expect(verdictOf(read(join(folder, 'notes.txt')))).toBe('ask');
});

test("kern's own home is protected wherever it lies", () => {
  expect(
    verdictOf(write('/repo/home/config.yml'), { mode: 'edits', places: { root: '/repo', kernHome: '/repo/home' } }),
  ).toBe('ask');
});

test('a broad allow rule does not open what is protected; one that names it does', () => {
  expect(verdictOf(write('/repo/.kern/extensions/a.ts'), { rules: rules({ allow: 'write(**)' }) })).toBe('ask');
  expect(verdictOf(write('/repo/.kern/extensions/a.ts'), { rules: rules({ allow: 'write' }) })).toBe('ask');
  expect(
    verdictOf(write('/repo/.kern/extensions/a.ts'), { rules: rules({ allow: 'write(.kern/extensions/**)' }) }),
  ).toBe('allow');
});

test('a path counts where it leads: links out of the project, to protected files, and to nothing yet', () => {
  const dir = tempFolder();
  const repo = join(dir, 'repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  mkdirSync(join(repo, 'src'));
  mkdirSync(join(dir, 'outside'));
  writeFileSync(join(dir, 'outside', 'f'), '');
  symlinkSync(join(dir, 'outside'), join(repo, 'src', 'out'));
  symlinkSync('../.git/config', join(repo, 'src', 'innocent'));
  symlinkSync(join(dir, 'outside', 'not-there-yet'), join(repo, 'src', 'dangling'));
  symlinkSync(join(repo, 'src', 'loop'), join(repo, 'src', 'loop'));
  const at: Asked = { mode: 'edits', places: { root: repo, kernHome: '/home/u/.kern' } };
  expect(verdictOf(write(join(repo, 'src', 'fine.ts')), at)).toBe('allow');
  for (const path of ['src/out/f', 'src/out/new/file', 'src/innocent', 'src/dangling', 'src/loop', 'src/a\0b'])
    expect([path, verdictOf(write(join(repo, path)), at)]).toEqual([path, 'ask']);
  const allowed = { ...at, mode: 'ask' as const, rules: rules({ allow: 'write(src/**)' }) };
  for (const path of ['src/out/f', 'src/innocent', 'src/dangling'])
    expect([path, verdictOf(write(join(repo, path)), allowed)]).toEqual([path, 'ask']);
  const denied = { ...at, mode: 'all' as const, rules: rules({ deny: `write(${join(dir, 'outside')}/**)` }) };
  expect(verdictOf(write(join(repo, 'src/out/f')), denied)).toBe('deny');
});

test('a deny rule that is written through a link still holds', () => {
  const dir = tempFolder();
  mkdirSync(join(dir, 'real'));
  symlinkSync(join(dir, 'real'), join(dir, 'link'));
  const denied = rules({ deny: `write(${join(dir, 'link')}/**)` });
  expect(verdictOf(write(join(dir, 'real', 'x')), { mode: 'all', rules: denied })).toBe('deny');
  expect(verdictOf(write(join(dir, 'link', 'x')), { mode: 'all', rules: denied })).toBe('deny');
});

test('paths are compared part by part', () => {
  expect([
    isWithin('/repo/a', '/repo'),
    isWithin('/repo', '/repo'),
    isWithin('/repo-other', '/repo'),
    isWithin('/repo/..a', '/repo'),
    isWithin('/', '/repo'),
  ]).toEqual([true, true, false, true, false]);
  expect(canonical('/no/such/../thing')).toBe('/no/thing');
});

test('reasons say what would happen, and hide nothing', () => {
  const verdict = judge(
    { tool: 'bash', args: {}, effects: [run('echo \u202e hidden\n\u001b[2Kx')], cwd: '/repo' },
    { mode: 'ask', rules: [] },
    places,
  );
  expect(verdict).toEqual({ verdict: 'ask', rule: 'mode ask', reasons: ['runs echo \\u{202e} hidden\\n\\u{1b}[2Kx'] });
  expect(visible('a\u200bb')).toBe('a\\u{200b}b');
});

test('settings are read whole, and a bad one is no policy at all', () => {
  const read = (values: Record<string, unknown>) => readSettings((key) => values[key]);
  expect(read({})).toEqual({ policy: { mode: 'ask', rules: [] }, isExplicit: false });
  expect(
    read({
      permissions: { mode: 'edits', rules: [{ deny: 'bash' }] },
      'permissions.mode': 'all',
      'permissions.modeIsExplicit': true,
    }),
  ).toMatchObject({ policy: { mode: 'all', rules: [{ verdict: 'deny', name: 'bash' }] }, isExplicit: true });
  const bad = [
    { mode: 'everything' },
    { rules: 'x' },
    { rules: [{ permit: 'bash' }] },
    { rules: [{ deny: 'bash', allow: 'ls' }] },
    { rules: [{ deny: 'bash(' }] },
    { rules: [{ deny: 3 }] },
  ];
  for (const permissions of bad)
    expect(() => read({ permissions })).toThrow(expect.objectContaining({ code: 'permissions_invalid' }));
});

test('plain words and possible commands', () => {
  expect(plainWords(`git commit -m "a b" 'c d'e`)).toEqual(['git', 'commit', '-m', 'a b', 'c de']);
  expect(possibleCommands('A=1 sudo rm x')).toContain('rm x');
});
