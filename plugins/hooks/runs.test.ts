import { existsSync } from 'node:fs';
import { hooks } from 'kern/contracts';
import { capturedUi } from 'kern/testing';
import { expect, test } from 'vitest';
import { bash, oneHook, openGround, says, sh } from './test/ground.ts';

const done = { text: 'done' };

/** Hooks of one event each, which keep what they are told. */
const listening = (events: readonly string[]): string =>
  JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [sh('cat >> told')] }]])) });

test('what hooks are told, event by event', async () => {
  const events = [
    ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    ...['Stop', 'PermissionDenied', 'SessionEnd'],
  ];
  const g = await openGround({ '.claude/settings.json': listening(events) }, [
    bash('echo hello'),
    { calls: [{ name: 'bash', args: { command: 'exit 3' }, id: 'c2' }] },
    done,
  ]);
  const { id } = g.session;
  await g.session.prompt({ text: 'go' });
  await g.session[Symbol.asyncDispose]();
  const base = { session_id: id, transcript_path: '', cwd: g.project, permission_mode: 'bypassPermissions' };
  const call = { tool_name: 'Bash', tool_input: { command: 'echo hello' }, tool_use_id: 'c1' };
  const other = { tool_name: 'Bash', tool_input: { command: 'exit 3' }, tool_use_id: 'c2' };
  expect(g.told('told')).toEqual([
    { ...base, hook_event_name: 'SessionStart', source: 'startup', model: expect.stringMatching(/^script\//) },
    { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'go' },
    { ...base, hook_event_name: 'PreToolUse', ...call },
    {
      ...base,
      hook_event_name: 'PostToolUse',
      duration_ms: expect.any(Number),
      ...call,
      tool_response: {
        stdout: 'hello',
        stderr: '',
        interrupted: false,
        isImage: false,
        content: [{ type: 'text', text: 'hello' }],
        details: { exitCode: 0, cwd: g.project, truncated: false },
        is_error: false,
      },
    },
    { ...base, hook_event_name: 'PreToolUse', ...other },
    {
      ...base,
      hook_event_name: 'PostToolUseFailure',
      duration_ms: expect.any(Number),
      ...other,
      error: expect.stringContaining('3'),
      is_interrupt: false,
    },
    { ...base, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'done', loop_count: 0 },
    { ...base, hook_event_name: 'SessionEnd', reason: 'other' },
  ]);
});

test('the same in the words of other agents', async () => {
  const files = {
    '.gemini/settings.json': oneHook('BeforeTool', sh('cat >> gemini'), 'run_shell_command'),
    '.cursor/hooks.json': JSON.stringify({
      version: 1,
      hooks: { beforeShellExecution: [{ command: 'cat >> cursor' }] },
    }),
    '.codex/hooks.json': oneHook('PreToolUse', sh('cat >> codex'), '^Bash$'),
    '.clinerules/hooks/PreToolUse': '#!/bin/sh\ncat >> cline\n',
  };
  const g = await openGround(files, [bash('echo hello'), done]);
  await g.session.prompt({ text: 'go' });
  const base = { session_id: g.session.id, cwd: g.project };
  const input = { command: 'echo hello' };
  expect(g.told('gemini')).toMatchObject([
    { ...base, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input: input },
  ]);
  expect(g.told('cursor')).toMatchObject([
    { conversation_id: g.session.id, hook_event_name: 'beforeShellExecution', workspace_roots: [g.project], ...input },
  ]);
  expect(g.told('codex')).toMatchObject([
    { ...base, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: input },
  ]);
  expect(g.told('cline')).toMatchObject([
    { hookName: 'PreToolUse', taskId: g.session.id, preToolUse: { toolName: 'execute_command', parameters: input } },
  ]);
});

test('a hook of Gemini CLI lays its arguments over those that were there', async () => {
  const hook = sh(says({ hookSpecificOutput: { tool_input: { command: 'touch changed' } } }));
  const g = await openGround({ '.gemini/settings.json': oneHook('BeforeTool', hook) }, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect([g.has('ran'), g.has('changed')]).toEqual([false, true]);
});

test('what SessionStart and UserPromptSubmit say reaches the model before the prompt', async () => {
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: {
        SessionStart: [
          { matcher: 'startup', hooks: [sh('echo the date is known')] },
          { matcher: 'resume', hooks: [sh('echo never')] },
        ],
        UserPromptSubmit: [{ hooks: [sh(says({ hookSpecificOutput: { additionalContext: 'the branch is main' } }))] }],
      },
    }),
  };
  const g = await openGround(files);
  await g.session.prompt({ text: 'go' });
  expect(g.sent(0)).toBe('the date is known\nthe branch is main\ngo');
  await g.session.prompt({ text: 'again' });
  expect(g.sent(1)).toBe('the date is known\nthe branch is main\ngo\nok\nthe branch is main\nagain');
});

test('a prompt that a hook blocks is not sent, and the person reads why', async () => {
  const hook = sh('grep -q password && { echo no secrets >&2; exit 2; }; true');
  const g = await openGround({ '.kern/hooks.json': oneHook('UserPromptSubmit', hook) });
  const { text, status, error } = await g.session.prompt({ text: 'my password is x' });
  expect(text).toBe('');
  expect(status).toBe('error');
  expect(error).toEqual({
    code: 'prompt_refused',
    message: 'The prompt was not sent: no secrets (hook .kern/hooks.json#1)',
  });
  expect(g.requests).toHaveLength(0);
  await g.session.prompt({ text: 'hello' });
  expect(g.sent(0)).toBe('hello');
});

test('a Stop hook has the run go on with its reason, until it is content', async () => {
  const hook = sh(`cat >> told; [ $(wc -l < told) -ge 3 ] || ${says({ decision: 'block', reason: 'run the tests' })}`);
  const g = await openGround({ '.kern/hooks.json': oneHook('Stop', hook) });
  const { status, turns } = await g.session.prompt({ text: 'go' });
  expect({ status, turns }).toEqual({ status: 'ok', turns: 3 });
  expect(g.sent(1)).toBe('go\nok\nrun the tests (hook .kern/hooks.json#1)');
  expect(g.told('told').map(({ stop_hook_active }) => stop_hook_active)).toEqual([false, true, true]);
});

test('a Stop hook that is never content is asked eight times', async () => {
  const g = await openGround({ '.kern/hooks.json': oneHook('Stop', sh('echo x >> told; echo more >&2; exit 2')) });
  const { status, turns } = await g.session.prompt({ text: 'go' });
  expect({ status, turns }).toEqual({ status: 'ok', turns: 9 });
  expect(g.read('told')).toBe('x\n'.repeat(8));
});

test('followup_message of Cursor has the run go on as well', async () => {
  const hook = { command: `cat >> told; [ $(wc -l < told) -ge 2 ] || ${says({ followup_message: 'and the docs' })}` };
  const g = await openGround({ '.cursor/hooks.json': JSON.stringify({ version: 1, hooks: { stop: [hook] } }) });
  await g.session.prompt({ text: 'go' });
  expect(g.sent(1)).toContain('and the docs');
  expect(g.told('told').map(({ loop_count }) => loop_count)).toEqual([0, 1]);
});

test('a PreCompact hook keeps a compaction from being done; PostCompact hears of one that was', async () => {
  const files = {
    '.kern/hooks.json': JSON.stringify({
      hooks: {
        PreCompact: [
          { matcher: 'manual', hooks: [sh('cat >> before; [ -e allowed ] || { echo not yet >&2; exit 2; }')] },
        ],
        PostCompact: [{ hooks: [sh('cat >> after')] }],
        SessionStart: [{ matcher: 'compact', hooks: [sh('echo remember the rules')] }],
      },
    }),
  };
  const long = 'word '.repeat(30_000);
  const g = await openGround(files, [{ text: long }, { text: long }, { text: 'ok' }]);
  await g.session.prompt({ text: 'go' });
  await g.session.prompt({ text: 'again' });
  await expect(g.session.compact('keep names')).rejects.toThrow('not yet (hook .kern/hooks.json#1)');
  expect(g.told('before')[0]).toMatchObject({ trigger: 'manual', custom_instructions: 'keep names' });
  g.write('allowed', '');
  await g.session.compactWith({ strategy: 'truncate' });
  await expect
    .poll(() => g.has('after') && g.told('after'), { timeout: 15_000 })
    .toMatchObject([{ trigger: 'manual' }]);
  await g.session.prompt({ text: 'and now' });
  expect(g.sent(-1)).toContain('remember the rules\nand now');
});

test('a hook whose event never comes is listed with the reason, and a matcher that is no pattern is told', async () => {
  const files = {
    '.claude/settings.json': JSON.stringify({
      hooks: {
        SubagentStop: [{ hooks: [sh('true')] }],
        Nonsense: [{ hooks: [sh('true')] }],
        PreToolUse: [{ matcher: '(', hooks: [sh('exit 2')] }],
      },
    }),
  };
  const g = await openGround(files, [bash('touch ran'), done]);
  await g.session.prompt({ text: 'go' });
  expect(g.has('ran')).toBe(true);
  expect(g.kern.complaints().join()).toContain('waits for "(", which is no pattern');
  await g.kern.view.use(hooks).load();
  const states = await g.kern.view.service(hooks).states();
  expect(states.map(({ event, state, why }) => [event, state, why])).toEqual([
    ['SubagentStop', 'unused', 'SubagentStop never comes: kern has no subagents yet'],
    ['Nonsense', 'unused', expect.stringContaining('there is no event Nonsense')],
    ['PreToolUse', 'runs', undefined],
  ]);
});

test('an aborted run ends the hooks that run', async () => {
  const hook = sh('touch began; (sleep 2; touch late) & sleep 30');
  const g = await openGround({ '.kern/hooks.json': oneHook('PreToolUse', hook) }, [bash('touch ran'), done]);
  const run = g.session.prompt({ text: 'go' });
  await expect.poll(() => g.has('began'), { timeout: 15_000 }).toBe(true);
  g.session.abort();
  expect((await run).status).toBe('aborted');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([g.has('ran'), g.has('late')]).toEqual([false, false]);
});

test('a run that fails or is aborted, a refused call and another model are told', async () => {
  const events = ['StopFailure', 'Interrupt', 'PermissionDenied', 'PostModelSwitch', 'Notification'];
  const failing = await openGround({ '.kern/hooks.json': listening(events) }, [{ error: { status: 400, body: 'no' } }]);
  await failing.session.prompt({ text: 'go' });
  await failing.session[Symbol.asyncDispose]();
  expect(failing.told('told')).toMatchObject([{ hook_event_name: 'StopFailure', error: 'error' }]);
  const asking = { settings: { 'permissions.mode': 'ask' } };
  const refusing = await openGround({ '.kern/hooks.json': listening(events) }, [bash('ls'), done], asking);
  await refusing.session.prompt({ text: 'go' });
  await refusing.session[Symbol.asyncDispose]();
  expect(refusing.told('told')).toMatchObject([
    { hook_event_name: 'PermissionDenied', tool_name: 'Bash', reason: expect.stringContaining('Nobody can be asked') },
  ]);
  const ui = capturedUi([true]);
  const asked = await openGround({ '.kern/hooks.json': listening(events) }, [bash('sleep 30'), done], {
    ...asking,
    ui,
  });
  const run = asked.session.prompt({ text: 'go' });
  await expect.poll(() => asked.has('told'), { timeout: 15_000 }).toBe(true);
  asked.session.abort();
  await run;
  await asked.session[Symbol.asyncDispose]();
  expect(asked.told('told')).toMatchObject([
    { hook_event_name: 'Notification', notification_type: 'permission_prompt' },
    { hook_event_name: 'Interrupt' },
  ]);
});

test('the person sees statusMessage while a hook runs, and what it has to say', async () => {
  const ui = capturedUi();
  const hook = sh(says({ systemMessage: 'All is well.' }), { statusMessage: 'Looking…' });
  const g = await openGround({ '.kern/hooks.json': oneHook('UserPromptSubmit', hook) }, [done], { ui });
  await g.session.prompt({ text: 'go' });
  expect(ui.shown).toEqual(['info: Looking…', 'info: All is well.']);
});

test('a no where there is nothing to refuse is shown to the person', async () => {
  const ui = capturedUi();
  const hook = sh('echo not today >&2; exit 2');
  const g = await openGround({ '.kern/hooks.json': oneHook('SessionStart', hook) }, [done], { ui });
  await g.session.prompt({ text: 'go' });
  expect(g.sent(0)).toBe('go');
  expect(ui.shown).toEqual(['info: the hook .kern/hooks.json#1 (SessionStart) says no: not today']);
});

test('what SessionStart writes into CLAUDE_ENV_FILE is there for commands of the session', async () => {
  const write = `echo 'export TOOLS="$HOME/tools" WORD="two words"' >> "$CLAUDE_ENV_FILE"; echo "$CLAUDE_ENV_FILE" > where`;
  const g = await openGround({ '.claude/settings.json': oneHook('SessionStart', sh(write)) }, [
    bash('echo "$WORD" > word; echo "$TOOLS" > tools'),
    done,
  ]);
  await g.session.prompt({ text: 'go' });
  expect(g.read('word')).toBe('two words\n');
  expect(g.read('tools')).toMatch(/.\/tools\n$/);
  expect(existsSync(g.read('where').trim())).toBe(false);
});
