import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TrustReport } from 'kern/contracts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Desk, openDesk } from '../test/line.ts';
import { dialects, fillDialect } from './test/dialects.ts';

// Open, list, ask, answer: in a repository that nobody trusts nothing runs and nobody is called.

const canary = { server: undefined as Server | undefined, url: '', heard: [] as string[] };

beforeAll(async () => {
  const server = createServer((request, response) => {
    canary.heard.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  canary.server = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  canary.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void canary.heard.splice(0));
afterAll(() => new Promise((resolve) => canary.server?.close(resolve)));

/** The model reads a file, uses a skill and a command, asks for a shell, and answers. */
const turns = [
  {
    calls: [
      { name: 'read', args: { path: 'a.txt' } },
      { name: 'ls', args: { path: '.' } },
    ],
  },
  { calls: [{ name: 'bash', args: { command: 'true' } }] },
  { text: 'answered' },
];

async function open(names: readonly string[]): Promise<Desk & { marked(): readonly string[] }> {
  const desk = await openDesk({ '.git/HEAD': 'ref: refs/heads/main\n', 'a.txt': 'text' });
  const marks = path.join(path.dirname(desk.project), 'marks');
  for (const name of names) {
    const fill = dialects[name];
    if (fill !== undefined) fillDialect(fill, desk, marks, canary.url);
  }
  desk.write('s.json', JSON.stringify({ version: 1, turns, repeat: 'last' }));
  return Object.assign(desk, { marked: () => (existsSync(marks) ? readdirSync(marks).sort() : []) });
}

const ask = (text: string): readonly string[] => ['-p', text, '--model', 'script/s.json', '--permission-mode', 'edits'];

test.each(Object.keys(dialects))(
  '%s: open, list, ask, answer',
  async (name) => {
    await using desk = await open([name]);
    for (const argv of [['tool', 'list'], ['providers'], ['trust'], ask('hi'), ask('/state now')]) {
      const { err, out, code } = await desk.kern(...argv);
      expect({ argv, marks: desk.marked(), heard: canary.heard }, out + err).toEqual({ argv, marks: [], heard: [] });
      expect({ argv, code }, err).toEqual({ argv, code: 0 });
      if (argv[0] === '-p') expect(out).toBe('answered\n');
    }
    const { items } = (await desk.json('trust')) as TrustReport;
    expect(items.filter(({ state }) => state !== 'untrusted')).toEqual([]);
    if (name !== 'links') expect(items.length).toBeGreaterThan(4);
  },
  60_000,
);

test('all of them at once, by every other way to look', async () => {
  await using desk = await open(Object.keys(dialects).filter((name) => name !== 'links'));
  const config =
    'providers: { claude: { code: true }, pi: { code: true }, oh-my-pi: { code: true }, codex: { code: true }, opencode: { code: true }, gemini: { code: true } }\n';
  writeFileSync(path.join(desk.home, 'config.yml'), config);
  for (const argv of [
    ['plugins', '--why'],
    ['doctor'],
    ['config', 'list'],
    ['trust', 'why'],
    ['trust', 'grant', '--dry-run'],
    ...['hook', 'mcp-server', 'custom-tool', 'skill', 'slash-command', 'settings-file', 'agent-definition'].map(
      (kind) => ['providers', '--why', kind],
    ),
    ['tool', 'call', 'made', '{}'],
    ['tool', 'call', 'count', '{}'],
    ['--help'],
    ask('/skill:claude-skill'),
  ]) {
    const { err, out } = await desk.kern(...argv);
    expect({ argv, marks: desk.marked(), heard: canary.heard }, out + err).toEqual({ argv, marks: [], heard: [] });
  }
}, 60_000);

test.skipIf(process.platform === 'win32')(
  'the marks are real: trusted for a run, what kern runs by itself leaves them',
  async () => {
    await using desk = await open(['kern', 'claude', 'pi and oh-my-pi']);
    writeFileSync(path.join(desk.home, 'config.yml'), 'providers: { pi: { code: true } }\n');
    await desk.kern(...ask('hi'), '--trust');
    for (const mark of ['kern-extension', 'kern-tool', 'kern-tool-program', 'pi-extension', 'claude-PreToolUse'])
      expect(desk.marked()).toContain(mark);
    expect(desk.marked()).not.toContain('omp-extension');
  },
  60_000,
);

test.each([
  [['--permission-mode', 'edits', '--trust'], 'is protected', false],
  [['--permission-mode', 'edits'], 'is protected', false],
  [['--yolo'], 'Created', true],
] as const)(
  'what the model writes to run later, with %j: %s',
  async (flags, said, isWritten) => {
    await using desk = await open([]);
    const mark = path.join(desk.home, 'mark');
    const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, 'ran'); export default { description: 'x', execute: async () => 'x' };`;
    const names = ['.kern/tools/x.js', '.kern/extensions/x.js', '.claude/settings.json', '.git/hooks/pre-commit'];
    const calls = names.map((name) => ({ name: 'write', args: { path: name, content: code } }));
    const expected = names.map(() => ({ tool: 'write', contains: said }));
    desk.write(
      's.json',
      JSON.stringify({
        version: 1,
        turns: [
          { calls },
          { expect: { toolResult: expected }, calls: [{ name: 'ls', args: {} }] },
          { text: 'answered' },
        ],
      }),
    );
    const { out, err, code: exit } = await desk.kern('-p', 'hi', '--model', 'script/s.json', ...flags);
    expect({ out, exit }, err).toEqual({ out: 'answered\n', exit: 0 });
    expect(names.map((name) => existsSync(path.join(desk.project, name)))).toEqual(names.map(() => isWritten));
    expect(existsSync(mark)).toBe(false);
  },
  60_000,
);
