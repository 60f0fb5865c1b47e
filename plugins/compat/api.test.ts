import { flags, keybindings, renderers, tools } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openHouse } from './test/house.ts';

const echo = `{ name: 'echo', label: 'Echo', description: 'Says it again.', promptSnippet: 'say something again',
  promptGuidelines: ['Use echo for echoes.'],
  parameters: Type.Object({ text: Type.String(), times: Type.Optional(Type.Number()) }),
  async execute(id, { text, times = 1 }, signal, onUpdate, ctx) {
    onUpdate({ content: [{ type: 'text', text: '…' }], details: { half: true } });
    return { content: [{ type: 'text', text: text.repeat(times) }], details: { cwd: ctx.cwd, mode: ctx.mode, hasUI: ctx.hasUI } };
  } }`;

test('a tool is called with its arguments and the context, and stands in the prompt', async () => {
  await using h = await openHouse(
    {
      echo: `import { Type } from 'typebox';\nexport default (pi) => pi.registerTool(${echo});`,
      late: `import { Type } from '@sinclair/typebox';
        import { defineTool } from '@mariozechner/pi-coding-agent';
        import { StringEnum } from '@oh-my-pi/pi-ai';
        export default (pi) => pi.on('session_start', () => {
          const tool = (answer) => defineTool({ name: 'pick', label: 'Pick', description: 'Picks.',
            parameters: Type.Object({ which: StringEnum(['a', 'b'], { description: 'One' }) }),
            execute: async () => ({ content: [{ type: 'text', text: answer }], details: {} }) });
          pi.registerTool(tool('first'));
          pi.registerTool(tool('second'));
        });`,
    },
    {
      turns: [
        {
          expect: { tools: ['echo', 'pick', 'read'], system: 'Use echo for echoes.' },
          calls: [
            { name: 'echo', args: { text: 'ab', times: '2' } },
            { name: 'pick', args: { which: 'a' } },
            { name: 'pick', args: { which: 'c' } },
          ],
        },
        { text: 'done' },
      ],
    },
  );
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
  const results = h.session.messages().flatMap((message) => (message.role === 'toolResult' ? [message] : []));
  expect(results[0]).toMatchObject({
    content: [{ text: 'abab' }],
    details: { cwd: h.project, mode: 'print', hasUI: false },
    isError: false,
  });
  expect(results[1]).toMatchObject({ content: [{ text: 'second' }] });
  expect(results[2]?.isError).toBe(true);
  expect(h.session.view.use(tools).get('echo')?.item.inputSchema).toEqual({
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' }, times: { type: 'number' } },
  });
  expect(h.events.some((event) => event.type === 'tool_execution_update')).toBe(true);
});

test('a tool takes the place of one of kern, and may call that one', async () => {
  await using h = await openHouse(
    {
      audited: `import { createReadTool } from '@earendil-works/pi-coding-agent';
        export default (pi) => {
          const own = createReadTool(process.cwd());
          pi.registerTool({ ...own, execute: async (id, params, signal, onUpdate, ctx) => {
            say('read ' + params.path);
            return createReadTool(ctx.cwd).execute(id, params, signal, onUpdate);
          } });
        };`,
      shell: `import { createBashTool } from '@earendil-works/pi-coding-agent';
        export default (pi) => pi.registerTool({ ...createBashTool(process.cwd()),
          execute: (id, params, signal, onUpdate, ctx) => createBashTool(ctx.cwd, {
            spawnHook: ({ command, cwd, env }) => ({ command: 'echo "$WORD"; ' + command, cwd, env: { ...env, WORD: 'hooked' } }),
          }).execute(id, params, signal, onUpdate) });`,
    },
    {
      files: { 'a.txt': 'one\ntwo\n' },
      turns: [
        {
          calls: [
            { name: 'read', args: { path: 'a.txt', limit: 1 } },
            { name: 'bash', args: { command: 'echo plain' } },
          ],
        },
        { text: 'done' },
      ],
    },
  );
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
  expect(h.said()).toEqual(['read a.txt']);
  const texts = h.session.messages().flatMap((message) => (message.role === 'toolResult' ? message.content : []));
  expect(texts[0]).toMatchObject({ text: expect.stringContaining('one') });
  expect(texts[1]).toMatchObject({ text: expect.stringContaining('hooked\nplain') });
});

test('commands run with a context that reads the session and leads to others', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.registerCommand('look', { description: 'Looks', handler: async (args, ctx) => {
          const sm = ctx.sessionManager;
          say(args, ctx.isIdle(), ctx.model.provider, sm.getEntries().filter((e) => e.type === 'message').map((e) => e.message.role),
            sm.getBranch().at(-1).id === sm.getLeafId(), typeof sm.getLeafEntry().type, typeof ctx.getContextUsage().tokens, ctx.getSystemPrompt().length > 0);
        } });
        pi.registerCommand('again', { handler: async (args, ctx) => {
          const id = ctx.sessionManager.getSessionId();
          const { cancelled } = await ctx.newSession({ withSession: async (next) => {
            say('new', next.sessionManager.getSessionId() !== id);
            await next.sendUserMessage('from the other side');
          } });
          say('cancelled', cancelled);
          try { ctx.sessionManager.getEntries(); } catch (error) { say(error.code); }
        } });
        pi.on('session_before_switch', ({ reason }) => say('before ' + reason));
        pi.on('session_start', ({ reason }) => say('start ' + reason));
        pi.on('session_shutdown', ({ reason }) => say('shutdown ' + reason));`,
      no: `pi.registerCommand('veto', { handler: () => { pi.on('session_before_switch', () => ({ cancel: true })); } });`,
    },
    { turns: [{ text: 'one' }, { text: 'two' }] },
  );
  await h.session.prompt({ text: 'go' });
  await h.command('look', 'here');
  await h.command('again');
  await h.session.waitForIdle();
  await h.command('veto');
  expect(await h.session.newSession()).toEqual({ done: false, reason: 'the extension no cancels it' });
  expect(h.said()).toEqual([
    'start startup',
    ['here', true, 'script', ['system', 'user', 'assistant'], true, 'string', 'number', true],
    'before new',
    'shutdown new',
    'start new',
    ['new', true],
    ['cancelled', false],
    'stale_session',
    'before new',
  ]);
  expect(h.session.messages().map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('what an extension says in a conversation is heard when it says so', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.registerCommand('quiet', { handler: () => pi.sendMessage({ customType: 'note', content: 'by the way', display: false, details: 7 }) });
        pi.registerCommand('loud', { handler: () => pi.sendMessage({ customType: 'alarm', content: 'fire' }, { triggerTurn: true }) });
        pi.registerCommand('user', { handler: () => pi.sendUserMessage([{ type: 'text', text: 'as a person' }]) });
        pi.registerCommand('slash', { handler: () => pi.sendUserMessage('/inner one two', { expandPromptTemplates: true }) });
        pi.registerCommand('inner', { handler: (args) => say('inner ' + args) });
        pi.on('turn_start', ({ turnIndex }) => {
          if (turnIndex > 0) return;
          try { pi.sendUserMessage('when?'); } catch (error) { say(error.code); }
        });
        pi.on('agent_settled', (event, ctx) => say('settled ' + ctx.isIdle()));`,
    },
    { turns: [{ text: 'ok' }] },
  );
  await h.command('quiet');
  expect(h.session.messages()).toEqual([]);
  await h.session.prompt({ text: 'go' });
  expect(h.session.messages()[0]).toMatchObject({ role: 'custom', customType: 'note', display: false, details: 7 });
  await h.command('loud');
  await h.session.waitForIdle();
  expect(h.session.messages().slice(3)).toMatchObject([{ role: 'custom', customType: 'alarm' }, { role: 'assistant' }]);
  await h.command('user');
  await h.session.waitForIdle();
  expect(h.session.messages().at(-2)).toMatchObject({ role: 'user', content: [{ text: 'as a person' }] });
  await h.command('slash');
  await expect.poll(() => h.said().at(-1)).toBe('inner one two');
  expect(h.said().filter((line) => line === 'run_in_progress' || line === 'settled true')).toHaveLength(6);
});

test('names, labels, entries, levels, tools and commands are read and set', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.registerCommand('all', { description: 'All of it', handler: async (args, ctx) => {
          pi.setSessionName('weather');
          const id = pi.appendEntry('state', { degrees: 20 });
          pi.setLabel(id, 'here');
          const { sessionManager } = ctx;
          say(pi.getSessionName(), sessionManager.getLabel(id), sessionManager.getEntries().find((e) => e.customType === 'state').data);
          say(pi.getThinkingLevel(), await pi.setModel({ provider: 'nobody', id: 'x' }).catch((e) => e.code));
          say(pi.getActiveTools().includes('grep'), pi.getAllTools().find(({ name }) => name === 'read').sourceInfo.source);
          pi.setActiveTools(['read', 'grep', 'no_such_tool']);
          say(pi.getActiveTools());
          say(pi.getCommands().map(({ name, source, description }) => [name, source, description]));
          const ran = await pi.exec('node', ['-e', 'console.log(process.cwd()); process.exit(3)']);
          say(ran.stdout.trim() === ctx.cwd, ran.code, ran.killed);
          say((await pi.exec('node', ['-e', 'setTimeout(() => {}, 60000)'], { timeout: 100 })).killed);
        } });
        pi.on('session_info_changed', ({ name }) => say('renamed ' + name));`,
    },
    { turns: [{ expect: { tools: ['read', 'grep'], noTools: ['bash', 'ls'] }, text: 'ok' }] },
  );
  await h.command('all');
  expect(h.said()).toEqual([
    'renamed weather',
    ['weather', 'here', { degrees: 20 }],
    ['off', false],
    [false, 'builtin'],
    ['grep', 'read'],
    [['all', 'extension', 'All of it']],
    [true, 3, false],
    true,
  ]);
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
});

test('acting while it loads is an error that says when, and a factory that fails takes nobody with it', async () => {
  await using h = await openHouse({
    early: `pi.sendMessage({ customType: 'x', content: 'too early' });`,
    bad: `pi.registerTool({ name: 'x y', description: 'No name.', parameters: {}, execute: async () => 'ok' });`,
    none: `pi.registerCommand('x', {});`,
    throws: `say('ran'); throw new Error('no key');`,
    fine: `say('fine');`,
  });
  expect(h.said()).toEqual(['ran', 'fine']);
  expect([...h.complaints()].sort()).toEqual([
    expect.stringMatching(/^ext\.bad: .*name: 1 to 64 letters/),
    'ext.early: plugin ext.early failed in start: the extension early used pi.sendMessage while it was being loaded',
    'ext.none: plugin ext.none failed in start: the extension none: the command x has no handler',
    'ext.throws: plugin ext.throws failed in start: no key',
  ]);
  const failed = [...h.kern.kernel.failures.values()].map(({ unit, code }) => [unit.source.split('/').at(-1), code]);
  expect(failed).toHaveLength(4);
});

test('flags, shortcuts and renderers are items for whoever reads them', async () => {
  await using h = await openHouse({
    a: `
      import { Box, Text } from '@earendil-works/pi-tui';
      export default (pi) => {
        pi.registerFlag('plan', { type: 'boolean', default: false, description: 'Start in plan mode' });
        pi.registerFlag('level', { type: 'string', default: 'low' });
        say(pi.getFlag('plan'), pi.getFlag('level'), pi.getFlag('other'));
        pi.registerCommand('flags', { handler: () => say(pi.getFlag('plan'), pi.getFlag('level')) });
        pi.registerShortcut('ctrl+shift+p', { description: 'Toggle', handler: (ctx) => say('key ' + ctx.cwd.length) });
        pi.registerMessageRenderer('card', (message, { expanded }, theme) => {
          const box = new Box(1, 0, (t) => theme.bg('x', t));
          box.addChild(new Text(theme.bold(message.content) + (expanded ? ' and more' : ''), 0, 0));
          return box;
        });
      };`,
  });
  const { view } = h.kern;
  await Promise.all([flags, keybindings, renderers].map((token) => view.use<unknown>(token as never).load()));
  const plan = view.use(flags).get('plan');
  expect(plan?.item).toMatchObject({ name: 'plan', kind: 'boolean', summary: 'Start in plan mode' });
  if (plan !== undefined) await view.run(plan, (flag) => flag.apply?.(true, undefined as never));
  await h.command('flags');
  expect(h.said()).toEqual([
    [false, 'low', null],
    [true, 'low'],
  ]);
  const key = view.use(keybindings).get('ext.a/ctrl+shift+p');
  expect(key?.item).toMatchObject({ keys: ['ctrl+shift+p'], summary: 'Toggle' });
  if (key !== undefined) await view.run(key, (binding) => binding.run());
  expect(h.said().at(-1)).toBe(`key ${h.project.length}`);
  const card = view.use(renderers).get('message:card')?.item;
  expect(card?.render({ content: 'hi' }, { width: 14, expanded: true })).toEqual([' hi and more  ']);
});

test('extensions talk over the bus, and dialogs answer as the person does', async () => {
  await using h = await openHouse(
    {
      a: `pi.events.on('a:question', (data) => pi.events.emit('b:answer', data + 1));`,
      b: `
        const off = pi.events.on('b:answer', (data) => say('answer ' + data));
        pi.registerCommand('ask', { handler: async (args, { ui, hasUI, mode }) => {
          pi.events.emit('a:question', 1); off(); pi.events.emit('a:question', 2);
          say(hasUI, mode, await ui.select('Which?', ['x', 'y']), await ui.confirm('Sure?', 'Really'), await ui.input('Name?'), await ui.editor('Text?', 'pre'));
          say(await ui.custom(() => {}), ui.theme.fg('accent', 'plain'), ui.getEditorText());
          ui.setStatus('a', 'busy'); ui.setWidget('a', ['line']); ui.setTitle('t');
          ui.notify('told', 'warning');
          say(await ui.input('late', '', { timeout: 5, signal: AbortSignal.abort() }) ?? 'nobody');
        } });`,
    },
    { answers: ['y', true, 'Ada', 'long text'] },
  );
  await h.command('ask');
  expect(h.said()).toEqual(['answer 2', [true, 'rpc', 'y', true, 'Ada', 'long text'], [null, 'plain', ''], 'nobody']);
  expect(h.ui?.shown).toContain('warning: told');
  expect(h.complaints()).toEqual([expect.stringContaining('it draws a component of its own, which is not shown here')]);
});

test('a tool calls others, each asked about by itself, and timers end with the extension', async () => {
  await using h = await openHouse(
    {
      outer: `
        pi.registerTool({ name: 'outer', label: 'x', description: 'Calls others.', parameters: { type: 'object', properties: {} },
          async execute(id, params, signal, onUpdate, ctx) {
            const found = await ctx.executeTool('ls', {});
            const refused = await ctx.executeTool('bash', { command: 'echo no' });
            const timer = ctx.setInterval(() => {}, 1000);
            ctx.clearTimer(timer);
            await new Promise((resolve) => ctx.setTimeout(resolve, 1));
            say(ctx.tools.includes('outer'), found.content[0].text.includes('a.txt'), refused.isError, refused.content[0].text);
            return { content: [{ type: 'text', text: 'ok' }], details: {} };
          } });
        pi.on('tool_call', ({ toolName, toolCallId }) => { say(toolName, toolCallId); return toolName === 'bash' ? { block: true, reason: 'no shell' } : undefined; });`,
    },
    {
      files: { 'a.txt': '' },
      turns: [{ calls: [{ name: 'outer', args: {}, id: 'c1' }] }, { text: 'done' }],
    },
  );
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
  expect(h.said()).toEqual([
    ['outer', 'c1'],
    ['ls', 'c1/1'],
    ['bash', 'c1/2'],
    [true, true, true, 'bash was not run: no shell'],
  ]);
});
