import { randomBytes } from 'node:crypto';
import { KernError } from 'kern/plugin';
import { type Schema, Type } from './typebox.ts';

export { Type };

/** A text out of a list, in the form that every provider takes. */
export function StringEnum(values: readonly string[], options: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: 'string', enum: [...values], ...options };
}

/** An id that sorts by time: RFC 9562, version 7. */
export function uuidv7(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  cost?: unknown;
}
type Prices = Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;

/** US dollars for the tokens of a reply, which gets them too. */
export function calculateCost(model: { readonly cost: Prices }, usage: Usage): object {
  const of = (kind: keyof Prices): number => (model.cost[kind] / 1_000_000) * usage[kind];
  const cost = { input: of('input'), output: of('output'), cacheRead: of('cacheRead'), cacheWrite: of('cacheWrite') };
  usage.cost = { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
  return usage.cost as object;
}

type Event = Readonly<Record<string, unknown>>;

/** Events of a reply, pushed on one side and read on the other. */
export class AssistantMessageEventStream implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  readonly #readers: ((step: IteratorResult<Event>) => void)[] = [];
  readonly #result = Promise.withResolvers<unknown>();
  #isOver = false;

  push(event: Event): void {
    if (this.#isOver) return;
    if (event.type === 'done') this.#result.resolve(event.message);
    if (event.type === 'error') this.#result.resolve(event.error);
    const reader = this.#readers.shift();
    if (reader === undefined) this.#events.push(event);
    else reader({ done: false, value: event });
    if (event.type === 'done' || event.type === 'error') this.end();
  }

  end(result?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#result.resolve(result);
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  result(): Promise<unknown> {
    return this.#result.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return {
      next: () => {
        const event = this.#events.shift();
        if (event !== undefined) return Promise.resolve({ done: false, value: event });
        if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
        return new Promise((resolve) => this.#readers.push(resolve));
      },
    };
  }
}

export const createAssistantMessageEventStream = (): AssistantMessageEventStream => new AssistantMessageEventStream();

/** What a system prompt comes to where it is a message of the conversation. */
export function getCurrentSystemPrompt(
  messages: readonly { readonly role: string; readonly content?: unknown }[],
): string {
  return messages
    .flatMap(({ role, content }) => (role === 'system' && typeof content === 'string' ? [content] : []))
    .join('\n\n');
}

const elsewhere = (name: string) => (): never => {
  throw new KernError(
    'foreign_name_missing',
    `pi-ai's ${name} makes requests of its own, and kern makes all requests itself`,
    {
      hint: 'use ctx.modelRegistry.complete(model, { systemPrompt, messages })',
    },
  );
};

export const streamSimple = elsewhere('streamSimple');
export const completeSimple = elsewhere('completeSimple');
export const stream = elsewhere('stream');
export const complete = elsewhere('complete');
export const registerApiProvider = elsewhere('registerApiProvider');
export const anthropicMessagesApi = elsewhere('anthropicMessagesApi');
export const openAIResponsesApi = elsewhere('openAIResponsesApi');
export const openAICompletionsApi = elsewhere('openAICompletionsApi');
export const createProvider = elsewhere('createProvider');
