import {
  type AgentEvent,
  agentBeforeStart,
  agentEnd,
  agentStart,
  context,
  input,
  inputText,
  messageEnd,
  messageStart,
  messageUpdate,
  sessionShutdown,
  sessionStart,
  systemPrompt,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  turnEnd,
  turnStart,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

const typesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'entry_appended' && type !== 'message_update');

test('a run tells its events in order, from the start to the settled end', async () => {
  await using s = await openSession([calls(['c1', 'a'], ['c2', 'a']), says('done')], {
    plugins: [toolPlugin('a', 'fine')],
  });
  const result = await s.session.prompt({ text: 'go' });
  expect(result).toMatchObject({ status: 'ok', text: 'done', turns: 2, error: undefined });
  expect(typesOf(s.events)).toEqual([
    ...['agent_start', 'turn_start', 'message_start', 'message_end', 'message_start', 'message_end'],
    ...['tool_execution_start', 'tool_execution_start', 'tool_execution_end', 'tool_execution_end'],
    ...['message_start', 'message_end', 'message_start', 'message_end', 'turn_end'],
    ...['turn_start', 'message_start', 'message_end', 'turn_end', 'agent_end', 'agent_settled'],
  ]);
  expect(s.events.at(-1)).toEqual({ type: 'agent_settled', aborted: false });
  expect(result.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'toolResult',
    'toolResult',
    'assistant',
  ]);
});

test('every hook is called once, in order', async () => {
  const log: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => {
      ctx.tap(sessionStart, ({ reason }) => void log.push(`session.start ${reason}`));
      ctx.tap(input, ({ text }) => void log.push(`input ${text}`));
      ctx.tap(inputText, ({ text }) => void log.push(`input.text ${text}`));
      ctx.tap(systemPrompt, () => void log.push('system-prompt'));
      ctx.tap(agentBeforeStart, () => void log.push('agent.before-start'));
      ctx.tap(agentStart, () => void log.push('agent.start'));
      ctx.tap(turnStart, ({ turnIndex }) => void log.push(`turn.start ${turnIndex}`));
      ctx.tap(context, ({ messages }) => void log.push(`context ${messages.length}`));
      ctx.tap(messageStart, ({ message }) => void log.push(`message.start ${message.role}`));
      ctx.tap(messageUpdate, ({ event }) => void log.push(`message.update ${event.type}`));
      ctx.tap(messageEnd, ({ message }) => void log.push(`message.end ${message.role}`));
      ctx.tap(turnEnd, ({ turnIndex }) => void log.push(`turn.end ${turnIndex}`));
      ctx.tap(agentEnd, ({ status }) => void log.push(`agent.end ${status}`));
      ctx.tap(sessionShutdown, ({ reason }) => void log.push(`session.shutdown ${reason}`));
    },
  });
  {
    await using s = await openSession([says('hi')], { plugins: [listener] });
    await s.session.prompt({ text: 'hello' });
  }
  expect(log).toEqual([
    ...[
      'session.start startup',
      'input hello',
      'input.text hello',
      'system-prompt',
      'agent.before-start',
      'agent.start',
      'turn.start 0',
    ],
    ...['message.start user', 'message.end user', 'context 1', 'message.start assistant'],
    ...[
      'message.update text_start',
      'message.update text_delta',
      'message.update text_end',
      'message.end assistant',
      'turn.end 0',
      'agent.end ok',
      'session.shutdown quit',
    ],
  ]);
});

test('the hooks of a tool call are called once, with the call itself', async () => {
  const log: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => {
      ctx.tap(toolStart, ({ toolCallId }) => void log.push(`tool.start ${toolCallId}`));
      ctx.tap(toolInput, ({ callId }) => void log.push(`tool.input ${callId}`));
      ctx.tap(toolCall, ({ callId, by, sessionId }) => void log.push(`tool.call ${callId} ${by} ${sessionId}`));
      ctx.tap(toolResult, ({ callId }) => void log.push(`tool.result ${callId}`));
      ctx.tap(toolEnd, ({ toolCallId, isError }) => void log.push(`tool.end ${toolCallId} ${isError}`));
    },
  });
  await using s = await openSession([calls(['c1', 'a'], ['c2', 'gone']), says('')], {
    plugins: [listener, toolPlugin('a', 'ok')],
  });
  await s.session.prompt({ text: 'go' });
  expect(log).toEqual([
    'tool.start c1',
    'tool.input c1',
    'tool.call c1 model s1',
    'tool.start c2',
    'tool.end c2 true',
    'tool.result c1',
    'tool.end c1 false',
  ]);
});

test('a plugin may take an input, change it, and add messages before it', async () => {
  const taker = definePlugin({
    id: 'taker',
    setup: (ctx) => {
      ctx.tap(input, ({ text }) => (text === '/ping' ? { handled: true, say: 'pong' } : undefined));
      ctx.tap(inputText, (value) => ({ ...value, text: value.text.toUpperCase() }));
      ctx.tap(agentBeforeStart, ({ prompt, messages }) => ({
        prompt,
        messages: [
          ...messages,
          {
            role: 'custom',
            customType: 'note',
            content: [{ type: 'text', text: `${prompt.length > 0}` }],
            display: false,
            timestamp: 0,
          },
        ],
      }));
    },
  });
  await using s = await openSession([says('hi')], { plugins: [taker] });
  expect(await s.session.prompt({ text: '/ping' })).toMatchObject({
    status: 'ok',
    text: 'pong',
    turns: 0,
    messages: [],
  });
  expect(typesOf(s.events)).toEqual([]);
  await s.session.prompt({ text: 'hello' });
  expect(textsOf(s.requests[0]?.messages ?? [])).toEqual(['true', 'HELLO']);
});

test('a plugin that changes a message before it is kept changes what is told, kept and asked', async () => {
  const redact = definePlugin({
    id: 'redact',
    setup: (ctx) =>
      ctx.tap(messageEnd, ({ message }) =>
        message.role === 'user'
          ? { message: { ...message, content: [{ type: 'text' as const, text: '***' }] } }
          : { message: { ...message, role: 'user' } as never },
      ),
  });
  await using s = await openSession([says('kept as it was')], { plugins: [redact] });
  await s.session.prompt({ text: 'secret' });
  expect(textsOf(s.requests[0]?.messages ?? [])).toEqual(['***']);
  expect(textsOf(s.session.messages())).toEqual(['***', 'kept as it was']);
});

test('the context of a request is what the plugins leave of it, made valid, and nothing of it is kept', async () => {
  const forget = definePlugin({
    id: 'forget',
    setup: (ctx) =>
      ctx.tap(context, ({ messages }) => ({ messages: messages.filter(({ role }) => role !== 'toolResult') })),
  });
  await using s = await openSession([calls(['c1', 'a']), says('')], { plugins: [toolPlugin('a', 'gone'), forget] });
  await s.session.prompt({ text: 'go' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual([
    'go',
    'toolCall',
    'The result of this call is not available.',
  ]);
  expect(textsOf(s.session.messages())).toContain('gone');
});
