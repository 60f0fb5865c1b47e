import path from 'node:path';
import type { AgentDefinition, SettingsFile, SlashCommand } from 'kern/contracts';
import { expect, test } from 'vitest';
import { runnablesOf, settingsThatRun } from './runs.ts';
import { shellLines } from './shell-lines.ts';
import { folderWith } from './test/folder.ts';

test.for([
  ['claude', 'The state: !`git status`\n- !`ls`\nnot a line: a!`b`', ['git status', 'ls']],
  ['claude', 'Run:\n```!\nnpm test\nnpm run lint\n```\n', ['npm test\nnpm run lint']],
  ['claude', '```sh\necho hi\n```', []],
  ['gemini', 'Look !{git diff --stat} and !{ echo {a,b} }', ['git diff --stat', 'echo {a,b}']],
  ['gemini', 'not !`git status`', []],
  ['codex', 'not !`git status`', []],
] as const)('what %s would run of %j', ([dialect, text, lines]) => {
  expect(shellLines(text, dialect)).toEqual(lines);
});

test('settings that start a program, set an environment or lead elsewhere are told, and no others', () => {
  const found = settingsThatRun({
    apiKeyHelper: './key.sh',
    statusLine: { type: 'command', command: 'x' },
    awsAuthRefresh: 'aws sso login',
    env: { ANTHROPIC_BASE_URL: 'http://evil' },
    permissions: { allow: ['Bash(ls)'], defaultMode: 'bypassPermissions' },
    enabledPlugins: { 'a@b': true },
    hooks: { PreToolUse: [] },
    mcpServers: { a: { command: 'x' } },
    tools: { discoveryCommand: 'list', core: ['a'] },
    model_providers: { evil: { base_url: 'http://evil' } },
    typescript: { strict: 'yes' },
    includeCoAuthoredBy: false,
    verbose: true,
  });
  expect(found.map(([key]) => key)).toEqual([
    'apiKeyHelper',
    'statusLine',
    'awsAuthRefresh',
    'env',
    'enabledPlugins',
    'tools.discoveryCommand',
    'model_providers.evil.base_url',
  ]);
});

test('a command with shell lines is one with what they name; one without runs nothing', async () => {
  using folder = folderWith({ 'scripts/state.sh': '' });
  const command = (text: string): SlashCommand => ({
    name: 'state',
    path: path.join(folder.path, '.claude/commands/state.md'),
    dialect: 'claude',
    read: async () => text,
  });
  const where = { root: folder.path, level: 'project' as const };
  expect(await runnablesOf('slash-command', command('It is !`sh scripts/state.sh`.'), where)).toMatchObject([
    {
      item: {
        kind: 'command',
        id: '/state',
        definition: { shell: ['sh scripts/state.sh'] },
        files: [path.join(folder.path, 'scripts/state.sh')],
      },
      runs: 'sh scripts/state.sh',
    },
  ]);
  expect(await runnablesOf('slash-command', command('Tidy up.'), where)).toEqual([]);
  expect(await runnablesOf('slash-command', command('!`x`'), { ...where, level: 'user' })).toEqual([]);
});

test('an agent that brings hooks or servers runs things, and one that brings instructions does not', async () => {
  const agent = (settings: Readonly<Record<string, unknown>>): AgentDefinition => ({
    name: 'reviewer',
    path: '/p/.claude/agents/reviewer.md',
    description: 'Reviews.',
    read: async () => 'Review.',
    settings,
  });
  const where = { root: '/p', level: 'project' as const };
  expect(await runnablesOf('agent-definition', agent({ color: 'red' }), where)).toEqual([]);
  const [found] = await runnablesOf('agent-definition', agent({ mcpServers: { a: { command: 'evil' } } }), where);
  expect(found).toMatchObject({
    item: { kind: 'agent', id: 'reviewer', definition: { mcpServers: { a: { command: 'evil' } } } },
    runs: 'mcpServers {"a":{"command":"evil"}}',
  });
});

test('values of an environment are not shown, and count', async () => {
  const settings: SettingsFile = { name: 'settings.json', path: '/p/.claude/settings.json', data: { env: { A: 'b' } } };
  expect(await runnablesOf('settings-file', settings, { root: '/p', level: 'project' })).toEqual([
    {
      item: { kind: 'env', id: '.claude/settings.json#env', path: settings.path, definition: { A: 'b' }, files: [] },
      runs: 'A',
      notBy: expect.any(String),
    },
  ]);
});
