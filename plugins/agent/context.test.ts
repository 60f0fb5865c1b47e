import fc from 'fast-check';
import type { AssistantMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { forModel, valid } from './context.ts';
import { assistant, call, calls, Interrupts, ok, run, text, user } from './test/world.ts';

const result = (id: string, words = 'r'): Message => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: 'a',
  content: [{ type: 'text', text: words }],
  isError: false,
  timestamp: 0,
});
const custom = (words: string): Message => ({
  role: 'custom',
  customType: 'x',
  content: [{ type: 'text', text: words }],
  display: false,
  timestamp: 0,
});

/** What every wire asks of a list of messages. */
function expectValid(messages: readonly Message[]): void {
  expect(messages.length).toBeGreaterThan(0);
  expect(['user', 'custom']).toContain(messages[0]?.role);
  expect(messages.at(-1)?.role).not.toBe('assistant');
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'assistant') continue;
    const spoken = message.content.filter((part) => part.type !== 'thinking');
    expect(spoken.some((part) => part.type === 'toolCall' || part.text.trim() !== '')).toBe(true);
    const asked = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
    expect(new Set(asked).size).toBe(asked.length);
    const answers = messages.slice(at + 1, at + 1 + asked.length);
    expect(answers.map((answer) => answer.role === 'toolResult' && answer.toolCallId)).toEqual(asked);
    expect(messages[at + 1 + asked.length]?.role).not.toBe('toolResult');
  }
}

test('a call without its result gets one that says so, and a result without its call goes', () => {
  const reply = assistant([call('c1', 'a'), call('c2', 'a')]);
  const out = valid([user('go'), result('c0'), reply, result('c2', 'two'), user('on'), result('c9')], []);
  expectValid(out);
  expect(out).toEqual([
    user('go'),
    reply,
    expect.objectContaining({ toolCallId: 'c1', isError: true }),
    result('c2', 'two'),
    user('on'),
  ]);
});

test('results that something was put between, or that are out of order, go back to their calls', () => {
  const reply = assistant([call('c1', 'a'), call('c2', 'a')]);
  expect(
    valid([user('go'), reply, custom('note'), result('c2', '2'), result('c1', '1'), result('c1', 'again')], []),
  ).toEqual([user('go'), reply, result('c1', '1'), result('c2', '2'), custom('note')]);
});

test('a plugin that leaves nothing leaves what was asked last', () => {
  const history = [user('first'), assistant([{ type: 'text', text: 'x' }]), user('second')];
  expect(valid([], history)).toEqual([user('second')]);
  expect(valid(undefined as never, history)).toEqual(history);
  expect(valid([null, 7, { role: 'x' }] as never, [])).toMatchObject([{ role: 'user' }]);
});

test('a context that begins or ends with the model gets a word before or after', () => {
  const reply = assistant([{ type: 'text', text: 'x' }]);
  expect(valid([reply], []).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(valid([assistant([call('c1', 'a')]), result('c1')], []).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'toolResult',
  ]);
});

test('thinking that was cut is not read again; what was signed is, and thinking alone says nothing', () => {
  const cut = { type: 'thinking' as const, thinking: 'half' };
  const signed = { type: 'thinking' as const, thinking: 'whole', thinkingSignature: 's' };
  const words = { type: 'text' as const, text: 'I will' };
  const aborted = assistant([signed, cut, words], { stopReason: 'aborted' });
  expect((forModel(aborted) as AssistantMessage).content).toEqual([signed, words]);
  const whole = assistant([cut, words]);
  expect(forModel(whole)).toBe(whole);
  for (const content of [[], [signed], [{ type: 'text' as const, text: ' ' }]])
    expect(forModel(assistant(content))).toBeUndefined();
});

// --- Any history ------------------------------------------------------------------------------------------------------

const callId = fc.constantFrom('c1', 'c2', 'c3');
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom('go', '', ' ').map(user),
  fc.constantFrom('note', '').map(custom),
  callId.map((id) => result(id)),
  fc
    .tuple(
      fc.array(
        fc.oneof(
          callId.map((id) => call(id, 'a')),
          fc.constantFrom('word', '', '\n').map((words) => ({ type: 'text' as const, text: words })),
          fc.constant({ type: 'thinking' as const, thinking: 'hm' }),
        ),
        { maxLength: 4 },
      ),
      fc.constantFrom<AssistantMessage['stopReason']>('stop', 'toolUse', 'length', 'aborted', 'error', 'refusal'),
    )
    .map(([content, stopReason]) => assistant(content, { stopReason })),
);

test('whatever a plugin makes of the messages, a request is valid', () => {
  fc.assert(
    fc.property(
      fc.array(anyMessage, { maxLength: 14 }),
      fc.array(anyMessage, { maxLength: 4 }),
      (messages, original) => {
        const out = valid(messages, original);
        expectValid(out);
        expect(valid(out, original)).toEqual(out);
      },
    ),
    { numRuns: process.env.KERN_SOAK === '1' ? 20_000 : 500 },
  );
});

/** What one reply of a random run does. */
type Act = {
  readonly calls: number;
  readonly end: 'done' | 'cut' | 'break' | 'refuse' | 'interrupt' | 'abort';
  readonly speaks: boolean;
};
const act: fc.Arbitrary<Act> = fc.record({
  calls: fc.nat({ max: 3 }),
  end: fc.constantFrom('done', 'done', 'cut', 'break', 'refuse', 'interrupt', 'abort'),
  speaks: fc.boolean(),
});
/** What the tools do: the first letter decides. */
const manner = fc.constantFrom('quick', 'throws', 'interrupts', 'aborts');

test('whatever replies and tools do, and whoever stops them, what is kept is valid', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 1, maxLength: 6 }),
      fc.array(manner, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (acts, manners, isSequential) => {
        const controller = new AbortController();
        const interrupts = new Interrupts();
        let made = 0;
        let used = 0;
        const { kept, open } = await run({
          controller,
          interrupts,
          graceMs: 0,
          sequential: isSequential ? ['a'] : [],
          tools: {
            a: async () => {
              const how = manners[used++ % manners.length];
              if (how === 'throws') throw new Error('no');
              if (how === 'interrupts' && used < 8) interrupts.add('wait');
              if (how === 'aborts') controller.abort();
              return ok('r');
            },
          },
          replies: [
            ...acts.map(
              (does) =>
                async function* () {
                  const content: AssistantMessage['content'][number][] = does.speaks
                    ? [{ type: 'text', text: 'word' }]
                    : [];
                  if (does.speaks) yield* text('word');
                  for (let nth = 0; nth < does.calls; nth += 1) {
                    const asked = call(`c${++made}`, 'a');
                    yield { type: 'toolcall_end' as const, contentIndex: content.length, toolCall: asked };
                    content.push(asked);
                  }
                  if (does.end === 'break') throw Object.assign(new Error('cut'), { code: 'model_disconnected' });
                  if (does.end === 'interrupt' || does.end === 'abort') {
                    if (does.end === 'abort') controller.abort();
                    else interrupts.add('no');
                    await new Promise(() => {});
                  }
                  const stopReason = does.end === 'cut' ? 'length' : does.end === 'refuse' ? 'refusal' : undefined;
                  yield {
                    type: 'done' as const,
                    message: assistant(content, stopReason === undefined ? {} : { stopReason }),
                  };
                },
            ),
            ...Array.from({ length: 12 }, () => calls()),
          ],
        });
        expect(open).toBe(0);
        const context = kept.flatMap((message) => forModel(message) ?? []);
        expectValid([...context, user('and now?')]);
      },
    ),
    { numRuns: process.env.KERN_SOAK === '1' ? 3_000 : 150 },
  );
});
