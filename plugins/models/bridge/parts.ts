import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { AssistantMessage, ImageContent, TextContent, ToolCall, ToolResultMessage } from '../contract.ts';
import { toolName } from './call-ids.ts';
import type { Dialect, ForeignReasoning } from './dialect.ts';

type Content = readonly (TextContent | ImageContent)[];
export type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
export type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
export type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];
type Output = Extract<ToolPart, { type: 'tool-result' }>['output'];

/** For whom messages are written. */
export interface Reader {
  readonly dialect: Dialect;
  readonly provider: string;
  readonly model: string;
  readonly canSee: boolean;
  readonly foreignReasoning: ForeignReasoning;
}

export function userParts(content: Content, reader: Reader): UserPart[] {
  return content.flatMap((part): UserPart[] => {
    if (part.type === 'image') return [imagePart(part, reader)];
    return part.text.trim() === '' ? [] : [{ type: 'text', text: sendable(part.text) }]; // servers refuse blank text
  });
}

function imagePart(image: ImageContent, { canSee, model, dialect }: Reader): UserPart {
  if (!canSee) return { type: 'text', text: `(an image that ${model} cannot see)` };
  const mediaType = image.mimeType.toLowerCase();
  if (!dialect.imageTypes.has(mediaType) || image.data === '')
    return { type: 'text', text: `(an image of the type ${mediaType}, which ${model} cannot read)` };
  return { type: 'file', mediaType, data: { type: 'data', data: image.data } };
}

export function assistantParts(message: AssistantMessage, ids: readonly string[], reader: Reader): AssistantPart[] {
  const { dialect, provider, model } = reader;
  const isOwn = message.api === dialect.api && message.provider === provider && message.model === model;
  let calls = 0;
  const parts = message.content.flatMap((part): AssistantPart[] => {
    if (part.type === 'text') return textPart(part, isOwn, dialect);
    if (part.type === 'thinking') return thinkingPart(part, isOwn, reader);
    const id = ids[calls] ?? part.id;
    calls += 1;
    return [callPart(part, id, isOwn, dialect)];
  });
  // Reasoning that led to nothing: servers refuse it.
  const end = parts.findLastIndex((part) => part.type !== 'reasoning');
  return parts.slice(0, end + 1);
}

/** An empty signature, as some servers give, is none. */
function isSigned(signature: string | undefined): signature is string {
  return signature !== undefined && signature !== '';
}

function textPart({ text, textSignature }: TextContent, isOwn: boolean, dialect: Dialect): AssistantPart[] {
  if (text.trim() === '') return [];
  const options = isOwn && isSigned(textSignature) ? dialect.textOptions?.(textSignature) : undefined;
  return [{ type: 'text', text: sendable(text), ...(options === undefined ? {} : { providerOptions: options }) }];
}

function thinkingPart(
  part: Extract<AssistantMessage['content'][number], { type: 'thinking' }>,
  isOwn: boolean,
  { dialect, foreignReasoning }: Reader,
): AssistantPart[] {
  const text = sendable(part.thinking);
  if (isOwn) {
    const signature = isSigned(part.thinkingSignature) ? part.thinkingSignature : undefined;
    const back = dialect.thinking(text, signature, part.redacted === true);
    return back === undefined ? [] : [{ type: 'reasoning', ...back }];
  }
  if (foreignReasoning === 'drop' || text.trim() === '') return [];
  return [{ type: 'text', text: `(What I thought: ${text.trim()})\n\n` }];
}

function callPart(call: ToolCall, id: string, isOwn: boolean, dialect: Dialect): AssistantPart {
  const { name, arguments: input, thoughtSignature } = call;
  const part = { type: 'tool-call' as const, toolCallId: id, toolName: toolName(name), input: sendableIn(input) };
  const options = isOwn && isSigned(thoughtSignature) ? dialect.callOptions?.(thoughtSignature) : undefined;
  return options === undefined ? part : { ...part, providerOptions: options };
}

/** The results of a reply's calls, and the images that have to follow them. A call without a result gets one that says so. */
export function resultParts(
  calls: readonly ToolCall[],
  results: readonly (ToolResultMessage | undefined)[],
  ids: readonly string[],
  reader: Reader,
): { readonly results: ToolPart[]; readonly lifted: UserPart[] } {
  const lifted: UserPart[] = [];
  const parts = calls.map((call, at): ToolPart => {
    const result = results[at];
    const output = result === undefined ? missingResult : resultOutput(result, lifted, reader);
    return { type: 'tool-result', toolCallId: ids[at] ?? call.id, toolName: toolName(call.name), output };
  });
  return { results: parts, lifted };
}

const missingResult: Output = { type: 'error-text', value: 'This call was interrupted; it has no result.' };

function resultOutput(result: ToolResultMessage, lifted: UserPart[], reader: Reader): Output {
  const images = result.content.flatMap((part) => (part.type === 'image' ? [imagePart(part, reader)] : []));
  const seen = images.filter((part) => part.type === 'file');
  const texts = [
    ...result.content.flatMap((part) => (part.type === 'text' ? [sendable(part.text)] : [])),
    ...images.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  ];
  const text = texts.join('\n');
  const isBlank = text.trim() === '';
  if (seen.length > 0 && reader.dialect.imagesInResults) {
    const first = isBlank ? [] : [{ type: 'text' as const, text: result.isError ? `Error: ${text}` : text }];
    return { type: 'content', value: [...first, ...seen] };
  }
  if (seen.length > 0) lifted.push({ type: 'text', text: `Images in the result of ${result.toolName}:` }, ...seen);
  const value = isBlank ? (seen.length > 0 ? '(images, in the next message)' : '(no output)') : text;
  return { type: result.isError ? 'error-text' : 'text', value };
}

/** Half of a pair of code units, cut somewhere, is no text to a server. */
function sendable(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

function sendableIn<T>(value: T): T {
  if (typeof value === 'string') return sendable(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sendableIn) as T;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [sendable(key), sendableIn(part)])) as T;
}
