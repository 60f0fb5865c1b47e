import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TrustReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

const tool = (name: string, says: string): string =>
  `export default { id: '${name}', setup: (ctx) => ctx.contribute({ token: 'capability', id: 'tool' }, { name: '${name}', description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: '${says}' }] }) }) };`;

test('a project without anything that would run has nothing to trust', async () => {
  await using desk = await openDesk();
  expect(await desk.json('trust', 'status')).toEqual({ root: desk.project, state: 'nothing', items: [] });
});

test('trust is granted for what is there, ends with a change, and is taken back', async () => {
  await using desk = await openDesk({ '.kern/extensions/one.js': tool('one', 'first') });
  const state = async (): Promise<string> => ((await desk.json('trust')) as TrustReport).state;
  expect(await state()).toBe('untrusted');
  const granted = (await desk.json('trust', 'grant')) as TrustReport;
  expect(granted).toMatchObject({
    root: desk.project,
    state: 'trusted',
    items: [
      {
        kind: 'plugin',
        path: path.join(desk.project, '.kern/extensions/one.js'),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        state: 'trusted',
      },
    ],
  });
  expect((await desk.kern('tool', 'call', 'one')).out).toBe('first\n');
  desk.write('.kern/extensions/one.js', tool('one', 'second'));
  expect(await state()).toBe('changed');
  const refused = await desk.kern('tool', 'call', 'one');
  expect(refused.code).toBe(4);
  expect(refused.err).toContain('changed since it was trusted');
  expect((await desk.kern('trust', 'why', 'one')).out).toContain('changed');
  expect((await desk.kern('tool', 'call', 'one', '--trust')).out).toBe('second\n');
  await desk.kern('trust', 'grant');
  await desk.kern('trust', 'revoke');
  expect(await state()).toBe('untrusted');
});

test('--item grants one of several; a name that is none is refused', async () => {
  await using desk = await openDesk({
    '.kern/extensions/one.js': tool('one', '1'),
    '.kern/extensions/two.js': tool('two', '2'),
  });
  const { items } = (await desk.json('trust', 'grant', '--item', 'plugin:one')) as TrustReport;
  expect(items.map(({ state }) => state)).toEqual(['trusted', 'untrusted']);
  expect((await desk.kern('trust', 'grant', '--item', 'plugin:onne')).code).toBe(2);
});

test('the name of a folder reaches no terminal as a command', async () => {
  await using desk = await openDesk();
  const project = path.join(desk.project, 'up\u001b[1A\u001b[2K\nline');
  desk.write(path.join(path.basename(project), '.git/HEAD'), 'ref: refs/heads/main\n');
  desk.write(path.join(path.basename(project), 's.json'), JSON.stringify({ version: 1, turns: [{ text: 'good' }] }));
  desk.write(path.join(path.basename(project), '.kern/extensions/one.js'), tool('one', '1'));
  for (const argv of [
    ['trust'],
    ['trust', 'why'],
    ['doctor'],
    ['tool', 'call', 'one'],
    ['-p', 'hi', '--model', 'script/s.json'],
  ]) {
    const { out, err } = await desk.kern('--cwd', project, ...argv);
    expect(out + err).toContain('up\\u{1b}[1A\\u{1b}[2K\\nline');
    expect(out + err).not.toContain('\u001b');
  }
});

const everyDialect = {
  '.git/HEAD': '',
  '.claude/settings.json': JSON.stringify({
    apiKeyHelper: './key.sh',
    env: { A: 'secret' },
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh' }] }] },
  }),
  'check.sh': 'echo one\n',
  '.mcp.json': JSON.stringify({
    mcpServers: { docs: { command: 'node', args: ['server.js'] }, far: { url: 'https://x.test' } },
  }),
  'server.js': '',
  '.claude/commands/state.md': 'It is !`git status`.',
  '.claude/commands/tidy.md': 'Tidy up.',
  '.claude/agents/reviewer.md': '---\ndescription: Reviews.\nmcpServers: [docs]\n---\nReview.',
  '.claude/skills/fine/SKILL.md': '---\nname: fine\ndescription: Fine.\n---\nNow: !`date`',
  '.gemini/commands/look.toml': 'prompt = "Look at !{ls}"',
  '.kern/hooks/pre/bash.sh': 'exit 0',
  '.kern/hooks/all.js': 'export default () => {}',
  '.kern/tools/count.sh': 'exit 0',
  '.pi/extensions/one.ts': 'export default () => {}',
  '.codex/config.toml': 'notify = ["./notify.sh"]\n[mcp_servers.codex]\ncommand = "x"\n',
};

test('everything of every dialect that would run is listed with what it runs, and nothing else is', async () => {
  await using desk = await openDesk(everyDialect);
  const { items, state } = (await desk.json('trust')) as TrustReport;
  expect(state).toBe('untrusted');
  expect(items.map(({ kind, id, provider, runs }) => [`${kind}:${id}`, provider, runs])).toEqual([
    ['agent:reviewer', 'claude', 'mcpServers ["docs"]'],
    ['command:/look', 'gemini', 'ls'],
    ['command:/state', 'claude', 'git status'],
    ['env:.claude/settings.json#env', 'claude', 'A'],
    ['hook:PreToolUse:Bash:.claude/settings.json#1', 'claude', './check.sh'],
    ['hook:PreToolUse:bash:.kern/hooks/pre/bash.sh', 'native', path.join(desk.project, '.kern/hooks/pre/bash.sh')],
    ['mcp:codex', 'codex', 'x'],
    ['mcp:docs', 'mcp-json', 'node server.js'],
    ['mcp:far', 'mcp-json', 'https://x.test'],
    ['plugin:.kern/hooks/all.js', 'native', path.join(desk.project, '.kern/hooks/all.js')],
    ['plugin:.kern/tools/count.sh', 'native', path.join(desk.project, '.kern/tools/count.sh')],
    ['plugin:.pi/extensions/one.ts', 'pi', path.join(desk.project, '.pi/extensions/one.ts')],
    ['setting:.claude/settings.json#apiKeyHelper', 'claude', './key.sh'],
    ['setting:.codex/config.toml#notify', 'codex', '["./notify.sh"]'],
    ['skill:fine', 'claude', 'date'],
  ]);
  expect(items.find(({ id }) => id.includes('.pi'))?.notBy).toBe('not before providers: { pi: { code: true } }');
  const all = (await desk.json('trust', 'grant')) as TrustReport;
  expect(all.state).toBe('trusted');
  expect((await desk.kern('trust')).out).not.toContain('secret');
});

test('a change is one of its item alone, and is shown line by line before it is granted', async () => {
  await using desk = await openDesk(everyDialect);
  await desk.kern('trust', 'grant');
  desk.write('check.sh', 'echo two\n');
  desk.write(
    '.mcp.json',
    JSON.stringify({ mcpServers: { docs: { command: 'sh', args: ['server.js'] }, far: { url: 'https://x.test' } } }),
  );
  const changed = ((await desk.json('trust')) as TrustReport).items.filter(({ state }) => state !== 'trusted');
  expect(changed.map(({ kind, state }) => [kind, state])).toEqual([
    ['hook', 'changed'],
    ['mcp', 'changed'],
  ]);
  const { out } = await desk.kern('trust', 'why', '.mcp.json');
  expect(out).toContain('mcp:docs is changed: it is not what was granted: definition.command changed');
  expect(out).toContain('-  "command": "node"');
  expect(out).toContain('+  "command": "sh"');
  const looked = await desk.kern('trust', 'grant', '--dry-run');
  expect(looked.out).toContain('check.sh changed\n    -echo one\n    +echo two');
  expect(looked.out).toContain('is changed');
  const granted = await desk.json('trust', 'grant', 'mcp:docs');
  expect(granted).toMatchObject({
    state: 'changed',
    changes: [{ kind: 'mcp', id: 'docs', changes: [{ part: 'definition', change: 'changed' }] }],
  });
  expect((await desk.kern('trust', 'grant')).out).toContain('+echo two');
  expect(((await desk.json('trust')) as TrustReport).state).toBe('trusted');
});

test('what cannot be trusted is named with why, by grant and by the run, and where nothing can be the exit code is 1', async () => {
  await using desk = await openDesk({
    's.json': JSON.stringify({
      version: 1,
      turns: [{ calls: [{ name: 'bash', args: { command: 'true' }, id: 'c1' }] }, { text: 'done' }],
    }),
  });
  const outside = path.join(desk.project, '../outside');
  mkdirSync(outside);
  const call = (command: string): object => ({ hooks: [{ type: 'command', command }] });
  const put = (hooks: object): void => writeFileSync(path.join(outside, 'settings.json'), JSON.stringify({ hooks }));
  writeFileSync(path.join(outside, 'no.sh'), 'exit 2');
  symlinkSync('../outside', path.join(desk.project, '.claude'));
  put({ PreToolUse: [call('sh .claude/no.sh')], Stop: [call('true')] });
  const some = await desk.kern('trust', 'grant');
  expect(some.code).toBe(0);
  expect(some.err).toMatch(/not granted: hook:PreToolUse:\*:\S+: it cannot be trusted: \S+ leads out of the project/);
  expect(some.err).not.toContain('trusts what is there now');
  expect((await desk.kern('trust', 'grant')).code).toBe(1);
  const { err } = await desk.kern('-p', 'go', '--model', 'script/s.json', '--yolo');
  expect(err).toMatch(/it cannot be trusted as it is: \S+ leads out of the project/);
  expect(err).not.toContain('kern trust grant');
});
