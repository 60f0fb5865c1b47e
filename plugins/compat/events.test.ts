import { expect, test } from 'vitest';
import { openHouse } from './test/house.ts';

test('a run tells its events under the names of pi, in order', async () => {
  await using h = await openHouse(
    {
      listener: `
        for (const name of ['session_start', 'session_shutdown', 'input', 'before_agent_start', 'agent_start', 'agent_end',
          'agent_settled', 'turn_start', 'turn_end', 'message_start', 'message_end', 'tool_execution_start',
          'tool_execution_end', 'tool_call', 'tool_result', 'context'])
          pi.on(name, (event) => say(name.startsWith('message') ? name + ' ' + event.message.role : name));
        pi.on('agent_end', ({ messages }) => say('roles ' + messages.map(({ role }) => role).join(' ')));`,
    },
    { turns: [{ calls: [{ name: 'ls', args: {} }] }, { text: 'done' }] },
  );
  const result = await h.session.prompt({ text: 'go' });
  expect(result).toMatchObject({ status: 'ok', text: 'done' });
  expect(h.said()).toEqual([
    'session_start',
    ...['input', 'before_agent_start', 'agent_start'],
    ...['turn_start', 'message_start user', 'message_end user', 'context'],
    ...['message_start assistant', 'message_end assistant'],
    ...['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'],
    ...['message_start toolResult', 'message_end toolResult', 'turn_end'],
    ...['turn_start', 'context', 'message_start assistant', 'message_end assistant', 'turn_end'],
    ...['agent_end', 'roles user assistant toolResult assistant', 'agent_settled'],
  ]);
  expect(h.complaints()).toEqual([]);
});

test('a call is blocked by an answer and by a handler that throws, and its arguments are changed', async () => {
  await using h = await openHouse(
    {
      gate: `
        pi.on('tool_call', async (event) => {
          const { command } = event.input;
          if (command === 'echo no') return { block: true, reason: 'not this one' };
          if (command === 'echo boom') throw new Error('cannot tell');
          if (command === 'echo more') event.input.command = 'echo changed';
          if (command === 'echo other') return { input: { ...event.input, command: 'echo by answer' } };
        });
        pi.on('tool_result', ({ toolName, content, isError }) => ({
          content: [{ type: 'text', text: toolName + ': ' + content[0].text.trim() }], isError }));`,
      later: `pi.on('tool_call', (event) => say(event.input.command));`,
    },
    {
      turns: [
        {
          calls: ['no', 'boom', 'more', 'other', 'plain'].map((word, at) => ({
            name: 'bash',
            id: `c${at}`,
            args: { command: `echo ${word}` },
          })),
        },
        { text: 'done' },
      ],
    },
  );
  await h.session.prompt({ text: 'go' });
  const results = h.session
    .messages()
    .flatMap((message) =>
      message.role === 'toolResult'
        ? [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
        : [],
    );
  expect(results.map((line) => line.split('\n')[0])).toEqual([
    'bash was not run: not this one',
    'bash was not run: the extension gate failed while it looked at the call: cannot tell',
    'bash: changed',
    'bash: by answer',
    'bash: plain',
  ]);
  // Who comes later sees what was made of the arguments, and nothing of what was refused before it.
  expect(h.said()).toEqual(expect.arrayContaining(['echo changed', 'echo by answer', 'echo plain']));
  expect(h.complaints()).toEqual(['ext.gate: the extension gate failed in tool_call: cannot tell']);
});

test('the person is asked in a handler of tool_call, and the clock stops meanwhile', async () => {
  await using h = await openHouse(
    {
      ask: `pi.on('tool_call', async ({ input }, ctx) => {
        const choice = await ctx.ui.select('Run ' + input.command + '?', ['Yes', 'No']);
        return choice === 'Yes' ? undefined : { block: true, reason: 'the person said no' };
      });`,
    },
    {
      answers: ['Yes', 'No'],
      turns: [
        { calls: [{ name: 'bash', args: { command: 'echo one' } }] },
        { calls: [{ name: 'bash', args: { command: 'echo two' } }] },
        { text: 'done', expect: { toolResult: [{ tool: 'bash', contains: 'the person said no', isError: true }] } },
      ],
    },
  );
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
  expect(h.ui?.shown.filter((line) => line.startsWith('select'))).toEqual([
    'select: Run echo one? [Yes | No]',
    'select: Run echo two? [Yes | No]',
  ]);
});

test('inputs are changed in a chain, handled, and seen with their images', async () => {
  await using h = await openHouse(
    {
      first: `pi.on('input', ({ text, images, source }) => {
        say(text, images.length, source);
        if (text === 'ping') { say('pong'); return { action: 'handled' }; }
        return text.startsWith('?') ? { action: 'transform', text: 'briefly: ' + text.slice(1) } : { action: 'continue' };
      });`,
      second: `pi.on('input', ({ text }) => text.startsWith('briefly') ? { action: 'transform', text: text + '!' } : undefined);`,
    },
    { turns: [{ expect: { last: 'briefly: what!' }, text: 'ok' }, { text: 'ok' }] },
  );
  expect(await h.session.prompt({ text: '?what' })).toMatchObject({ status: 'ok' });
  expect(await h.session.prompt({ text: 'ping' })).toMatchObject({ status: 'ok', turns: 0 });
  const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
  expect(await h.session.prompt({ text: 'look', images: [image] })).toMatchObject({ status: 'ok' });
  expect(h.said()).toEqual([
    ['?what', 0, 'interactive'],
    ['ping', 0, 'interactive'],
    'pong',
    ['look', 1, 'interactive'],
  ]);
});

test('a run gets another system prompt and a message before it, each extension building on the one before', async () => {
  await using h = await openHouse(
    {
      a: `pi.on('before_agent_start', ({ systemPrompt, prompt }) => prompt === 'ahoy'
        ? { systemPrompt: systemPrompt + '\\nSpeak like a pirate.', message: { customType: 'note', content: 'the tide is high', display: false } }
        : undefined);`,
      b: `pi.on('before_agent_start', ({ systemPrompt, systemPromptOptions }) => {
        if (!systemPrompt.includes('pirate')) return;
        systemPromptOptions.sections.mood = 'cheerful';
      });`,
      payload: `pi.on('before_provider_request', ({ payload }) => {
        const text = payload.systemPrompt;
        say(text.includes('Speak like a pirate.'), text.includes('<mood>\\ncheerful'));
      });`,
    },
    { turns: [{ text: 'arr' }, { text: 'fine' }] },
  );
  await h.session.prompt({ text: 'ahoy' });
  expect(h.session.messages()[0]).toMatchObject({ role: 'custom', customType: 'note' });
  await h.session.prompt({ text: 'hello' });
  expect(h.said()).toEqual([
    [true, true],
    [false, false],
  ]);
});

test('the context of a request is changed, and the message that is kept', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.on('context', ({ messages }) => ({ messages: messages.filter((m) => m.role !== 'user' || m.content[0].text !== 'forget this') }));
        pi.on('message_end', ({ message }) => message.role === 'assistant'
          ? { message: { ...message, content: [{ type: 'text', text: 'censored' }] } } : undefined);
        pi.on('message_update', ({ message, assistantMessageEvent }) => {
          if (assistantMessageEvent.type === 'text_end') say(message.content[0].text);
        });`,
    },
    { turns: [{ text: 'secret' }, { expect: { last: 'and now' }, text: ['se', 'cret'] }] },
  );
  await h.session.prompt({ text: 'forget this' });
  await h.session.prompt({ text: 'and now' });
  const texts = h.session
    .messages()
    .map(({ content }) => content.map((part) => ('text' in part ? part.text : '')).join(''));
  expect(texts).toEqual(['forget this', 'censored', 'and now', 'censored']);
  expect(h.said()).toEqual(['secret', 'secret']);
});

test('an event that never comes is said when it is waited for, and one that fails is reported', async () => {
  await using h = await openHouse(
    {
      a: `
        pi.on('project_trust', () => ({ trusted: 'yes' }));
        pi.on('no_such_event', () => {});
        pi.on('turn_start', () => { throw new Error('oops'); });
        pi.on('turn_start', () => say('still told'));
        const off = pi.on('turn_end', () => say('never'));
        off();`,
    },
    { turns: [{ text: 'ok' }] },
  );
  expect(await h.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok' });
  const path = h.kern.kernel.snapshot().activations.find(({ id }) => id === 'ext.a')?.unit.source;
  expect(h.complaints()).toEqual([
    `ext.a: the extension a: it waits for project_trust, which never comes: who trusts a project is a person, or the flag \`--trust\`: no extension decides it (${path})`,
    `ext.a: the extension a: it waits for "no_such_event", and there is no such event (${path})`,
    'ext.a: the extension a failed in turn_start: oops',
  ]);
  expect(h.said()).toEqual(['still told']);
});
