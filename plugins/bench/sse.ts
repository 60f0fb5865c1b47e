/** What a model answers: pieces of text, then a tool call or nothing. */
export interface Reply {
  readonly pieces?: readonly string[];
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
}

export const wireNames = ['openai-chat', 'anthropic', 'openai-responses', 'google'] as const;
export type WireName = (typeof wireNames)[number];

/** The wire that a request speaks, by the path it asks for. */
export function wireOf(path: string): WireName | undefined {
  if (path.endsWith('/chat/completions')) return 'openai-chat';
  if (path.endsWith('/responses')) return 'openai-responses';
  if (path.includes(':streamGenerateContent')) return 'google';
  return path.endsWith('/v1/messages') ? 'anthropic' : undefined;
}

/** A reply as the events of a wire. `nth` makes the ids of calls differ. */
export function eventsOf(wire: WireName, reply: Reply, nth: number): readonly string[] {
  return makers[wire](reply, nth);
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

function responsesEvents({ pieces = [], call }: Reply, nth: number): readonly string[] {
  const response = { id: `resp_${nth}`, object: 'response', created_at: 0, model: 'bench' };
  const message = { id: `msg_${nth}`, type: 'message', role: 'assistant', content: [] };
  const at = { output_index: 0, item_id: message.id, content_index: 0 };
  const text = pieces.join('');
  const args = JSON.stringify(call?.args ?? {});
  const asked = {
    id: `fc_${nth}`,
    type: 'function_call',
    call_id: `call_${nth}`,
    name: call?.name,
    arguments: '',
    status: 'in_progress',
  };
  const all = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...(pieces.length === 0
      ? []
      : [
          { type: 'response.output_item.added', output_index: 0, item: message },
          { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
        ]),
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    ...(pieces.length === 0
      ? []
      : [
          { type: 'response.output_text.done', ...at, text, logprobs: [] },
          { type: 'response.content_part.done', ...at, part: { type: 'output_text', text, annotations: [] } },
          { type: 'response.output_item.done', output_index: 0, item: message },
        ]),
    ...(call === undefined
      ? []
      : [
          { type: 'response.output_item.added', output_index: 1, item: asked },
          { type: 'response.function_call_arguments.delta', output_index: 1, item_id: asked.id, delta: args },
          { type: 'response.function_call_arguments.done', output_index: 1, item_id: asked.id, arguments: args },
          {
            type: 'response.output_item.done',
            output_index: 1,
            item: { ...asked, arguments: args, status: 'completed' },
          },
        ]),
    { type: 'response.completed', response: { ...response, usage: { input_tokens: 1, output_tokens: 1 } } },
  ];
  return all.map((event, sequence_number) => `event: ${event.type}\n${data({ ...event, sequence_number })}`);
}

function googleEvents({ pieces = [], call }: Reply, nth: number): readonly string[] {
  const chunk = (part: object, more: object, candidatesTokenCount: number): string =>
    data({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount, totalTokenCount: 1 + candidatesTokenCount },
      modelVersion: 'bench',
      responseId: `reply-${nth}`,
    });
  return [
    ...pieces.map((text, at) => chunk({ text }, {}, at)),
    ...(call === undefined
      ? []
      : [chunk({ functionCall: { id: `call_${nth}`, name: call.name, args: call.args } }, {}, pieces.length)]),
    chunk({ text: '' }, { finishReason: 'STOP' }, pieces.length),
  ];
}

const makers: Readonly<Record<WireName, (reply: Reply, nth: number) => readonly string[]>> = {
  'openai-chat': chatEvents,
  anthropic: anthropicEvents,
  'openai-responses': responsesEvents,
  google: googleEvents,
};

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
