import { rmSync } from 'node:fs';
import { type ScriptTurn, type StreamEvent, scriptFile } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { scriptProvider } from './provider.ts';

async function* play(turn: ScriptTurn): AsyncGenerator<StreamEvent> {
  const script = scriptFile([turn]);
  onTestFinished(() => rmSync(script.path, { force: true }));
  const provider = scriptProvider({ cwd: () => '/', positions: new Map() });
  const model = await provider.model(script.path);
  if (model === undefined) throw new Error('no model');
  yield* provider.stream(aRequest({ model }), new AbortController().signal);
}

test('content is played in its order, and ends as its calls say', async () => {
  const message = await messageOfReply(
    play({
      content: [
        { text: 'one' },
        { call: { name: 'read', args: { path: 'a' }, id: 'c1' } },
        { reasoning: ['h', 'm'] },
        { text: ['t', 'wo'] },
        { call: { name: 'ls' } },
      ],
    }),
  );
  expect(message.content).toEqual([
    { type: 'text', text: 'one' },
    { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'two' },
    { type: 'toolCall', id: 'call_1_2', name: 'ls', arguments: {} },
  ]);
  expect(message.stopReason).toBe('toolUse');
});

test.each<[string, object, RegExp]>([
  ['both forms', { text: 'a', content: [{ text: 'b' }] }, /content: stands in the place of reasoning, text and calls/],
  ['a block of no kind', { content: [{ txt: 'b' }] }, /content\[0\]: expected \{reasoning\}, \{text\} or \{call\}/],
  [
    'content and a status',
    { content: [{ text: 'b' }], error: { status: 500 } },
    /leave out text, reasoning, calls and content/,
  ],
  ['a code that is none', { error: { status: 500, code: 'model_tired' } }, /error\.code: expected model_unauthorized,/],
])('%s are a mistake in the file', async (_, turn, said) => {
  const { error } = await failureOfReply(play(turn as ScriptTurn));
  expect(error).toMatchObject({ code: 'script_invalid', message: expect.stringMatching(said) });
});

test('a code stands above what the status says', async () => {
  const { error } = await failureOfReply(
    play({ error: { status: 502, body: 'not a stream', retryAfter: 2, code: 'model_bad_response' } }),
  );
  expect(error).toMatchObject({ code: 'model_bad_response', status: 502, retryAfterMs: 2_000 });
});
