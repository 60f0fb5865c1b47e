import path from 'node:path';
import type { HookItem, McpServer } from 'kern/contracts';
import { expect, test } from 'vitest';
import { folderWith } from './test/folder.ts';
import { trustItemOf } from './trust-items.ts';

const hook = (command: string, args?: readonly string[]): HookItem => ({
  name: '.claude/settings.json#1',
  path: '/p/.claude/settings.json',
  event: 'PreToolUse',
  matcher: 'Bash',
  kind: 'command',
  command,
  timeoutMs: 1,
  failClosed: false,
  level: 'project',
  ...(args === undefined ? {} : { args }),
});

test('what is the person’s own, and what runs nothing, is not presented to the gate', async () => {
  expect(await trustItemOf('hook', hook('x'), { root: '/p', level: 'user' })).toBeUndefined();
  const text = { name: 'a', path: '/p/a', level: 'project' as const, read: async () => '' };
  expect(await trustItemOf('context-file', text, { root: '/p', level: 'project' })).toBeUndefined();
});

test('a hook is what it runs, and the files of the project that its line names', async () => {
  using folder = folderWith({ 'hooks/check.sh': '', 'lib/a.py': '', 'README.md': '' });
  const root = folder.path;
  const at = (name: string): string => path.join(root, name);
  const files = async (command: string, args?: readonly string[]): Promise<readonly string[] | undefined> =>
    (await trustItemOf('hook', hook(command, args), { root, level: 'project' }))?.files;
  expect(await files('./hooks/check.sh --quick | tee log')).toEqual([at('hooks/check.sh')]);
  expect(await files('"$CLAUDE_PROJECT_DIR"/hooks/check.sh; python3 lib/a.py')).toEqual([
    at('hooks/check.sh'),
    at('lib/a.py'),
  ]);
  expect(await files(`bash \${CLAUDE_PROJECT_DIR}/hooks/check.sh`)).toEqual([at('hooks/check.sh')]);
  expect(await files('node', ['lib/a.py', '../outside', '/etc/passwd'])).toEqual([at('lib/a.py')]);
  expect(await files(`sh -c 'hooks/check.sh'`)).toEqual([at('hooks/check.sh')]);
  folder.put({ 'my hooks/a b.sh': '' });
  expect(await files('"$CLAUDE_PROJECT_DIR/my hooks/a b.sh" --x')).toEqual([at('my hooks/a b.sh')]);
  expect(await files('echo done')).toEqual([]);
});

test('a server is its definition and the files that it names, wherever it stands', async () => {
  using folder = folderWith({ 'tools/server.js': '' });
  const server: McpServer = {
    name: 'docs',
    path: '/p/.mcp.json',
    transport: 'stdio',
    enabled: true,
    command: 'node',
    args: ['server.js'],
    cwd: 'tools',
  };
  expect(await trustItemOf('mcp-server', server, { root: folder.path, level: 'project' })).toEqual({
    kind: 'mcp',
    id: 'docs',
    path: '/p/.mcp.json',
    definition: { transport: 'stdio', command: 'node', args: ['server.js'], cwd: 'tools' },
    files: [path.join(folder.path, 'tools/server.js')],
  });
});
