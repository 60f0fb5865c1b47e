/** What a model answers: pieces of text, then a tool call or nothing. */
export interface Reply {
  readonly pieces?: readonly string[];
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
}

export type WireName = 'openai-chat' | 'anthropic';

/** The wire that a request speaks, by the path it asks for. */
export function wireOf(path: string): WireName | undefined {
  if (path.endsWith('/chat/completions')) return 'openai-chat';
  return path.endsWith('/v1/messages') ? 'anthropic' : undefined;
}

/** A reply as the events of a wire. `nth` makes the ids of calls differ. */
export function eventsOf(wire: WireName, reply: Reply, nth: number): readonly string[] {
  return wire === 'anthropic' ? anthropicEvents(reply, nth) : chatEvents(reply, nth);
}

function chatEvents({ pieces = [], call }: Reply, nth: number): readonly string[] {
  const chunk = (delta: object, reason: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    return data({ id: `reply-${nth}`, object: 'chat.completion.chunk', created: 0, model: 'bench', choices });
  };
  const asked = call && { name: call.name, arguments: JSON.stringify(call.args) };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...(asked === undefined
      ? []
      : [chunk({ tool_calls: [{ index: 0, id: `call_${nth}`, type: 'function', function: asked }] })]),
    chunk({}, asked === undefined ? 'stop' : 'tool_calls'),
    data({ id: `reply-${nth}`, object: 'chat.completion.chunk', created: 0, model: 'bench', choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function anthropicEvents({ pieces = [], call }: Reply, nth: number): readonly string[] {
  const named = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
  const block = (index: number, content_block: object, deltas: readonly object[]): readonly string[] => [
    named('content_block_start', { index, content_block }),
    ...deltas.map((delta) => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ];
  const text = pieces.map((piece) => ({ type: 'text_delta', text: piece }));
  const message = {
    id: `msg_${nth}`,
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return [
    named('message_start', { message }),
    ...(text.length === 0 ? [] : block(0, { type: 'text', text: '' }, text)),
    ...(call === undefined
      ? []
      : block(text.length === 0 ? 0 : 1, { type: 'tool_use', id: `toolu_${nth}`, name: call.name, input: {} }, [
          { type: 'input_json_delta', partial_json: JSON.stringify(call.args) },
        ])),
    named('message_delta', {
      delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    named('message_stop', {}),
  ];
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
