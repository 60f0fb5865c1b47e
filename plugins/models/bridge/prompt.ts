import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AssistantMessage, Message, ModelRequest, ToolCall, ToolFace, ToolResultMessage } from '../contract.ts';
import { CallIds } from './call-ids.ts';
import type { Dialect, ForeignReasoning } from './dialect.ts';
import { assistantParts, type Reader, resultParts, userParts } from './parts.ts';

/** A message as it was written for one reader, and what it was written of. */
interface Written {
  readonly ids: readonly string[];
  readonly results: readonly (ToolResultMessage | undefined)[];
  readonly prompt: readonly LanguageModelV4Message[];
}

/** Messages that were written before, by reader. What is kept of a message goes with it. */
export class WrittenMessages {
  #reader = '';
  #messages = new WeakMap<Message, Written>();

  for({ dialect, provider, model, canSee, foreignReasoning }: Reader): WeakMap<Message, Written> {
    const reader = JSON.stringify([dialect.api, provider, model, canSee, dialect.imagesInResults, foreignReasoning]);
    if (reader !== this.#reader) {
      this.#reader = reader;
      this.#messages = new WeakMap();
    }
    return this.#messages;
  }
}

/** How a prompt is written. */
export interface Writing {
  readonly foreignReasoning?: ForeignReasoning | undefined;
  readonly written?: WrittenMessages | undefined;
}

/**
 * Our messages as the provider packages take them. Whatever the messages are, every server accepts it: each call has one
 * result, right after it, and a result stands nowhere else; nothing is empty; the first and the last message are not the
 * model's. Equal messages give equal bytes: prompt caches live from that.
 */
export function toPrompt(request: ModelRequest, dialect: Dialect, writing: Writing = {}): LanguageModelV4Prompt {
  const { model, messages } = request;
  const reader: Reader = {
    dialect,
    provider: model.provider,
    model: model.model,
    canSee: model.input.includes('image'),
    foreignReasoning: writing.foreignReasoning ?? 'drop',
  };
  const before = (writing.written ?? new WrittenMessages()).for(reader);
  const prompt: LanguageModelV4Prompt = [];
  const ids = new CallIds(dialect.longestCallId);
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as Message;
    if (message.role === 'toolResult') continue; // goes with its call
    for (const part of written(message, messages, at, ids, reader, before)) push(prompt, part, dialect);
  }
  if (prompt[0]?.role !== 'user') prompt.unshift(prompt.length === 0 ? goOn : beforeIt);
  if (prompt.at(-1)?.role === 'assistant') prompt.push(goOn);
  if (request.systemPrompt.trim() !== '')
    prompt.unshift({ role: 'system', content: request.systemPrompt.toWellFormed() });
  return prompt;
}

const asked = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });
const beforeIt = asked('(What was said before is not shown.)');
const goOn = asked('Go on.');

function push(prompt: LanguageModelV4Prompt, message: LanguageModelV4Message, { joinsReplies }: Dialect): void {
  const last = prompt.at(-1);
  if (joinsReplies === true && last?.role === 'assistant' && message.role === 'assistant')
    prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] };
  else prompt.push(message);
}

function written(
  message: Exclude<Message, ToolResultMessage>,
  messages: readonly Message[],
  at: number,
  ids: CallIds,
  reader: Reader,
  before: WeakMap<Message, Written>,
): readonly LanguageModelV4Message[] {
  const known = before.get(message);
  if (message.role !== 'assistant') {
    if (known !== undefined) return known.prompt;
    const content = userParts(message.content, reader);
    const prompt: LanguageModelV4Message[] = content.length === 0 ? [] : [{ role: 'user', content }];
    before.set(message, { ids: [], results: [], prompt });
    return prompt;
  }
  const calls = message.content.filter((part) => part.type === 'toolCall');
  const own = ids.of(message);
  const results = calls.length === 0 ? [] : resultsAfter(messages, at, calls);
  if (known !== undefined && isSame(known.ids, own) && isSame(known.results, results)) return known.prompt;
  const prompt = reply(message, calls, own, results, reader);
  before.set(message, { ids: own, results, prompt });
  return prompt;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}

function reply(
  message: AssistantMessage,
  calls: readonly ToolCall[],
  ids: readonly string[],
  results: readonly (ToolResultMessage | undefined)[],
  reader: Reader,
): readonly LanguageModelV4Message[] {
  const content = assistantParts(message, ids, reader);
  if (content.length === 0) return [];
  if (calls.length === 0) return [{ role: 'assistant', content }];
  const { results: parts, lifted } = resultParts(calls, results, ids, reader);
  const answered: LanguageModelV4Message[] = [
    { role: 'assistant', content },
    { role: 'tool', content: parts },
  ];
  return lifted.length === 0 ? answered : [...answered, { role: 'user', content: lifted }];
}

/** The results of the calls of the reply at `at`: all up to the next one, and of two for one call the first. */
function resultsAfter(
  messages: readonly Message[],
  at: number,
  calls: readonly ToolCall[],
): readonly (ToolResultMessage | undefined)[] {
  const found: ToolResultMessage[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next] as Message;
    if (message.role === 'assistant') break;
    if (message.role === 'toolResult') found.push(message);
  }
  return calls.map(({ id }) => {
    const result = found.findIndex(({ toolCallId }) => toolCallId === id);
    return result < 0 ? undefined : found.splice(result, 1)[0];
  });
}

/** The tools as the provider packages take them; undefined for none, since servers refuse an empty list. */
export function toTools(tools: readonly ToolFace[]): LanguageModelV4FunctionTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }));
}
