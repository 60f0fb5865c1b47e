import {
  type AgentEvent,
  type AgentSession,
  type AssistantMessage,
  agentSessions,
  type Message,
  type Model,
  type ModelRequest,
  type Models,
  models,
  type SessionOptions,
  type StreamEvent,
  type ToolCall,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  toolUpdate,
} from 'kern/contracts';
import { definePlugin, KernError, type PluginDefinition, type View } from 'kern/plugin';
import { type BootOptions, bootKernel, type TestKernel } from 'kern/testing';
import agentPlugin from '../index.ts';
import { noUsage } from '../usage.ts';
import { type Found, type Stored, sessionsPlugin } from './store.ts';

export type Reply = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<StreamEvent>;

export const fakeModel = (rest: Partial<Model> = {}): Model => ({
  id: 'fake/m',
  provider: 'fake',
  model: 'm',
  name: 'Fake',
  contextWindow: 1_000,
  maxOutput: 100,
  input: ['text'],
  thinking: ['off', 'low', 'high'],
  cost: null,
  available: true,
  ...rest,
});

export const replyOf = (
  content: AssistantMessage['content'],
  rest: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: 'assistant',
  content,
  api: 'fake',
  provider: 'fake',
  model: 'm',
  usage: noUsage,
  stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
  timestamp: 0,
  ...rest,
});

/** A reply of one text. */
export const says = (text: string, rest: Partial<AssistantMessage> = {}): Reply =>
  async function* () {
    yield { type: 'text_start', contentIndex: 0 };
    yield { type: 'text_delta', contentIndex: 0, delta: text };
    yield { type: 'text_end', contentIndex: 0, content: text };
    yield { type: 'done', message: replyOf([{ type: 'text', text }], rest) };
  };

/** A reply that calls tools: `['c1', 'read', {path: 'a'}]`. */
export const calls = (
  ...list: readonly (readonly [id: string, name: string, args?: Record<string, unknown>])[]
): Reply =>
  async function* () {
    const content = list.map(([id, name, args]): ToolCall => ({ type: 'toolCall', id, name, arguments: args ?? {} }));
    yield { type: 'done', message: replyOf(content) };
  };

export interface FakeModels {
  readonly plugin: PluginDefinition;
  /** Every request, with its own copy of the messages. */
  readonly requests: ModelRequest[];
}

/** A `models` service that answers with these replies, in order; with `aside`, that answers titles and summaries. */
export function fakeModels(
  replies: readonly Reply[],
  known: readonly Model[] = [fakeModel()],
  aside?: Reply,
): FakeModels {
  const requests: ModelRequest[] = [];
  const resolve = async (id: string | undefined): Promise<Model> => {
    const model = id === undefined ? known[0] : known.find((candidate) => candidate.id === id);
    if (model === undefined) throw new KernError('model_unknown', `no model ${id}`);
    return model;
  };
  // What the agent does not ask for is not there.
  const service = {
    list: async () => known,
    resolve,
    find: async (wanted) => {
      const [, name = wanted, level] = /^(.*):(low|high)$/.exec(wanted ?? '') ?? [];
      const thinking = level === 'low' || level === 'high' ? level : undefined;
      return { model: await resolve(name), thinking, notice: undefined };
    },
    forRole: async () => undefined,
    stream: (request, signal) => {
      if (aside !== undefined && request.purpose !== 'turn') return aside(request, signal);
      requests.push({ ...request, messages: [...request.messages] });
      const reply = replies[requests.length - 1];
      if (reply === undefined) throw new Error('the test has no more replies');
      return reply(request, signal);
    },
  } satisfies Partial<Models> as unknown as Models;
  const plugin = definePlugin({
    id: 'models',
    declares: [models],
    setup: (ctx) => ctx.contribute(models, service),
  });
  return { plugin, requests };
}

/** The tools' tokens, without any tool. */
export const toolTokens = definePlugin({
  id: 'tools',
  declares: [tools, toolInput, toolCall, toolResult, toolStart, toolUpdate, toolEnd],
  setup: () => undefined,
});

/** A plugin with one tool that answers with a text. */
export const toolPlugin = (
  name: string,
  answer: string | ((signal: AbortSignal) => string | Promise<string>),
  description = `Does ${name}.`,
): PluginDefinition =>
  definePlugin({
    id: `tool-${name}`,
    setup: (ctx) =>
      ctx.contribute(tools, {
        name,
        description,
        inputSchema: { type: 'object' },
        execute: async (_id: string, _args: unknown, signal: AbortSignal) => ({
          content: [{ type: 'text' as const, text: typeof answer === 'string' ? answer : await answer(signal) }],
        }),
      } as never),
  });

export interface Opened extends AsyncDisposable {
  readonly t: TestKernel;
  readonly view: View;
  readonly session: AgentSession;
  readonly events: AgentEvent[];
  readonly requests: ModelRequest[];
  /** The sessions there are, by path. */
  readonly stored: Stored;
  /** Another session in the same house. */
  reopen(options?: Partial<SessionOptions>): Promise<AgentSession>;
}

export interface OpenOptions extends Partial<SessionOptions> {
  readonly boot?: BootOptions;
  readonly plugins?: readonly PluginDefinition[];
  readonly models?: readonly Model[];
  readonly aside?: Reply;
  /** How sessions are found when they are opened again. */
  readonly found?: (path: string) => Found;
}

/** A kernel with the agent, a session in memory (unless asked otherwise), and all its events. */
export async function openSession(
  replies: readonly Reply[],
  { boot, plugins = [], models: known, aside, found, ...options }: OpenOptions = {},
): Promise<Opened> {
  const fake = fakeModels(replies, known, aside);
  const { plugin, stored } = sessionsPlugin(found);
  const t = await bootKernel([fake.plugin, toolTokens, plugin, agentPlugin, ...plugins], {
    keepers: 'none',
    ...boot,
    // A title is asked for beside the run: a test that wants one says so.
    config: { ...boot?.config, agent: { title: { enabled: false }, ...(boot?.config?.agent ?? {}) } },
  });
  const view = t.kernel.view();
  const create = (more: Partial<SessionOptions>): Promise<AgentSession> =>
    view.service(agentSessions).create({ cwd: t.dir, view, persist: false, ...more });
  const session = await create(options);
  const events: AgentEvent[] = [];
  session.subscribe((event) => events.push(event));
  return {
    t,
    view,
    session,
    events,
    requests: fake.requests,
    stored,
    reopen: (more = {}) => create(more),
    [Symbol.asyncDispose]: async () => {
      await session[Symbol.asyncDispose]();
      await t[Symbol.asyncDispose]();
    },
  };
}

export const textsOf = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) => message.content.map((part) => ('text' in part ? part.text : part.type)).join(''));
