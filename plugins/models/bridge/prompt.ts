import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type {
  AssistantMessage,
  ImageContent,
  Message,
  ModelRequest,
  TextContent,
  ToolFace,
  ToolResultMessage,
} from '../contract.ts';

/** How a wire wants what is not the same on all of them. */
export interface Dialect {
  /** Names the wire in messages: what it gave is given back to it only. */
  readonly api: string;
  /** Reasoning as it goes back; undefined where it cannot. */
  thinking(text: string, signature: string | undefined, redacted: boolean): Reasoning | undefined;
  /** Results may hold images; elsewhere they follow in a user message. */
  readonly imagesInResults: boolean;
  readonly longestCallId: number;
}

export interface Reasoning {
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

type Content = readonly (TextContent | ImageContent)[];
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];
type Output = Extract<ToolPart, { type: 'tool-result' }>['output'];

/** Our messages as the provider packages take them. Equal messages give equal bytes: prompt caches live from that. */
export function toPrompt(request: ModelRequest, dialect: Dialect): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (request.systemPrompt.trim() !== '') prompt.push({ role: 'system', content: request.systemPrompt });
  const { messages } = request;
  const used = new Map<string, number>();
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as Message;
    if (message.role === 'toolResult') continue; // goes with its call
    if (message.role !== 'assistant') {
      pushUser(prompt, userParts(message.content, request));
      continue;
    }
    const ids = callIds(message, dialect, used);
    const content = assistantParts(message, ids, request, dialect);
    if (content.length > 0) prompt.push({ role: 'assistant', content });
    pushResults(prompt, message, ids, resultsAfter(messages, at), request, dialect);
  }
  return prompt;
}

/** The tools as the provider packages take them; undefined for none, since servers refuse an empty list. */
export function toTools(tools: readonly ToolFace[]): LanguageModelV4FunctionTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }));
}

function pushUser(prompt: LanguageModelV4Prompt, content: UserPart[]): void {
  if (content.length > 0) prompt.push({ role: 'user', content });
}

function userParts(content: Content, request: ModelRequest): UserPart[] {
  return content.flatMap((part): UserPart[] => {
    if (part.type === 'image') return [imagePart(part, request)];
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]; // servers refuse blank text
  });
}

function imagePart(image: ImageContent, request: ModelRequest): UserPart {
  if (!request.model.input.includes('image'))
    return { type: 'text', text: `(an image that ${request.model.model} cannot see)` };
  return { type: 'file', mediaType: image.mimeType, data: { type: 'data', data: image.data } };
}

function assistantParts(
  message: AssistantMessage,
  ids: CallIds,
  request: ModelRequest,
  dialect: Dialect,
): AssistantPart[] {
  const isOwn =
    message.api === dialect.api && message.provider === request.model.provider && message.model === request.model.model;
  return message.content.flatMap((part) => assistantPart(part, ids, isOwn, dialect) ?? []);
}

function assistantPart(
  part: AssistantMessage['content'][number],
  ids: CallIds,
  isOwn: boolean,
  dialect: Dialect,
): AssistantPart | undefined {
  if (part.type === 'text') return part.text.trim() === '' ? undefined : { type: 'text', text: part.text };
  if (part.type === 'thinking') {
    const back = isOwn ? dialect.thinking(part.thinking, part.thinkingSignature, part.redacted === true) : undefined;
    return back === undefined ? undefined : { type: 'reasoning', ...back };
  }
  const { id, name, arguments: input, thoughtSignature } = part;
  const call = { type: 'tool-call' as const, toolCallId: ids.get(id) ?? id, toolName: name, input };
  if (!isOwn || thoughtSignature === undefined) return call;
  return { ...call, providerOptions: { google: { thoughtSignature } } };
}

/** The calls of a reply, by the id they have with us. */
type CallIds = ReadonlyMap<string, string>;

/**
 * Servers take letters, digits, `_` and `-` only, differ in how many, and refuse an id that is used twice; some give
 * the same ids in every reply.
 */
function callIds({ content }: AssistantMessage, { longestCallId }: Dialect, used: Map<string, number>): CallIds {
  const ids = new Map<string, string>();
  for (const part of content) {
    if (part.type !== 'toolCall' || ids.has(part.id)) continue;
    const clean = part.id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longestCallId) || 'call';
    let id = clean;
    let times = used.get(clean) ?? 0;
    while (used.has(id)) {
      times += 1;
      const suffix = `_${times}`;
      id = `${clean.slice(0, longestCallId - suffix.length)}${suffix}`;
    }
    used.set(clean, Math.max(1, times));
    used.set(id, 1);
    ids.set(part.id, id);
  }
  return ids;
}

/** The results that belong to the reply at `at`: all up to the next one. */
function resultsAfter(messages: readonly Message[], at: number): ReadonlyMap<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next] as Message;
    if (message.role === 'assistant') break;
    if (message.role === 'toolResult') results.set(message.toolCallId, message);
  }
  return results;
}

/** A call without a result makes every further request fail, so it gets one that says so. */
function pushResults(
  prompt: LanguageModelV4Prompt,
  message: AssistantMessage,
  ids: CallIds,
  results: ReadonlyMap<string, ToolResultMessage>,
  request: ModelRequest,
  dialect: Dialect,
): void {
  const calls = message.content.filter((part) => part.type === 'toolCall');
  if (calls.length === 0) return;
  const lifted: UserPart[] = [];
  const content = calls.map((call): ToolPart => {
    const result = results.get(call.id);
    const output = result === undefined ? missingResult : resultOutput(result, lifted, request, dialect);
    return { type: 'tool-result', toolCallId: ids.get(call.id) ?? call.id, toolName: call.name, output };
  });
  prompt.push({ role: 'tool', content });
  pushUser(prompt, lifted);
}

const missingResult: Output = { type: 'error-text', value: 'This call was interrupted; it has no result.' };

function resultOutput(result: ToolResultMessage, lifted: UserPart[], request: ModelRequest, dialect: Dialect): Output {
  const images = result.content.filter((part) => part.type === 'image');
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (images.length > 0 && dialect.imagesInResults) {
    const first = text.trim() === '' ? [] : [{ type: 'text' as const, text: result.isError ? `Error: ${text}` : text }];
    return { type: 'content', value: [...first, ...images.map((image) => imagePart(image, request))] };
  }
  if (images.length > 0) {
    lifted.push(
      { type: 'text', text: `Images in the result of ${result.toolName}:` },
      ...images.map((image) => imagePart(image, request)),
    );
  }
  const value = text === '' ? (images.length > 0 ? '(images, in the next message)' : '(no output)') : text;
  return { type: result.isError ? 'error-text' : 'text', value };
}
