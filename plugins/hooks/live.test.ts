import { existsSync } from 'node:fs';
import path from 'node:path';
import { agentSessions, extensionApis } from 'kern/contracts';
import { script } from 'kern/testing';
import { expect, test } from 'vitest';
import { openHouse } from '../cli/test/house.ts';
import { openDesk } from '../cli/test/line.ts';
import { bash, oneHook, says, sh } from './test/ground.ts';

const words = (word: string): string =>
  oneHook('PostToolUse', sh(says({ hookSpecificOutput: { additionalContext: `${word} word` } })));

test('an edited hook is another one in the next turn, and a broken edit leaves the one before', async () => {
  await using house = await openHouse({
    '.claude/settings.json': words('first'),
    'second.json': words('second'),
    'broken.json': words('broken').slice(0, -5),
    'third.json': words('third'),
  });
  const put = (name: string): string => `cp ${name}.json .claude/settings.json`;
  const turns = [
    bash('true'),
    bash(put('second')),
    bash('true'),
    bash(put('broken')),
    bash('true'),
    bash(put('third')),
    bash('true'),
  ];
  const replies = script({ version: 1, turns: [...turns, { text: 'ok' }], repeat: 'last' });
  await house.view.use(agentSessions).load();
  const options = { view: house.view, cwd: house.project, persist: false, model: replies.model };
  await using session = await house.view.service(agentSessions).create(options);
  await session.prompt({ text: 'go' });
  const heard = session
    .messages()
    .filter(({ role }) => role === 'toolResult')
    .map(({ content }) => /(\w+) word/.exec(JSON.stringify(content))?.[1]);
  // A hook that hears of its own edit is the one that was there when the turn began.
  expect(heard.filter((_, at) => at % 2 === 0)).toEqual(['first', 'second', 'second', 'third']);
  expect(house.complaints().join('\n')).toContain('.claude/settings.json');
  replies.dispose();
}, 60_000);

const module = (word: string): string => `export default (api) => {
  api.on('tool_call', (event) => (event.input.command === 'forbidden' ? { block: true, reason: '${word}' } : undefined));
  api.on('tool_result', (event) =>
    event.toolName === 'bash' ? { content: [{ type: 'text', text: event.details.exitCode + ' ${word}' }] } : undefined);
  api.registerCommand('shout', { description: 'Shouts.', handler: () => '${word}!' });
};`;

test('modules of hooks are called with an API, whether they lie before, after or beside', async () => {
  await using house = await openHouse({
    '.kern/hooks/pre/bash.ts': module('pre'),
    '.kern/hooks/guard.mjs': `export default (api) => api.on('tool_call', () => undefined);`,
    '.claude/hooks/pre/bash.js': `import { writeFileSync } from 'node:fs'; writeFileSync('marker', ''); export default () => {};`,
  });
  expect(await house.call('bash', { command: 'forbidden' })).toContain('pre');
  expect(await house.call('bash', { command: 'true' })).toBe('0 pre');
  expect(house.complaints()).toEqual([]);
  // It is another agent's, and nobody has switched that on.
  expect(await house.call('bash', { command: 'ls marker' })).toContain('2 pre');
  const events = await house.view.service(extensionApis).events();
  for (const name of ['tool_call', 'tool_result', 'session_start', 'before_agent_start', 'session_before_compact'])
    expect(events.find(({ event }) => event === name)?.from, name).toBeDefined();
  house.write('.kern/hooks/pre/bash.ts', module('again'));
  await expect.poll(() => house.call('bash', { command: 'true' }), { timeout: 15_000, interval: 100 }).toBe('0 again');
}, 60_000);

test('a hook that cannot be read is named with its place', async () => {
  const groups = [{ matcher: 'Bash', hooks: { command: 'true' } }, { hooks: [sh('true'), { type: 'command' }] }, 7];
  await using desk = await openDesk({ '.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: groups } }) });
  const { out, err } = await desk.kern('providers');
  for (const text of [
    '.claude/settings.json: hooks.PreToolUse[0].hooks (matcher Bash) is no list',
    '.claude/settings.json: hooks.PreToolUse[1].hooks[1] (matcher *) has no command',
    '.claude/settings.json: hooks.PreToolUse[2] is no map',
  ])
    expect(`${out}${err}`).toContain(text);
});

test('kern providers tells of a hook whose event never comes', async () => {
  await using desk = await openDesk({ '.claude/settings.json': oneHook('SubagentStop', sh('true')) });
  const { out } = await desk.kern('providers', '--why', 'hook');
  expect(out).toContain('SubagentStop never comes: kern has no subagents yet');
});

test('kern providers tells of a hook of another agent that nobody has let run', async () => {
  await using desk = await openDesk({ '../.claude/settings.json': oneHook('Stop', sh('true')) });
  const { out } = await desk.kern('providers', '--why', 'hook');
  expect(out).toContain('providers: { claude: { code: true } }');
  await desk.kern('config', 'set', 'providers.claude.code', 'false');
  expect((await desk.kern('providers', '--why', 'hook')).out).toContain('providers.claude.code is false');
});

test('what hooks have to say to the person is shown where nobody can be asked', async () => {
  const says = (text: string) => [{ hooks: [sh(`echo '{"systemMessage":"${text}"}'`)] }];
  await using desk = await openDesk({
    '../home/hooks.json': JSON.stringify({
      hooks: { SessionStart: says('at start'), UserPromptSubmit: says('at prompt'), PreToolUse: says('at call') },
    }),
    's.json': JSON.stringify({ version: 1, turns: [bash('true'), { text: 'done' }] }),
  });
  const line = ['go', '--model', 'script/s.json', '--yolo'];
  const { out, err } = await desk.kern('-p', ...line);
  expect(out).toBe('done\n');
  for (const text of ['at start', 'at prompt', 'at call']) expect(err).toContain(text);
  const events = (await desk.kern('--mode', 'json', ...line)).out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one));
  expect(events.filter(({ type }) => type === 'hook_message').map(({ message }) => message)).toEqual([
    'at start',
    'at prompt',
    'at call',
  ]);
});

test('a prompt that a hook refuses is no answer: nothing on stdout, exit code 1, and a result that says so', async () => {
  await using desk = await openDesk({
    '../home/hooks.json': oneHook('UserPromptSubmit', sh('echo no secrets >&2; exit 2')),
    's.json': JSON.stringify({ version: 1, turns: [{ text: 'done' }] }),
  });
  const line = ['go', '--model', 'script/s.json'];
  const { code, out, err } = await desk.kern('-p', ...line);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('kern: The prompt was not sent: no secrets (hook');
  const result = JSON.parse((await desk.kern('--mode', 'json', ...line)).out.trim().split('\n').at(-1) ?? '');
  expect(result).toMatchObject({ status: 'error', text: '', error: { code: 'prompt_refused' }, exitCode: 1 });
});

test('the line of a call shows it as a hook changed it', async () => {
  const change = { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'echo changed' } } };
  await using desk = await openDesk({
    '../home/hooks.json': oneHook('PreToolUse', sh(says(change))),
    's.json': JSON.stringify({ version: 1, turns: [bash('echo typed'), { text: 'done' }] }),
  });
  const { err } = await desk.kern('-p', 'go', '--model', 'script/s.json', '--yolo');
  expect(err).toContain('bash echo changed');
  expect(err).not.toContain('echo typed');
});

test('of several hooks of a file the one that changed is named', async () => {
  const hooks = (second: string): string =>
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [sh('true'), sh(second)] }] } });
  await using desk = await openDesk({
    '.claude/settings.json': hooks('true # one'),
    's.json': JSON.stringify({ version: 1, turns: [bash('true'), { text: 'done' }] }),
  });
  expect((await desk.kern('trust', 'grant')).code).toBe(0);
  desk.write('.claude/settings.json', hooks('true # other'));
  const { err } = await desk.kern('-p', 'go', '--model', 'script/s.json', '--yolo');
  expect(err).toContain('the hook .claude/settings.json#2 (PreToolUse) does not run: what stands there');
  expect(err).not.toContain('the hooks of .claude/settings.json');
});

test('an untrusted hook does not run in kern -p, and stderr says so and what to do', async () => {
  await using desk = await openDesk({
    '.claude/settings.json': oneHook('PreToolUse', sh('touch marker; exit 2')),
    's.json': JSON.stringify({ version: 1, turns: [bash('echo hello'), { text: 'done' }] }),
  });
  const line = ['-p', 'go', '--model', 'script/s.json', '--yolo'];
  const before = await desk.kern(...line);
  expect(before.code).toBe(0);
  expect(existsSync(path.join(desk.project, 'marker'))).toBe(false);
  expect(before.err.match(/hooks of \.claude\/settings\.json do not run/g)).toHaveLength(1);
  expect(before.err).toContain('kern trust grant');
  expect((await desk.kern('trust', 'grant')).code).toBe(0);
  expect((await desk.kern(...line)).err).not.toContain('do not run');
  expect(existsSync(path.join(desk.project, 'marker'))).toBe(true);
}, 60_000);
