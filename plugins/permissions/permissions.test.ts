import {
  type Effect,
  permissionAsk,
  permissionDecided,
  permissions,
  type ToolCallInput,
  type ToolVeto,
  toolCall,
  tools,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { type BootOptions, bootKernel, capturedUi, fakeClock, type TestKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import plugin from './index.ts';

const tokens = definePlugin({ id: 'tools', declares: [tools, toolCall], setup: () => undefined });

interface World extends BootOptions {
  readonly plugins?: readonly PluginDefinition[];
}

async function boot({
  plugins = [],
  ...options
}: World = {}): Promise<{ t: TestKernel; decided: string[] } & AsyncDisposable> {
  const decided: string[] = [];
  const witness = definePlugin({
    id: 'witness',
    setup: (ctx) =>
      ctx.tap(permissionDecided, ({ tool, verdict, reason }) => void decided.push(`${tool} ${verdict}: ${reason}`)),
  });
  const t = await bootKernel([tokens, plugin, witness, ...plugins], { home: '/nowhere/.kern', ...options });
  return { t, decided, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const ask = (
  t: TestKernel,
  effects: readonly Effect[],
  rest: Partial<ToolCallInput> = {},
): Promise<ToolVeto | undefined> =>
  t.view.call(toolCall, {
    tool: 'bash',
    callId: 'c1',
    args: {},
    effects,
    where: t.view.where,
    sessionId: 's',
    by: 'model',
    ...rest,
  });
const run: Effect = { kind: 'run', command: 'npm test', cwd: '/', shell: 'bash' };
const write = (t: TestKernel, path = 'a.ts'): Effect => ({ kind: 'write', path: `${t.dir}/${path}` });

test('a person who says yes lets a call be, one who says no or nothing refuses it', async () => {
  const ui = capturedUi([true, false, undefined]);
  await using w = await boot({ ui });
  expect(await ask(w.t, [run])).toBeUndefined();
  expect(await ask(w.t, [run])).toEqual({ block: 'the person said no to bash: it runs npm test' });
  expect(await ask(w.t, [run])).toEqual({ block: 'nobody answered whether bash may run: it runs npm test' });
  expect(ui.shown[0]).toBe('confirm: Allow bash?: runs npm test\n(mode ask)');
  expect(w.decided.map((line) => line.split(':')[0])).toEqual(['bash allow', 'bash deny', 'bash deny']);
});

test('where nobody can be asked the call is refused, and the refusal says what would allow it', async () => {
  await using w = await boot();
  const edit = await ask(w.t, [write(w.t)], { tool: 'write' });
  expect(edit?.block).toBe(
    'write needs permission (mode ask): it writes a.ts. Nobody can be asked here. What would allow it: --permission-mode edits or all (--yolo), or a rule in the config: permissions: { rules: [{ allow: "write(…)" }] }',
  );
  expect((await ask(w.t, [run]))?.block).toContain('--permission-mode all (--yolo)');
  expect((await ask(w.t, [write(w.t, '.kern/extensions/x.ts')], { tool: 'write' }))?.block).toContain(
    '.kern is protected',
  );
});

test('with all, a write into the extensions folder is allowed and nobody is asked', async () => {
  const ui = capturedUi([]);
  await using w = await boot({ ui, settings: { 'permissions.mode': 'all' } });
  expect(await ask(w.t, [write(w.t, '.kern/extensions/word-count.ts')], { tool: 'write' })).toBeUndefined();
  expect(ui.shown).toEqual([]);
  expect(w.decided).toEqual(['write allow: mode all']);
});

test('what a person calls by hand counts as asked, unless the mode was given for this run; a denial stays one', async () => {
  {
    await using w = await boot({ settings: { permissions: { rules: [{ deny: 'bash(rm *)' }] } } });
    expect(await ask(w.t, [run], { by: 'person' })).toBeUndefined();
    expect((await ask(w.t, [{ ...run, command: 'rm x' } as Effect], { by: 'person' }))?.block).toContain(
      'deny bash(rm *)',
    );
  }
  await using w = await boot({ settings: { 'permissions.mode': 'ask', 'permissions.modeIsExplicit': true } });
  expect((await ask(w.t, [run], { by: 'person' }))?.block).toContain('Nobody can be asked here');
});

test('plan mode refuses a person too, and says how to leave it', async () => {
  await using w = await boot({ settings: { permissions: { mode: 'plan' } } });
  expect((await ask(w.t, [run], { by: 'person' }))?.block).toBe(
    'bash is not allowed (mode plan): it runs npm test; leave plan mode with --permission-mode ask, edits or all',
  );
});

test('a plugin of the user may answer for the person, one of the project may only refuse', async () => {
  const answering = (verdict: 'allow' | 'deny'): PluginDefinition =>
    definePlugin({
      id: `says-${verdict}`,
      setup: (ctx) => ctx.tap(permissionAsk, () => ({ verdict, reason: `because ${verdict}` })),
    });
  await using w = await boot();
  await w.t.put(answering('allow'), { level: 'project' });
  expect((await ask(w.t, [run]))?.block).toContain('Nobody can be asked here');
  await w.t.put(answering('allow'), { level: 'user' });
  expect(await ask(w.t, [run])).toBeUndefined();
  await w.t.put(answering('deny'), { level: 'project' });
  expect((await ask(w.t, [run]))?.block).toBe('bash was refused: because deny');
});

test('nobody is asked about a call that another plugin refuses anyway', async () => {
  const ui = capturedUi([true]);
  const veto = definePlugin({ id: 'veto', setup: (ctx) => ctx.tap(toolCall, () => ({ block: 'not today' })) });
  await using w = await boot({ ui, plugins: [veto] });
  expect(await ask(w.t, [run])).toEqual({ block: 'not today' });
  expect(ui.shown).toEqual([]);
});

test('a person may take longer than the limit of a hook', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<boolean>();
  const ui = { ...capturedUi(), confirm: () => answer.promise };
  await using w = await boot({ ui, clock });
  const asked = ask(w.t, [run]);
  await clock.advance(600_000);
  answer.resolve(true);
  expect(await asked).toBeUndefined();
});

test('permissions that cannot be read refuse every call and name the fault', async () => {
  await using w = await boot({ settings: { permissions: { mode: 'yes' } } });
  expect((await ask(w.t, [{ kind: 'read', path: '/x' }]))?.block).toBe(
    'the permissions setting is not valid: mode "yes" is none of plan, ask, edits, all',
  );
});

test('a question that fails is a refusal', async () => {
  const ui = { ...capturedUi(), confirm: () => Promise.reject(new Error('the screen is gone')) };
  await using w = await boot({ ui });
  expect((await ask(w.t, [run]))?.block).toBe('permissions failed: the screen is gone');
});

test('the service tells the mode and judges without asking', async () => {
  const ui = capturedUi([]);
  await using w = await boot({
    ui,
    settings: { permissions: { mode: 'edits', rules: [{ allow: 'bash(npm test)' }] } },
  });
  const service = w.t.view.service(permissions);
  expect(service.mode).toBe('edits');
  expect(
    service.judge({ tool: 'bash', args: {}, effects: [{ ...run, cwd: w.t.dir } as Effect], cwd: w.t.dir }),
  ).toEqual({ verdict: 'allow', rule: 'allow bash(npm test)', reasons: ['runs npm test'] });
  expect(service.judge({ tool: 'bash', args: {}, effects: [run], cwd: w.t.dir }).verdict).toBe('ask');
  expect(ui.shown).toEqual([]);
});

test('without the keeper every call is denied', async () => {
  await using t = await bootKernel([tokens]);
  expect(
    (
      await t.view.call(toolCall, {
        tool: 'bash',
        callId: 'c',
        args: {},
        effects: [],
        where: t.view.where,
        sessionId: 's',
        by: 'model',
      })
    )?.block,
  ).toContain('permissions is not loaded');
});
