import type { ModelWire } from 'kern/contracts';
import type {
  AnthropicBlock,
  AnthropicBody,
  AnthropicMessage,
  ChatBody,
  ContentPart,
  GoogleBody,
  GoogleData,
  GooglePart,
  ResponsesBody,
  WireBody,
} from './request-shapes.ts';

/**
 * What a vendor's server would refuse in a request, by the rules that it documents and the errors that it gives; nothing
 * for a request that is right. Stricter than any one server where copies of it are.
 */
export function complaints(wire: ModelWire, body: unknown, url = ''): readonly string[] {
  const said: string[] = [];
  const say: Say = (isRight, what) => {
    if (!isRight) said.push(what);
  };
  if (!isMap(body)) return ['the request is no JSON object'];
  say(
    textsIn(body).every((text) => text.isWellFormed()),
    'a text has half of a surrogate pair',
  );
  // What is missing, or of another form, is what the rules say.
  rules[wire](body as WireBody, say, url);
  return said;
}

type Say = (isRight: boolean, what: string) => void;

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isFilled = <T>(value: string | readonly T[] | undefined): value is readonly [T, ...T[]] =>
  Array.isArray(value) && value.length > 0;
const isId = (value: unknown, longest: number): boolean =>
  typeof value === 'string' && value.length <= longest && /^[a-zA-Z0-9_-]+$/.test(value);
const isName = (value: unknown): boolean => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value);
const isImage = (url: unknown): boolean =>
  typeof url === 'string' && /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(url);

function isArguments(text: unknown): boolean {
  try {
    return typeof text === 'string' && isMap(JSON.parse(text));
  } catch {
    return false;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMap(value) ? [...Object.keys(value), ...Object.values(value).flatMap(textsIn)] : [];
}

const rules: Readonly<Record<ModelWire, (body: WireBody, say: Say, url: string) => void>> = {
  anthropic(body: AnthropicBody, say) {
    const { messages, system, max_tokens: limit, thinking } = body;
    say(isText(body.model), 'model: field required');
    say(Number.isInteger(limit) && (limit ?? 0) >= 1, 'max_tokens: must be at least 1');
    if (thinking?.type === 'enabled') {
      const budget = thinking.budget_tokens ?? Number.NaN;
      say(budget >= 1024, 'thinking.budget_tokens: must be at least 1024');
      say(budget < (limit ?? Number.NaN), 'max_tokens must be greater than thinking.budget_tokens');
      say(beginsThinking(messages), 'a final assistant message must start with a thinking block');
    }
    say(marksIn(body) <= 4, 'a maximum of 4 blocks with cache_control may be provided');
    for (const block of Array.isArray(system) ? system : [])
      say(isText(block.text), 'system: text content blocks must be non-empty');
    if (!isFilled(messages)) {
      say(false, 'messages: at least one message is required');
      return;
    }
    say(messages[0].role === 'user', 'messages: first message must use the "user" role');
    say(messages.at(-1)?.role === 'user', 'the conversation must end with a user message');
    const ids = new Set<string>();
    for (const [at, { role, content }] of messages.entries()) {
      say(at === 0 || messages[at - 1]?.role !== role, 'messages: roles must alternate');
      if (!isFilled(content)) {
        say(false, `messages.${at}: all messages must have non-empty content`);
        continue;
      }
      for (const block of content) anthropicBlock(block, role, say, ids);
      const before = messages[at - 1];
      const asked = callsOf((before?.role === 'assistant' ? before.content : undefined) ?? []);
      const answers = content.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id);
      say(
        answers.toSorted().join() === asked.toSorted().join(),
        'tool_use ids must have tool_result blocks immediately after, and each tool_result its tool_use before',
      );
      say(
        content.slice(0, answers.length).every(({ type }) => type === 'tool_result') || answers.length === 0,
        'tool_result blocks must come first',
      );
      if (role === 'assistant')
        say(
          !/thinking/.test(content.at(-1)?.type ?? ''),
          'the final block in an assistant message cannot be `thinking`',
        );
    }
  },

  'openai-chat'({ messages }: ChatBody, say) {
    if (!isFilled(messages)) {
      say(false, 'messages: expected an array with at least one item');
      return;
    }
    say(messages.at(-1)?.role !== 'assistant', 'the last message must not be of the assistant');
    const ids = new Set<string>();
    let open: string[] = [];
    for (const [at, message] of messages.entries()) {
      const { role, content, tool_calls: calls } = message;
      if (role === 'tool') {
        say(open.includes(message.tool_call_id ?? ''), "messages with role 'tool' must be a response to 'tool_calls'");
        open = open.filter((id) => id !== message.tool_call_id);
        say(isText(content), 'content of a tool message must not be empty');
        continue;
      }
      say(open.length === 0, "an assistant message with 'tool_calls' must be followed by tool messages for each id");
      open = [];
      if (role === 'system') {
        say(at === 0, 'a system message must be at the beginning');
        say(isText(content), 'content of the system message must not be empty');
      } else if (role === 'user') {
        say(isText(content) || (isFilled(content) && content.every(isChatPart)), 'content of a user message');
      } else {
        say(role === 'assistant', `role ${role}`);
        say(isText(content) || calls !== undefined, 'an assistant message needs content or tool_calls');
        if (calls === undefined) continue;
        say(isFilled(calls), 'tool_calls: array too short');
        for (const { id, type, function: called } of calls) {
          say(isId(id, 40) && !ids.has(id ?? ''), `tool_calls.id ${id}`);
          say(type === 'function' && isName(called?.name), `tool_calls.function.name ${called?.name}`);
          say(isArguments(called?.arguments), 'tool_calls.function.arguments must be JSON of an object');
          ids.add(id ?? '');
          open.push(id ?? '');
        }
      }
    }
    say(open.length === 0, 'tool calls at the end have no answers');
  },

  'openai-responses'({ input, store }: ResponsesBody, say) {
    if (!isFilled(input)) {
      say(false, 'input: expected an array with at least one item');
      return;
    }
    const calls = new Set<string>();
    const open = new Set<string>();
    for (const [at, item] of input.entries()) {
      switch (item.type ?? 'message') {
        case 'message': {
          const { role, content } = item;
          say(['system', 'developer', 'user', 'assistant'].includes(role ?? ''), `role ${role}`);
          const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
          say(isFilled(parts) && parts.every(isInputPart), `input[${at}].content`);
          say(open.size === 0 || role === 'assistant', 'no tool output found for function call');
          continue;
        }
        case 'function_call':
          say(isId(item.call_id, 64) && !calls.has(item.call_id ?? ''), `call_id ${item.call_id}`);
          say(isName(item.name), `function_call.name ${item.name}`);
          say(isArguments(item.arguments), 'function_call.arguments must be JSON of an object');
          calls.add(item.call_id ?? '');
          open.add(item.call_id ?? '');
          continue;
        case 'function_call_output': {
          const { output } = item;
          say(
            open.delete(item.call_id ?? ''),
            `no tool call found for function call output with call_id ${item.call_id}`,
          );
          say(isText(output) || (isFilled(output) && output.every(isInputPart)), 'function_call_output.output');
          continue;
        }
        case 'reasoning': {
          say(Array.isArray(item.summary), 'reasoning.summary is required');
          say(store !== false || isText(item.encrypted_content), 'a reasoning item without content was not stored');
          const next = input[at + 1];
          const isFollowed = ['reasoning', 'function_call'].includes(next?.type ?? '') || next?.role === 'assistant';
          say(isFollowed, "an item of type 'reasoning' was provided without its required following item");
          continue;
        }
        default:
          say(false, `an item of the type ${item.type}`);
      }
    }
    say(open.size === 0, 'no tool output found for function call');
    say(input.at(-1)?.role !== 'assistant', 'the last item must not be of the assistant');
  },

  google({ contents, systemInstruction }: GoogleBody, say, url) {
    if (systemInstruction !== undefined)
      say(isFilled(systemInstruction.parts) && isText(systemInstruction.parts[0].text), 'system_instruction');
    if (!isFilled(contents)) {
      say(false, 'contents is not specified');
      return;
    }
    say(contents[0].role === 'user', 'the first content must be of the user');
    say(contents.at(-1)?.role === 'user', 'the last content must be of the user');
    for (const [at, { role, parts }] of contents.entries()) {
      const before = contents[at - 1];
      say(role === 'user' || role === 'model', 'please use a valid role: user, model');
      if (!isFilled(parts)) {
        say(false, 'contents.parts must not be empty');
        continue;
      }
      for (const part of parts) googlePart(part, say);
      const called = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.name]));
      const answers = parts.flatMap(({ functionResponse: one }) => (one === undefined ? [] : [one.name]));
      say(role !== 'model' || before?.role === 'user', 'a turn of the model must come immediately after a user turn');
      const asked = (before?.parts ?? []).flatMap(({ functionCall: one }) => (one === undefined ? [] : [one.name]));
      say(
        answers.join() === asked.join(),
        'the number of function response parts must be equal to the number of function call parts',
      );
      const isNew = /gemini-(?:[3-9]|\d\d)/.test(url);
      const first = parts.find(({ functionCall }) => functionCall !== undefined);
      if (isNew && called.length > 0)
        say(isText(first?.thoughtSignature), 'function call is missing a thought_signature in functionCall parts');
    }
  },
};

function marksIn(value: unknown): number {
  if (!Array.isArray(value) && !isMap(value)) return 0;
  const below: readonly unknown[] = Object.values(value);
  return (
    (isMap(value) && 'cache_control' in value ? 1 : 0) + below.reduce<number>((sum, part) => sum + marksIn(part), 0)
  );
}

/** The reply whose calls have just been answered begins with reasoning. */
function beginsThinking(messages: readonly AnthropicMessage[] | undefined): boolean {
  const [reply, answer] = Array.isArray(messages) ? messages.slice(-2) : [];
  const answers = answer?.content;
  if (!isFilled<AnthropicBlock>(answers) || !answers.every(({ type }) => type === 'tool_result')) return true;
  return /thinking/.test(reply?.content?.[0]?.type ?? '');
}

const callsOf = (content: readonly AnthropicBlock[]): string[] =>
  content.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));

function anthropicBlock(block: AnthropicBlock, role: string | undefined, say: Say, ids: Set<string>): void {
  switch (block.type) {
    case 'text':
      say(isText(block.text), 'text content blocks must contain non-whitespace text');
      return;
    case 'image':
      say(isAnthropicImage(block), 'image.source');
      return;
    case 'thinking':
      say(role === 'assistant' && isText(block.signature), 'thinking.signature: field required');
      return;
    case 'redacted_thinking':
      say(role === 'assistant' && isText(block.data), 'redacted_thinking.data: field required');
      return;
    case 'tool_use':
      say(
        role === 'assistant' && isId(block.id, 64) && !ids.has(block.id ?? ''),
        '`tool_use` ids must be unique and valid',
      );
      say(isName(block.name) && isMap(block.input), 'tool_use.name or input');
      ids.add(block.id ?? '');
      return;
    case 'tool_result': {
      const { content } = block;
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
      const isRight = parts.every((part) => (part.type === 'text' ? isText(part.text) : isAnthropicImage(part)));
      say(role === 'user' && isFilled(parts) && isRight, 'tool_result.content');
      return;
    }
    default:
      say(false, `a block of the type ${block.type}`);
  }
}

function isAnthropicImage({ type, source }: AnthropicBlock): boolean {
  return type === 'image' && isImage(`data:${source?.media_type};base64,${source?.data}`);
}

function isChatPart({ type, text, image_url: image }: ContentPart): boolean {
  const url = typeof image === 'object' ? image.url : undefined;
  return type === 'text' ? isText(text) : type === 'image_url' && isImage(url);
}

function isInputPart({ type, text, image_url: url }: ContentPart): boolean {
  return type === 'input_text' || type === 'output_text' ? isText(text) : type === 'input_image' && isImage(url);
}

function googlePart(part: GooglePart, say: Say): void {
  const named = ['text', 'functionCall', 'functionResponse', 'inlineData'] as const;
  const kinds = named.filter((kind) => part[kind] !== undefined);
  say(kinds.length === 1, `a part of the kinds ${kinds.join(', ')}`);
  if (kinds[0] === 'text') say(isText(part.text) || isText(part.thoughtSignature), 'a part is empty');
  if (kinds[0] === 'inlineData') say(isGoogleImage(part.inlineData), 'unsupported MIME type');
  if (part.functionCall !== undefined)
    say(isGoogleName(part.functionCall.name) && isMap(part.functionCall.args), 'args');
  if (part.functionResponse !== undefined) {
    const { name, response, parts = [] } = part.functionResponse;
    say(isGoogleName(name) && isMap(response), 'function_response.response must be an object');
    for (const { inlineData } of parts) say(isGoogleImage(inlineData), 'unsupported MIME type');
  }
}

const isGoogleName = (name: unknown): boolean => typeof name === 'string' && /^[a-zA-Z_][\w.:-]{0,63}$/.test(name);
const isGoogleImage = ({ mimeType = '', data = '' }: GoogleData = {}): boolean =>
  /^image\/(png|jpeg|webp|heic|heif)$/.test(mimeType) && /^[A-Za-z0-9+/=]+$/.test(data);
