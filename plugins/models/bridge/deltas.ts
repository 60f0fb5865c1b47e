import type { Delta, DeltaFinder } from './merge.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Anthropic Messages: `content_block_delta` says what it is. */
export const anthropicDeltas: DeltaFinder = {
  find(event) {
    if (!isFields(event) || event.type !== 'content_block_delta' || !isFields(event.delta)) return undefined;
    const { delta, index } = event as { delta: Fields; index: unknown };
    const field = anthropicField(delta.type);
    const text = field === undefined ? undefined : delta[field];
    return typeof text === 'string' && text !== '' ? { spot: `${field}:${String(index)}`, text } : undefined;
  },
  put(event, spot, text) {
    (event as { delta: Fields }).delta[spot.slice(0, spot.indexOf(':'))] = text;
  },
  last: /message_stop/,
  isLast: (event) => isFields(event) && event.type === 'message_stop',
};

function anthropicField(type: unknown): string | undefined {
  if (type === 'text_delta') return 'text';
  if (type === 'thinking_delta') return 'thinking';
  return type === 'input_json_delta' ? 'partial_json' : undefined;
}

/** Chat Completions: one choice whose delta has one text and nothing else of weight. */
export const chatDeltas: DeltaFinder = {
  find(event) {
    if (!isFields(event) || !Array.isArray(event.choices) || event.choices.length !== 1) return undefined;
    if (!isNothing(event.usage) || 'error' in event) return undefined;
    const choice: unknown = event.choices[0];
    if (!isFields(choice) || !isNothing(choice.finish_reason) || !isFields(choice.delta)) return undefined;
    return chatDelta(choice.delta);
  },
  put(event, spot, text) {
    const { delta } = (event as { choices: [{ delta: Fields }] }).choices[0];
    if (spot in delta) delta[spot] = text;
    else (delta as { tool_calls: [{ function: Fields }] }).tool_calls[0].function.arguments = text;
  },
  last: /\[DONE\]/,
  isLast: (event) => event === '[DONE]',
};

function chatDelta(delta: Fields): Delta | undefined {
  let found: Delta | undefined;
  for (const name in delta) {
    const value = delta[name];
    if (name === 'role' || isNothing(value)) continue;
    if (found !== undefined) return undefined;
    if (name === 'content' || name === 'reasoning_content' || name === 'reasoning') {
      if (typeof value !== 'string') return undefined;
      found = { spot: name, text: value };
    } else {
      found = name === 'tool_calls' ? argumentsDelta(value) : undefined;
      if (found === undefined) return undefined;
    }
  }
  return found;
}

/** More arguments of a call that has begun: only its index, and text. */
function argumentsDelta(calls: unknown): Delta | undefined {
  const call: unknown = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined;
  if (!isFields(call) || !isNothing(call.id) || typeof call.index !== 'number') return undefined;
  const { function: called } = call;
  if (!isFields(called) || !isNothing(called.name) || 'extra_content' in call) return undefined;
  const text = called.arguments;
  return typeof text === 'string' && text !== '' ? { spot: `call ${call.index}`, text } : undefined;
}

/** OpenAI Responses: the event's type says what its `delta` is, and `output_index` whose. */
export const responsesDeltas: DeltaFinder = {
  find(event) {
    if (!isFields(event) || !isString(event.delta) || !isString(event.type)) return undefined;
    if (!growing.has(event.type) || !isNothing(event.logprobs)) return undefined;
    const { type, output_index: output, content_index: content, summary_index: summary } = event;
    return { spot: `${type}:${output}:${content ?? summary}`, text: event.delta };
  },
  put(event, _, text) {
    (event as Fields).delta = text;
  },
  idle: /"type": ?"response\.(content_part\.(added|done)|output_text\.done|function_call_arguments\.done)"/,
  last: /response\.(completed|incomplete|failed)/,
  isLast: (event) => isFields(event) && /^response\.(completed|incomplete|failed)$/.test(String(event.type)),
};

const growing: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
]);

/** Gemini: a candidate with one part of text, unsigned, and no end. What else the event says grows with each one. */
export const googleDeltas: DeltaFinder = {
  find(event) {
    if (!isFields(event) || 'error' in event || !isNothing(event.promptFeedback)) return undefined;
    const candidate: unknown = only(event.candidates);
    if (!isFields(candidate) || !isFields(candidate.content)) return undefined;
    for (const name in candidate)
      if (name !== 'content' && name !== 'index' && !isNothing(candidate[name])) return undefined;
    const part: unknown = only(candidate.content.parts);
    if (!isFields(part) || !isString(part.text)) return undefined;
    for (const name in part) if (name !== 'text' && name !== 'thought') return undefined;
    return { spot: part.thought === true ? 'thought' : 'text', text: part.text };
  },
  put(event, _, text) {
    const { candidates } = event as { candidates: [{ content: { parts: [Fields] } }] };
    candidates[0].content.parts[0].text = text;
  },
  last: /finishReason/,
  isLast(event) {
    const candidate = isFields(event) ? only(event.candidates) : undefined;
    // There is one that says that more of the reply follows.
    return isFields(candidate) && isString(candidate.finishReason) && candidate.finishReason !== 'CONTINUATION';
  },
};

const isString = (value: unknown): value is string => typeof value === 'string' && value !== '';
const only = (list: unknown): unknown => (Array.isArray(list) && list.length === 1 ? list[0] : undefined);
