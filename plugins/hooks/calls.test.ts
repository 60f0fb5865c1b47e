import { toolInput } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { capturedUi } from 'kern/testing';
import { expect, test } from 'vitest';
import { bash, oneHook, openGround, says, sh } from './test/ground.ts';

const done = { text: 'done' };
const decision = (permissionDecision: string, more: object = {}): object => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
});

test('exit 2 refuses a call, and its words are the reason', async () => {
  const hook = sh('echo "not on my watch" >&2; exit 2');
  const g = await openGround({ '.claude/settings.json': oneHook('PreToolUse', hook, 'Bash') }, [
    bash('touch ran'),
    done,
  ]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
  expect(g.sent(-1)).toContain('bash was not run: not on my watch (hook .claude/settings.json#1)');
});

test('a call that no hook waits for runs', async () => {
  const g = await openGround({ '.claude/settings.json': oneHook('PreToolUse', sh('exit 2'), 'Write|Edit') }, [
    bash('touch ran'),
    done,
  ]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
});

test.for([
  ['permissionDecision deny', decision('deny', { permissionDecisionReason: 'so it is' })],
  ['decision block', { decision: 'block', reason: 'so it is' }],
  ['of Cursor', { permission: 'deny', agent_message: 'so it is' }],
  ['of Cline', { cancel: true, errorMessage: 'so it is' }],
] as const)('a no in JSON refuses a call: %s', async ([, answer]) => {
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', sh(says(answer)), 'bash') }, [
    bash('touch ran'),
    done,
  ]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
  expect(g.sent(-1)).toContain('so it is');
});

test('continue: false refuses a call and ends the run', async () => {
  const hook = sh(says({ continue: false, stopReason: 'enough' }));
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
  expect(g.requests).toHaveLength(1);
});

test('any other exit is an error that is told, and the call runs', async () => {
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', sh('echo oops >&2; exit 1')) }, [
    bash('touch ran'),
    done,
  ]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  expect(g.kern.complaints()).toContain('hooks: the hook .kern/hooks.json#1 (PreToolUse) failed: exit 1: oops');
});

test.for([
  ['with failClosed, also an exit of 1', sh('exit 1', { failClosed: true }), /gave no answer: exit 1/],
  ['with onFailure: block', sh('exit 1', { onFailure: 'block' }), /gave no answer: exit 1/],
  ['what is not there', sh('/nowhere/to/be/found'), /gave no answer: exit 127/],
  ['a signal', sh('kill -9 $$'), /gave no answer: SIGKILL ended it/],
  ['a program without a shell', { type: 'command', command: '/nowhere/at/all', args: [] }, /could not be started/],
  ['half an answer', sh(`echo '{"decision":'`), /begins like JSON and is none/],
  ['a word that is no decision', sh(says({ decision: 'bogus' })), /its decision is "bogus"/],
  ['no word at all', sh(says(decision(7 as never))), /its hookSpecificOutput.permissionDecision is 7/],
  ['two answers', sh(`echo '{"decision":"block"}'; echo '{"decision":"approve"}'`), /several answers/],
  [
    'two answers over several lines',
    sh(`printf '{\\n"decision":"block"\\n}\\n{"decision":"approve"}'`),
    /several answers/,
  ],
  ['arguments that are none', sh(says(decision('allow', { updatedInput: 'x' }))), /its updatedInput is no map/],
  ['too long', sh('sleep 30', { timeout: 0.3 }), /took longer than 0.3 s/],
] as const)('a hook that was to judge a call and gives no answer refuses it: %s', async ([, hook, why]) => {
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook, 'Bash') }, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
  expect(g.sent(-1)).toMatch(why);
  expect(g.sent(-1)).toContain('.kern/hooks.json#1');
});

test('one that says that its failures do not count is passed over', async () => {
  const hook = sh('/nowhere/to/be/found', { onFailure: 'continue' });
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
});

test('a hook that takes too long is ended with all that it started', async () => {
  const hook = sh('(sleep 2; touch late) & sleep 30', { timeout: 0.3, onFailure: 'continue' });
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('sleep 3; touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  expect(g.has('late')).toBe(false);
});

test('updatedInput changes the arguments, in the words of the dialect', async () => {
  const files = {
    'a.txt': 'one two',
    '.claude/settings.json': oneHook(
      'PreToolUse',
      sh(says(decision('allow', { updatedInput: { file_path: 'a.txt', old_string: 'one', new_string: 'three' } }))),
      'Edit',
    ),
  };
  const call = { name: 'edit', args: { path: 'a.txt', edits: [{ oldText: 'one', newText: 'zero' }] }, id: 'c1' };
  const g = await openGround(files, [{ calls: [call] }, done]);
  await g.session.prompt({ text: 'go' });
  expect(g.read('a.txt')).toBe('three two');
});

test('hooks of Claude Code are told whole paths, and an answer that says one again changes nothing', async () => {
  const hook = sh(
    `input=$(cat); echo "$input" >> told; echo "$input" | sed 's/.*"tool_input":\\({[^}]*}\\).*/{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":\\1}}/'`,
  );
  const files = { 'a/b.txt': 'one', '.claude/settings.json': oneHook('PreToolUse', hook, 'Read|Grep') };
  const calls = [
    { name: 'read', args: { path: 'a/../a/b.txt' }, id: 'c1' },
    { name: 'grep', args: { pattern: 'one', path: 'a' }, id: 'c2' },
  ];
  const g = await openGround(files, [{ calls }, done]);
  const ended: unknown[] = [];
  g.session.subscribe((event) => event.type === 'tool_execution_end' && ended.push(event.args));
  await g.session.prompt({ text: 'go' });
  expect(g.told('told')).toMatchObject([
    { tool_input: { file_path: `${g.project}/a/b.txt` } },
    { tool_input: { path: `${g.project}/a` } },
  ]);
  expect(ended).toEqual([undefined, undefined]);
});

test('the end of a call tells with which arguments it ran, where a hook changed them', async () => {
  const hook = sh(says(decision('allow', { updatedInput: { command: 'echo changed' } })));
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('echo typed'), done]);
  const ended: unknown[] = [];
  g.session.subscribe((event) => event.type === 'tool_execution_end' && ended.push(event.args));
  await g.session.prompt({ text: 'go' });
  expect(ended).toMatchObject([{ command: 'echo changed' }]);
});

test('what a hook changed is judged as it is then', async () => {
  const hook = sh(says(decision('allow', { updatedInput: { command: 'touch changed' } })));
  const g = await openGround({ '../home/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done], {
    settings: { 'permissions.mode': 'ask', permissions: { rules: [{ deny: 'bash(touch changed)' }] } },
  });
  await g.session.prompt({ text: 'go' });
  expect([g.has('ran'), g.has('changed')]).toEqual([false, false]);
  expect(g.sent(-1)).toContain('is not allowed (deny bash(touch changed))');
});

test('arguments that a hook made wrong are refused like any others', async () => {
  const hook = sh(says(decision('allow', { updatedInput: { wrong: true } })));
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.sent(-1)).toContain('the hook .kern/hooks.json#1 changed them through tool.input');
});

const asking = { settings: { 'permissions.mode': 'ask' } };
const yes = says(decision('allow', { permissionDecisionReason: 'I know it' }));

test('a yes of the person’s own hook spares the question', async () => {
  const g = await openGround(
    { '../home/hooks.json': oneHook('PreToolUse', sh(yes)) },
    [bash('touch ran'), done],
    asking,
  );
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
});

test.for(['.kern/hooks.json', '.claude/settings.json'])('a yes of a project (%s) spares nothing', async (file) => {
  const g = await openGround({ [file]: oneHook('PreToolUse', sh(yes)) }, [bash('touch ran'), done], asking);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
  expect(g.sent(-1)).toContain('bash needs permission');
});

test('a no of a project counts more than a yes of the person', async () => {
  const files = {
    '../home/hooks.json': oneHook('PreToolUse', sh(yes)),
    '.kern/hooks.json': oneHook('PreToolUse', sh('echo never >&2; exit 2')),
  };
  const g = await openGround(files, [bash('touch ran'), done], asking);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(false);
});

test('a yes does not count for what another hook made of the call', async () => {
  const change = sh(says(decision('allow', { updatedInput: { command: 'touch changed' } })));
  const files = {
    '../home/hooks.json': oneHook('PreToolUse', sh(yes)),
    '.kern/hooks.json': oneHook('PreToolUse', change),
  };
  const g = await openGround(files, [bash('touch ran'), done], asking);
  await g.session.prompt({ text: 'go' });
  expect([g.has('ran'), g.has('changed')]).toEqual([false, false]);
  expect(g.sent(-1)).toContain('bash needs permission');
});

test('a hook that asks has a person asked, also where nothing else would', async () => {
  const ask = sh(says(decision('ask', { permissionDecisionReason: 'is that wise?' })));
  const files = { '.kern/hooks.json': oneHook('PreToolUse', ask) };
  const ui = capturedUi([true]);
  const g = await openGround(files, [bash('touch ran'), done], { ui });
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  const alone = await openGround(files, [bash('touch ran'), done]);
  await alone.session.prompt({ text: 'go' });
  expect(alone.has('ran')).toBe(false);
  expect(alone.sent(-1)).toContain('nobody can be asked here');
});

test('PermissionRequest answers for the person: a no of anyone, a yes of their own hooks', async () => {
  const answer = (behavior: string): object =>
    sh(`cat >> asked; ${says({ hookSpecificOutput: { decision: { behavior, message: 'as agreed' } } })}`);
  const run = async (files: Readonly<Record<string, string>>) => {
    const g = await openGround(files, [bash('touch ran'), done], asking);
    await g.session.prompt({ text: 'go' });
    return g;
  };
  expect((await run({ '../home/hooks.json': oneHook('PermissionRequest', answer('allow')) })).has('ran')).toBe(true);
  const project = await run({ '.kern/hooks.json': oneHook('PermissionRequest', answer('allow')) });
  expect(project.has('ran')).toBe(false);
  expect(project.told('asked')[0]).toMatchObject({
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'touch ran' },
    tool_use_id: 'c1',
    permission_mode: 'default',
  });
  const denied = await run({ '.kern/hooks.json': oneHook('PermissionRequest', answer('deny')) });
  expect(denied.sent(-1)).toContain('bash was refused: as agreed (hook .kern/hooks.json#1)');
});

test('what hooks say to the model stands with the result of the call', async () => {
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: {
        PreToolUse: [{ hooks: [sh(says(decision('allow', { additionalContext: 'said before' })))] }],
        PostToolUse: [
          { hooks: [sh(says({ decision: 'block', reason: 'run the linter' }))] },
          { hooks: [sh(says({ hookSpecificOutput: { additionalContext: 'said after' } }))] },
        ],
      },
    }),
  };
  const g = await openGround(files, [bash('echo hello'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.sent(-1)).toContain(
    'hello\n[hook] said before\n[hook] run the linter (hook .kern/hooks.json#2)\n[hook] said after',
  );
});

test('updatedToolOutput takes the place of what a tool answered', async () => {
  const hook = sh(says({ hookSpecificOutput: { updatedToolOutput: 'nothing to see' } }));
  const g = await openGround({ '.kern/hooks.json': oneHook('PostToolUse', hook, 'Bash') }, [bash('echo secret'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.sent(-1)).toContain('nothing to see');
  expect(g.sent(-1)).not.toContain('secret\n');
});

test('a hook after a call may end the run, also in the middle of a batch', async () => {
  const hook = sh(`grep -q second && ${says({ continue: false, stopReason: 'enough' })}; true`);
  const calls = [
    { name: 'bash', args: { command: 'echo first' }, id: 'c1' },
    { name: 'bash', args: { command: 'sleep 0.5; echo second' }, id: 'c2' },
  ];
  const g = await openGround({ '.kern/hooks.json': oneHook('PostToolUse', hook) }, [{ calls }, done]);
  await g.session.prompt({ text: 'go' });
  expect(g.requests).toHaveLength(1);
});

test('a call that failed is told to PostToolUseFailure, and not to PostToolUse', async () => {
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: {
        PostToolUse: [{ hooks: [sh('cat >> after')] }],
        PostToolUseFailure: [{ hooks: [sh('cat >> failed')] }],
      },
    }),
  };
  const g = await openGround(files, [bash('echo no; exit 3'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('after')).toBe(false);
  expect(g.told('failed')[0]).toMatchObject({ tool_name: 'Bash', error: expect.stringContaining('no') });
});

test('hooks run side by side, and what several files say alike runs once', async () => {
  // Each waits for the other.
  const meet = (mine: string, other: string): object => sh(`touch ${mine}; until [ -e ${other} ]; do sleep 0.05; done`);
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [meet('one', 'two'), meet('two', 'one'), sh('echo x >> once')] }] },
    }),
    '.claude/settings.json': oneHook('PreToolUse', sh('echo x >> once')),
  };
  const g = await openGround(files, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  expect(g.read('once')).toBe('x\n');
});

test('if narrows a hook to calls that look so', async () => {
  const g = await openGround(
    { '.kern/hooks.json': oneHook('PreToolUse', sh('exit 2', { if: 'Bash(git push *)' }), 'Bash') },
    [bash('echo fine > ran'), bash('cd . && git push --force', 'c2'), done],
  );
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  expect(g.sent(-1)).toContain('bash was not run: a hook says no');
});

test('a hook with once runs once a session; one with async is waited for by nobody', async () => {
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              sh('echo x >> once', { once: true }),
              sh('until [ -e ran2 ]; do sleep 0.05; done; touch beside', { async: true }),
            ],
          },
          { hooks: [sh(`echo '{"async": true}'; until [ -e ran2 ]; do sleep 0.05; done; touch said-so`)] },
        ],
      },
    }),
  };
  const g = await openGround(files, [bash('touch ran'), bash('touch ran2', 'c2'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.read('once')).toBe('x\n');
  await expect.poll(() => [g.has('beside'), g.has('said-so')], { timeout: 15_000 }).toEqual([true, true]);
});

test('what a project declares does not run before it is trusted, and that is said once', async () => {
  const untrusted = { check: async () => 'untrusted' as const };
  const hook = sh('touch marker; exit 2');
  const files = {
    '.claude/settings.json': JSON.stringify({
      // Nor is its pattern looked at.
      hooks: {
        SessionStart: [{ hooks: [hook] }],
        PreToolUse: [{ hooks: [hook] }, { matcher: '(', hooks: [hook] }],
        Stop: [{ hooks: [hook] }],
      },
    }),
  };
  const g = await openGround(files, [bash('touch ran'), bash('touch ran2', 'c2'), done], { trust: untrusted });
  await g.session.prompt({ text: 'go' });
  expect([g.has('marker'), g.has('ran2')]).toEqual([false, true]);
  const said = g.kern.complaints().filter((line) => line.includes('hooks'));
  expect(said).toEqual([
    'hooks: the hooks of .claude/settings.json do not run: nobody has trusted this project with them: kern trust shows what would run, kern trust grant lets it, --trust does for one run',
  ]);
});

test('hooks in a person’s folder of another agent run once that is switched on', async () => {
  const files = { '../user/.claude/settings.json': oneHook('PreToolUse', sh('touch marker')) };
  const off = await openGround(files, [bash('true'), done]);
  await off.session.prompt({ text: 'go' });
  expect(off.has('marker')).toBe(false);
  expect(off.kern.complaints().join()).toContain('providers: { claude: { code: true } } lets them run');
  const on = await openGround(files, [bash('true'), done], { settings: { providers: { claude: { code: true } } } });
  await on.session.prompt({ text: 'go' });
  expect(on.has('marker')).toBe(true);
  const no = await openGround(files, [bash('true'), done], { settings: { providers: { claude: { code: false } } } });
  await no.session.prompt({ text: 'go' });
  expect(no.kern.complaints()).toEqual([]);
});

test('files before and after a tool: pre/bash.sh refuses, post/bash.py adds a word', async () => {
  const files = {
    '.kern/hooks/pre/bash.sh': '#!/bin/sh\nif grep -q forbidden; then echo no >&2; exit 2; fi\n',
    '.kern/hooks/post/bash': `#!/bin/sh\ncat >> after; ${says({ hookSpecificOutput: { additionalContext: 'well done' } })}\n`,
    '.kern/hooks/pre/star.txt': 'no program',
  };
  const g = await openGround(files, [bash('echo forbidden'), bash('echo fine; exit 1', 'c2'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.sent(-1)).toContain('bash was not run: no (hook .kern/hooks/pre/bash.sh)');
  // kern's own files have kern's own words, and one event for all that comes after.
  expect(g.told('after')).toMatchObject([
    { tool_name: 'bash', tool_input: { command: 'echo fine; exit 1' }, tool_response: { is_error: true } },
  ]);
  expect(g.sent(-1)).toContain('[hook] well done');
});

test('arguments that a plugin changes after the hooks were asked are judged again', async () => {
  const late = definePlugin({
    id: 'late',
    setup: (ctx) =>
      ctx.tap(toolInput, (call) => ({ ...call, args: { ...call.args, command: 'touch forbidden' } }), { order: 9e6 }),
  });
  const hook = sh('if grep -q forbidden; then echo no >&2; exit 2; fi');
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done], {
    plugins: [late],
  });
  await g.session.prompt({ text: 'go' });
  expect(g.has('forbidden')).toBe(false);
  expect(g.sent(-1)).toContain('bash was not run: no (hook .kern/hooks.json#1)');
});

test('a call that a person makes is asked about like any other', async () => {
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', sh('echo no >&2; exit 2'), 'Read') });
  expect(await g.kern.callTool('read', { path: 'x' })).toBe('read was not run: no (hook .kern/hooks.json#1)');
});
