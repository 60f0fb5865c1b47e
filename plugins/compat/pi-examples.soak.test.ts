import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentSession } from 'kern/contracts';
import { afterAll, expect, test } from 'vitest';
import { type House, type HouseOptions, openHouse } from './test/house.ts';

// pi's own examples, as they are published, fetched when this runs: kern carries no copy of them.
const published = '@earendil-works/pi-coding-agent@1.6.0';
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-pi-examples-')));
const examples = join(folder, 'package/examples/extensions');
const run = promisify(execFile);

async function fetched(): Promise<boolean> {
  try {
    await run('npm', ['pack', '--silent', published], { cwd: folder, timeout: 120_000 });
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    await run('tar', ['xzf', archive ?? '', 'package/examples'], { cwd: folder });
    // The one example that shows how dependencies of one's own are brought along.
    await run('npm', ['install', '--silent', '--ignore-scripts', '--omit=dev', '--no-audit'], {
      cwd: join(examples, 'with-deps'),
      timeout: 120_000,
    });
    return true;
  } catch {
    return false; // no registry, or no npm
  }
}

const isHere = await fetched();
const withExamples = test.skipIf(!isHere);
const named = (what: string): string => `${what} (${published} from the registry)`;

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function pathOf(name: string): string {
  const file = join(examples, `${name}.ts`);
  return existsSync(file) ? file : join(examples, name);
}

const open = (names: readonly string[], options: HouseOptions = {}): Promise<House> =>
  openHouse(Object.fromEntries(names.map((name) => [pathOf(name), ''])), options);

const results = (session: AgentSession): readonly string[] =>
  session
    .messages()
    .flatMap((message) =>
      message.role === 'toolResult' ? [message.content.map((part) => ('text' in part ? part.text : '')).join('')] : [],
    );

/** Those of pi's examples that need nothing but what kern has: no component of a terminal, no other package. */
const trivial = [
  ...['auto-commit-on-exit', 'bookmark', 'claude-rules', 'commands', 'confirm-destructive', 'dirty-repo-guard'],
  ...['event-bus', 'file-trigger', 'git-checkpoint', 'inline-bash', 'input-transform', 'input-transform-streaming'],
  ...['model-status', 'notify', 'permission-gate', 'pirate', 'protected-paths', 'rpc-demo', 'session-name'],
  ...['status-line', 'system-prompt-header', 'timed-confirm', 'titlebar-spinner', 'widget-placement'],
];
const easy = [
  ...['hello', 'dynamic-tools', 'structured-output', 'tool-override', 'with-deps', 'shutdown-command'],
  ...['reload-runtime', 'send-user-message', 'trigger-compact', 'prompt-customizer', 'provider-payload'],
  ...['dynamic-resources', 'project-trust', 'git-merge-and-resolve', 'hidden-thinking-label', 'working-indicator'],
  ...['working-message-test', 'mac-system-theme'],
];

withExamples(named('every example loads, but those that need a package that is not installed'), async () => {
  const names = readdirSync(examples)
    .filter(
      (name) =>
        name.endsWith('.ts') ||
        existsSync(join(examples, name, 'package.json')) ||
        existsSync(join(examples, name, 'index.ts')),
    )
    .map((name) => name.replace(/\.ts$/, ''));
  await using h = await open(names, { turns: [{ text: 'ok' }] });
  const failed = [...h.kern.kernel.failures.values()].map(
    ({ unit, message }) => `${unit.source.slice(examples.length + 1)}: ${message}`,
  );
  const missing = failed.filter((line) => /imports \S+, which is not there/.test(line));
  expect(failed.filter((line) => !missing.includes(line))).toEqual([]);
  expect(missing).toHaveLength(2);
  const live = new Set(h.kern.kernel.snapshot().activations.map(({ id }) => id));
  for (const name of [...trivial, ...easy])
    expect([name, live.has(`ext.${name}`) || live.has(name)]).toEqual([name, true]);
  expect(names.length).toBeGreaterThan(70);
  // With all of them at once, a conversation goes on.
  expect(await h.session.prompt({ text: 'hello' })).toMatchObject({ status: 'ok' });
});

withExamples(named('permission-gate and protected-paths refuse calls, and ask where somebody is there'), async () => {
  const turns: HouseOptions['turns'] = [
    {
      calls: [
        { name: 'bash', args: { command: 'sudo true' } },
        { name: 'write', args: { path: '.env', content: 'x' } },
        { name: 'write', args: { path: 'fine.txt', content: 'x' } },
      ],
    },
    { text: 'done' },
  ];
  {
    await using h = await open(['permission-gate', 'protected-paths'], { turns });
    await h.session.prompt({ text: 'go' });
    expect(results(h.session).slice(0, 2)).toEqual([
      'bash was not run: Dangerous command blocked (no UI for confirmation)',
      'write was not run: Path ".env" is protected',
    ]);
    expect(existsSync(join(h.project, 'fine.txt'))).toBe(true);
  }
  await using h = await open(['permission-gate', 'protected-paths'], { turns, answers: ['No'] });
  await h.session.prompt({ text: 'go' });
  expect(results(h.session)[0]).toBe('bash was not run: Blocked by user');
  expect(h.ui?.shown.at(-1)).toBe('warning: Blocked write to protected path: .env');
});

withExamples(named('hello, structured-output and dynamic-tools bring tools, at once and later'), async () => {
  await using h = await open(['hello', 'structured-output', 'dynamic-tools'], {
    answers: [],
    turns: [
      {
        calls: [
          { name: 'hello', args: { name: 'Ada' } },
          { name: 'echo_session', args: { message: 'm' } },
        ],
      },
      { text: 'ok' },
      { expect: { tools: ['echo_later'] }, calls: [{ name: 'echo_later', args: { message: 'x' } }] },
      { calls: [{ name: 'structured_output', args: { headline: 'H', summary: 'S', actionItems: ['a'] } }] },
    ],
  });
  await h.session.prompt({ text: 'go' });
  expect(results(h.session)).toEqual(['Hello, Ada!', '[session] m']);
  await h.command('add-echo-tool', 'echo_later');
  expect(h.ui?.shown.at(-1)).toBe('info: Registered dynamic tool: echo_later');
  expect(await h.session.prompt({ text: 'go on' })).toMatchObject({ status: 'ok', turns: 2 });
  expect(results(h.session).slice(2)).toEqual(['[echo_later] x', 'Saved structured output: H']);
});

withExamples(named('pirate and prompt-customizer change the system prompt of a run'), async () => {
  await using h = await open(['pirate', 'prompt-customizer'], {
    answers: [],
    turns: [
      { expect: { system: '<tool_guidance>' }, text: 'a' },
      { expect: { system: 'PIRATE MODE' }, text: 'b' },
    ],
  });
  expect(await h.session.prompt({ text: 'hi' })).toMatchObject({ status: 'ok' });
  await h.command('pirate');
  expect(await h.session.prompt({ text: 'hi' })).toMatchObject({ status: 'ok' });
  expect(h.ui?.shown).toContain('info: Arrr! Pirate mode enabled!');
});

withExamples(named('event-bus, input-transform, session-name and send-user-message'), async () => {
  await using h = await open(['event-bus', 'input-transform', 'session-name', 'send-user-message'], {
    answers: [],
    turns: [
      { expect: { last: 'Respond briefly in 1-2 sentences: what' }, text: 'a' },
      { expect: { last: '/User request: why[\\s\\S]*concisely/' }, text: 'b' },
    ],
  });
  expect(await h.session.prompt({ text: '?quick what' })).toMatchObject({ status: 'ok' });
  expect(await h.session.prompt({ text: 'ping' })).toMatchObject({ status: 'ok', turns: 0 });
  await h.command('emit', 'hey');
  await h.command('session-name', 'weather');
  expect(h.session.name).toBe('weather');
  await h.command('askwith', 'why');
  await h.session.waitForIdle();
  expect(h.session.messages().at(-1)).toMatchObject({ content: [{ text: 'b' }] });
  expect(h.ui?.shown).toEqual(
    expect.arrayContaining([
      'info: Event from event-bus-example: Session started',
      'info: pong',
      'info: Event from /emit command: hey',
      'info: Session named: weather',
    ]),
  );
});

withExamples(named('tool-override reads in place of kern’s read, and keeps its log'), async () => {
  await using h = await open(['tool-override'], {
    files: { 'a.txt': 'content', '.env': 'KEY=1' },
    turns: [
      {
        calls: [
          { name: 'read', args: { path: 'a.txt' } },
          { name: 'read', args: { path: '.env' } },
        ],
      },
      { text: 'done' },
    ],
  });
  await h.session.prompt({ text: 'go' });
  expect(results(h.session)).toEqual(['content', expect.stringContaining('Access denied: ".env"')]);
  const log = readFileSync(join(h.home, 'read-access.log'), 'utf8').trim().split('\n');
  expect(log.map((line) => line.replace(/^\[.*?\] (\w+): .*\/(\S+).*$/, '$1 $2'))).toEqual([
    'ALLOWED a.txt',
    'BLOCKED .env',
  ]);
});

withExamples(named('git-checkpoint keeps the state of the files before each turn'), async () => {
  await using h = await open(['git-checkpoint'], {
    files: { 'a.txt': 'one\n' },
    turns: [{ calls: [{ name: 'ls', args: {} }] }, { calls: [{ name: 'ls', args: {} }] }, { text: 'done' }],
  });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: h.project, encoding: 'utf8' });
  git('init', '-q');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  git('add', '.');
  git('commit', '-qm', 'one');
  writeFileSync(join(h.project, 'a.txt'), 'two\n');
  await h.session.prompt({ text: 'go' });
  // It forgets its checkpoints when a run is over: what it stashed is still there to be found.
  expect(
    git('fsck', '--unreachable', '--no-reflogs')
      .split('\n')
      .some((line) => line.startsWith('unreachable commit')),
  ).toBe(true);
  expect(readFileSync(join(h.project, 'a.txt'), 'utf8')).toBe('two\n');
});

withExamples(named('reload-runtime loads the extensions anew once the run is over'), async () => {
  await using h = await open(['reload-runtime', 'hello'], {
    turns: [{ calls: [{ name: 'reload_runtime', args: {} }] }, { text: 'ok' }],
  });
  const revision = (): number | undefined =>
    h.kern.kernel.snapshot().activations.find(({ id }) => id === 'ext.hello')?.unit.revision;
  const before = revision() ?? 0;
  await h.session.prompt({ text: 'go' });
  await expect.poll(revision, { timeout: 30_000 }).toBeGreaterThan(before);
  expect(await h.session.prompt({ text: 'again' })).toMatchObject({ status: 'ok' });
});

withExamples(
  named('plan-mode takes its flag and its command, todo keeps its list in the session, custom-compaction asks a model'),
  async () => {
    await using h = await open(['plan-mode', 'todo', 'custom-compaction', 'bash-spawn-hook'], {
      answers: [],
      turns: [
        { calls: [{ name: 'todo', args: { action: 'add', text: 'sleep' } }] },
        { text: 'ok' },
        { expect: { noTools: ['write', 'edit'] }, text: 'planned' },
      ],
    });
    await h.session.prompt({ text: 'go' });
    expect(results(h.session)[0]).toContain('sleep');
    await h.command('plan');
    expect(await h.session.prompt({ text: 'plan' })).toMatchObject({ status: 'ok' });
  },
);
