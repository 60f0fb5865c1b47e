import type {
  AgentEvent,
  AssistantMessage,
  ContextMessage,
  ImageContent,
  Message,
  Model,
  ModelRequest,
  NewEntry,
  ToolFace,
  ToolResultMessage,
} from 'kern/contracts';
import type { PluginDefinition, View } from 'kern/plugin';
import { bootKernel, type FakeClock, type TestKernel } from 'kern/testing';
import agentPlugin from '../../index.ts';
import { type AgentSettings, agentSchema } from '../../settings.ts';
import { fakeModel, fakeModels, type Reply, replyOf, says, toolTokens } from '../../test/fakes.ts';
import { sessionsPlugin, TestStore } from '../../test/store.ts';
import { Compactor } from '../compactor.ts';

/** So many tokens of text, by estimate. */
export const words = (tokens: number, letter = 'x'): string => letter.repeat(tokens * 4);

export const user = (text: string, images: readonly ImageContent[] = []): Message => ({
  role: 'user',
  content: [{ type: 'text', text }, ...images],
  timestamp: 0,
});
export const assistant = (text: string, rest: Partial<AssistantMessage> = {}): AssistantMessage =>
  replyOf([{ type: 'text', text }], rest);
export const calling = (id: string, name: string, args: Record<string, unknown> = {}): AssistantMessage =>
  replyOf([{ type: 'toolCall', id, name, arguments: args }]);
export const result = (
  toolCallId: string,
  toolName: string,
  text: string,
  rest: Partial<ToolResultMessage> = {},
): ToolResultMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  content: [{ type: 'text', text }],
  isError: false,
  timestamp: 0,
  ...rest,
});
export const counted = (totalTokens: number): Pick<AssistantMessage, 'usage'> => ({
  usage: { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens, cost: null },
});

export const textsOf = (messages: readonly ContextMessage[]): readonly string[] =>
  messages.map(({ message }) => message.content.map((part) => ('text' in part ? part.text : part.type)).join('\n'));

export interface DeskOptions {
  readonly window?: number;
  readonly settings?: Partial<AgentSettings['compaction']>;
  readonly head?: { readonly system: string; readonly tools: readonly ToolFace[] };
  readonly plugins?: readonly PluginDefinition[];
  /** What the summary is; default: a short text. */
  readonly reply?: Reply;
  readonly models?: readonly Model[];
  /** The kernel's time. */
  readonly clock?: FakeClock;
}

/** A compactor over a conversation in memory, and all that it says, asks and writes. */
export interface Desk extends AsyncDisposable {
  readonly t: TestKernel;
  readonly view: View;
  readonly store: TestStore;
  readonly compactor: Compactor;
  readonly events: AgentEvent[];
  /** What models were asked for summaries. */
  readonly asked: ModelRequest[];
  readonly model: Model;
  setModel(model: Model): void;
  context(): readonly ContextMessage[];
  say(...messages: readonly Message[]): void;
  write(entry: NewEntry): string;
  rebuild(): void;
}

export async function desk(options: DeskOptions = {}): Promise<Desk> {
  const asked: ModelRequest[] = [];
  const aside: Reply = (request, signal) => {
    asked.push(request);
    return (options.reply ?? says('what was'))(request, signal);
  };
  let model = options.models?.[0] ?? fakeModel({ contextWindow: options.window ?? 10_000, maxOutput: 4_000 });
  const { plugin } = sessionsPlugin();
  const t = await bootKernel(
    [
      fakeModels([], options.models ?? [model], aside).plugin,
      toolTokens,
      plugin,
      agentPlugin,
      ...(options.plugins ?? []),
    ],
    { keepers: 'none', ...(options.clock === undefined ? {} : { clock: options.clock }) },
  );
  const view = t.kernel.view();
  const header = { type: 'session', version: 3, id: 's1', timestamp: new Date(0).toISOString(), cwd: t.dir } as const;
  const store = new TestStore(header, undefined, { cwd: t.dir, persist: false });
  const events: AgentEvent[] = [];
  let context: readonly ContextMessage[] = [];
  const write = (entry: NewEntry): string => {
    void store.append(entry);
    return store.leaf ?? '';
  };
  const rebuild = (): void => {
    context = store.context().messages;
  };
  const compactor = new Compactor({
    view: () => view,
    conversation: { contextEntries: () => context, write, rebuild },
    store: () => store,
    model: () => model,
    head: () => options.head ?? { system: '', tools: [] },
    broadcast: { emit: (event) => void events.push(event) },
    sessionId: () => 's1',
    settings: () => agentSchema().parse({ compaction: options.settings, retry: { baseDelayMs: 0 } }),
  });
  return {
    t,
    view,
    store,
    compactor,
    events,
    asked,
    get model() {
      return model;
    },
    setModel: (next) => {
      model = next;
    },
    context: () => context,
    say: (...messages) => {
      for (const message of messages) {
        if (message.role === 'custom') {
          const { customType, content, display } = message;
          write({ type: 'custom_message', customType, content, display });
        } else write({ type: 'message', message });
      }
      rebuild();
    },
    write,
    rebuild,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

/** A signal that never fires. */
export const never = (): AbortSignal => new AbortController().signal;
