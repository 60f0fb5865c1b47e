import { type ModelEndpoint, type ModelWire, modelWires, replyOver } from 'kern/contracts';
import type { ModelRequest, StreamEvent } from '../contract.ts';
import { aRequest } from './requests.ts';
import { anthropicBlock, anthropicEvents, chatDelta, chatEvents, type WireEvent } from './server.ts';

/** A reply as a model means it; each wire has its own events for it. */
export interface Told {
  /** Reasoning, in pieces, and what its vendor signs it with. */
  readonly thinking?: readonly string[];
  readonly signature?: string;
  readonly text?: readonly string[];
  readonly calls?: readonly ToldCall[];
  readonly stop?: 'stop' | 'length' | 'refusal';
  readonly usage?: Partial<ToldUsage>;
}

export interface ToldCall {
  readonly id: string;
  readonly name: string;
  /** The JSON of the arguments, in pieces. */
  readonly pieces: readonly string[];
}

interface ToldUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What differs between the wires for a server that plays a model. */
export interface TestWire {
  readonly wire: ModelWire;
  /** The path of a request for the model `m`, after the base. */
  readonly path: string;
  readonly base: (url: string) => string;
  /** The events of a reply, from the first to the last. */
  readonly events: (told: Told) => readonly string[];
  /** An error in the place of an event. */
  readonly error: (type: string, message: string, status: number) => string;
  /** Where a key is found in the headers. */
  readonly keyOf: (headers: Readonly<Record<string, unknown>>) => unknown;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: WireEvent): string => `event: ${value.type}\n${data(value)}`;
const bearer: TestWire['keyOf'] = ({ authorization }) => String(authorization ?? '').replace('Bearer ', '');
const used = (usage: Told['usage']): ToldUsage => ({ input: 12, cached: 0, output: 5, reasoning: 0, ...usage });

const chat: TestWire = {
  wire: 'openai-chat',
  path: '/v1/chat/completions',
  base: (url) => `${url}/v1`,
  keyOf: bearer,
  error: (type, message, status) => data({ error: { type, message, code: status } }),
  events({ thinking = [], text = [], calls = [], stop = 'stop', usage }) {
    const { input, cached, output, reasoning } = used(usage);
    const finish = stop === 'refusal' ? 'content_filter' : stop === 'stop' && calls.length > 0 ? 'tool_calls' : stop;
    return chatEvents(
      chatDelta({ role: 'assistant', content: '' }),
      ...thinking.map((piece) => chatDelta({ reasoning_content: piece })),
      ...text.map((piece) => chatDelta({ content: piece })),
      ...calls.flatMap(({ id, name, pieces }, index) => [
        chatDelta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...pieces.map((piece) => chatDelta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chatDelta({}, finish),
      {
        choices: [],
        usage: {
          prompt_tokens: input,
          completion_tokens: output,
          prompt_tokens_details: { cached_tokens: cached },
          completion_tokens_details: { reasoning_tokens: reasoning },
        },
      },
    );
  },
};

const anthropic: TestWire = {
  wire: 'anthropic',
  path: '/v1/messages',
  base: (url) => url,
  keyOf: (headers) => headers['x-api-key'],
  error: (type, message) => named({ type: 'error', error: { type, message } }),
  events({ thinking = [], signature, text = [], calls = [], stop = 'stop', usage }) {
    const { input, cached, output } = used(usage);
    const blocks: WireEvent[][] = [];
    const block = (start: object, deltas: readonly object[]): void =>
      void blocks.push(anthropicBlock(blocks.length, start, ...deltas));
    if (thinking.length > 0)
      block({ type: 'thinking', thinking: '' }, [
        ...thinking.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
      ]);
    if (text.length > 0)
      block(
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      );
    for (const { id, name, pieces } of calls)
      block(
        { type: 'tool_use', id, name, input: {} },
        pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      );
    const reason = { stop: calls.length > 0 ? 'tool_use' : 'end_turn', length: 'max_tokens', refusal: 'refusal' }[stop];
    return anthropicEvents(blocks.flat(), {
      stop: reason,
      usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output },
    });
  },
};

const responses: TestWire = {
  wire: 'openai-responses',
  path: '/v1/responses',
  base: (url) => `${url}/v1`,
  keyOf: bearer,
  error: (type, message, status) =>
    named({ type: 'error', sequence_number: 99, error: { type, code: String(status), message, param: null } }),
  events({ thinking = [], signature, text = [], calls = [], stop = 'stop', usage }) {
    const { input, cached, output, reasoning } = used(usage);
    const items: WireEvent[][] = [];
    const item = (
      fields: object,
      done: object,
      deltas: (at: { output_index: number; item_id: string }) => WireEvent[],
    ) => {
      const output_index = items.length;
      const item_id = `item_${output_index}`;
      items.push([
        { type: 'response.output_item.added', output_index, item: { id: item_id, ...fields } },
        ...deltas({ output_index, item_id }),
        { type: 'response.output_item.done', output_index, item: { id: item_id, ...fields, ...done } },
      ]);
    };
    if (thinking.length > 0 || signature !== undefined)
      item(
        { type: 'reasoning', summary: [], encrypted_content: null },
        { encrypted_content: signature ?? null, summary: [{ type: 'summary_text', text: thinking.join('') }] },
        (at) => [
          { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 },
          ...thinking.map((delta) => ({
            type: 'response.reasoning_summary_text.delta',
            ...at,
            summary_index: 0,
            delta,
          })),
          { type: 'response.reasoning_summary_part.done', ...at, summary_index: 0 },
        ],
      );
    if (text.length > 0)
      item({ type: 'message', role: 'assistant', status: 'in_progress', content: [] }, { status: 'completed' }, (at) =>
        text.map((delta) => ({ type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs: [] })),
      );
    for (const { id: call_id, name, pieces } of calls)
      item(
        { type: 'function_call', call_id, name, arguments: '', status: 'in_progress' },
        { arguments: pieces.join(''), status: 'completed' },
        (at) => [
          ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
          { type: 'response.function_call_arguments.done', ...at, arguments: pieces.join('') },
        ],
      );
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', service_tier: 'default' };
    const details = { stop: null, length: { reason: 'max_output_tokens' }, refusal: { reason: 'content_filter' } }[
      stop
    ];
    const counted = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    };
    const all: WireEvent[] = [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.in_progress', response: { ...response, status: 'in_progress' } },
      ...items.flat(),
      {
        type: details === null ? 'response.completed' : 'response.incomplete',
        response: { ...response, incomplete_details: details, usage: counted, output: [] },
      },
    ];
    return all.map((event, sequence_number) => named({ ...event, sequence_number }));
  },
};

const google: TestWire = {
  wire: 'google',
  path: '/v1beta/models/m:streamGenerateContent?alt=sse',
  base: (url) => url,
  keyOf: (headers) => headers['x-goog-api-key'],
  error: (type, message, status) => data({ error: { code: status, message, status: type } }),
  events({ thinking = [], signature, text = [], calls = [], stop = 'stop', usage }) {
    const { input, cached, output, reasoning } = used(usage);
    const parts: object[] = [
      ...thinking.map((piece) => ({ text: piece, thought: true })),
      ...text.map((piece) => ({ text: piece })),
      ...calls.map(({ id, name, pieces }) => ({ functionCall: { id, name, args: argumentsIn(pieces.join('')) } })),
    ];
    // It signs what comes after the thoughts.
    const first = parts.findIndex((part) => !('thought' in part));
    if (signature !== undefined && first >= 0) parts[first] = { ...parts[first], thoughtSignature: signature };
    const counts = (candidatesTokenCount: number) => ({
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount,
      thoughtsTokenCount: reasoning,
      totalTokenCount: input + candidatesTokenCount + reasoning,
    });
    const finishReason = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[stop];
    const about = { modelVersion: 'm', responseId: 'reply-1' };
    return [
      ...parts.map((part, at) =>
        data({
          candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
          usageMetadata: counts(Math.min(at, output - reasoning)),
          ...about,
        }),
      ),
      data({
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason, index: 0 }],
        usageMetadata: counts(output - reasoning),
        ...about,
      }),
    ];
  },
};

/** Gemini parses what its models write before it sends it; what is no JSON comes as it is. */
function argumentsIn(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

export const testWires: readonly TestWire[] = [anthropic, chat, responses, google];

export function testWire(wire: ModelWire): TestWire {
  const found = testWires.find((one) => one.wire === wire);
  if (found === undefined) throw new Error(`no test server speaks ${wire}; there are ${modelWires.join(', ')}`);
  return found;
}

/** Asks a server over a wire. */
export function askOver(
  { wire, base }: TestWire,
  url: string,
  request: Partial<ModelRequest> = {},
  endpoint: Partial<ModelEndpoint> = {},
  signal: AbortSignal = new AbortController().signal,
): AsyncIterable<StreamEvent> {
  const whole: ModelEndpoint = { provider: 'test', baseUrl: base(url), apiKey: 'key-123456', ...endpoint };
  return replyOver(wire, whole, aRequest(request), signal);
}
