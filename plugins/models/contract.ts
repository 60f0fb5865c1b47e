import type { Agent } from 'node:http';
import { defineCapability, defineService, event, transform } from 'kern/plugin';
import { z } from 'zod';

export const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

// --- Content, as pi's session format v3 has it ---------------------------------------------------------------

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  /** Opaque, and goes back to the model that made it, as with reasoning. */
  readonly textSignature?: string;
}

/** `data` is base64. */
export interface ImageContent {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** Reasoning. `thinkingSignature` is opaque and goes back to the model that made it. */
export interface ThinkingContent {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

export interface ToolCall {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set when the arguments came as something that is not a JSON object: what came. */
  readonly invalidArguments?: string;
  /** Opaque, and goes back to the model that made it, as with reasoning. */
  readonly thoughtSignature?: string;
}

/** Tokens; `input` without those from the cache. `cost` in US dollars, null where prices are unknown. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly totalTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  } | null;
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'refusal' | 'error' | 'aborted';

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
  readonly timestamp: number;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly (TextContent | ImageContent)[];
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextContent | ThinkingContent | ToolCall)[];
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  /** Stable code of what went wrong: see ModelErrorCode. */
  readonly errorCode?: string;
  readonly responseId?: string;
  readonly timestamp: number;
}

export interface ToolResultMessage {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly durationMs?: number;
  readonly timestamp: number;
}

/** Put into the context by a plugin or by kern itself (an announcement); the model reads it as a user message. */
export interface CustomMessage {
  readonly role: 'custom';
  readonly customType: string;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage | CustomMessage;

// --- Streaming -------------------------------------------------------------------------------------------------

/** One step of a reply. `contentIndex` counts the blocks of the reply; only deltas travel. */
export type StreamEvent =
  | { readonly type: 'text_start' | 'thinking_start'; readonly contentIndex: number }
  | { readonly type: 'text_delta' | 'thinking_delta'; readonly contentIndex: number; readonly delta: string }
  | { readonly type: 'text_end'; readonly contentIndex: number; readonly content: string }
  | {
      readonly type: 'thinking_end';
      readonly contentIndex: number;
      readonly content: string;
      readonly signature?: string;
    }
  | { readonly type: 'toolcall_start'; readonly contentIndex: number; readonly id: string; readonly toolName: string }
  | { readonly type: 'toolcall_delta'; readonly contentIndex: number; readonly delta: string }
  | { readonly type: 'toolcall_end'; readonly contentIndex: number; readonly toolCall: ToolCall }
  | { readonly type: 'done'; readonly message: AssistantMessage };

/** `transient`: the same request may succeed later. Sent by a stream as a thrown KernError with this code. */
export type ModelErrorCode =
  | 'model_unauthorized'
  | 'model_not_found'
  | 'model_rate_limited'
  | 'model_quota'
  | 'model_overloaded'
  | 'model_context_overflow'
  | 'model_bad_request'
  | 'model_disconnected'
  | 'model_stalled'
  | 'model_bad_response'
  | 'auth_expired'
  | 'script_exhausted'
  | 'script_expectation'
  | 'script_invalid';

// --- Providers -------------------------------------------------------------------------------------------------

/** US dollars a million tokens. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly validFrom?: string;
  /** Other prices for a request whose prompt is longer than `above` tokens; the highest that fits counts, for all of the request. */
  readonly tiers?: readonly {
    readonly above: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  }[];
}

export interface Model {
  /** `provider/model`; the provider ends at the first slash. */
  readonly id: string;
  readonly provider: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly input: readonly ('text' | 'image')[];
  readonly thinking: readonly ThinkingLevel[];
  readonly cost: Cost | null;
  /** It can be used now: the key is there, or the local server answered. */
  readonly available: boolean;
  /** Who made it, where that is not who serves it. */
  readonly vendor?: string;
  /** Other names of it at this provider. */
  readonly aliases?: readonly string[];
  /** Of models of one family the higher is the newer. */
  readonly generation?: number;
  /** The wire that it needs, where its provider speaks more than one. */
  readonly wire?: string;
  /** Tokens of thinking by level, where the wire counts them. */
  readonly thinkingBudgets?: Readonly<Partial<Record<ThinkingLevel, number>>>;
}

/** The face of a tool that a model sees. */
export interface ToolFace {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly model: Model;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolFace[];
  readonly thinking: ThinkingLevel;
  readonly maxOutput?: number;
  /** Stable for a session: the prompt cache's key. */
  readonly sessionId: string;
  /** A title or a summary is no turn: a script gives it no reply of its own. */
  readonly purpose: 'turn' | 'title' | 'summary';
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What providers remember of the session from one request to the next (ids of responses, keys of caches), by provider.
   * Empty again when the session goes on with another model or another branch.
   */
  readonly state?: Map<string, unknown>;
  /** The way to the server, as the settings and the environment say. `replyOver` goes by it. */
  readonly network?: Network;
}

/** How requests leave this machine: through which proxy, and whose certificates they trust. */
export interface Network {
  /** What node:http and node:https take as their `agent`; undefined where nothing is special about the way to an address. */
  agentFor(url: string): Promise<Agent> | undefined;
}

/** A server that can be asked for its models. */
export interface ModelDiscovery {
  /** What it says holds for this address only. */
  readonly address: string;
  /** `by`: the way there, and what it is asked with, where kern has something for it. */
  ask(
    signal: AbortSignal,
    by?: { readonly network?: Network | undefined; readonly credential?: Credential | undefined },
  ): Promise<readonly DiscoveredModel[]>;
}

/** What a server, a file or a catalogue says of a model. What it leaves out is known from elsewhere, or not at all. */
export type DiscoveredModel = Pick<Model, 'model'> & {
  readonly [K in Exclude<keyof Model, 'id' | 'provider' | 'model' | 'available'>]?: Model[K] | undefined;
};

/** A source of models. Descriptors only; the wire's library loads with the first request. */
export interface ModelProvider {
  readonly id: string;
  readonly displayName: string;
  /** What it offers, from data and settings, without a network call; local servers on loopback excepted. */
  models(signal?: AbortSignal): readonly Model[] | Promise<readonly Model[]>;
  /** A model by its name at this provider, also one it does not list. */
  model(name: string): Model | undefined | Promise<Model | undefined>;
  /** Why nothing of it can be used now, and what would change that. */
  missing?(): string | undefined;
  /**
   * Where its key stands, in order: `$NAME` of the environment, `!command`, or the key itself. What `kern auth login` has
   * kept for it comes after these. No child process gets the variables that are named here.
   */
  keys?(): readonly string[];
  /** Other secrets that go along, written as `keys` are: kept from child processes and out of texts like those. */
  secrets?(): readonly string[];
  /** Its `models()` knocks at a local server: it is asked only when no other provider has a model that can be used. */
  readonly probes?: boolean;
  /**
   * Whose catalogue its models are from now, as `provider`: what is known of them beside what `models()` says counts, and
   * `models()` makes no network call. Undefined: a server of one's own says what there is.
   */
  catalog?(): string | undefined;
  /** How its server is asked what models it has, for `kern models refresh`; undefined where there is nobody to ask. */
  discovery?(): ModelDiscovery | undefined;
  /**
   * One reply. A stream ends with `done` or throws: a KernError with a ModelErrorCode, or, as soon as `signal` is
   * aborted, an error named `AbortError`. Whoever leaves the loop early ends the request.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Sources of models. Key: the id, which is what stands before the slash of `provider/model`. */
export const modelProviders = defineCapability<ModelProvider>({
  id: 'model-provider',
  schema: z.custom<ModelProvider>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      !value.id.includes('/') &&
      'displayName' in value &&
      'stream' in value &&
      isFunction(value.stream) &&
      'models' in value &&
      isFunction(value.models) &&
      'model' in value &&
      isFunction(value.model),
    'a model provider is {id (no slash), displayName, models(), model(name), stream(request, signal)}',
  ),
  key: (provider) => provider.id,
});

/** What is said of a provider's model beside what the provider says itself: a price, a limit, a model that is new. */
export type ModelOverride = DiscoveredModel & Pick<Model, 'provider'>;

/** Facts about models of any provider, the first one for a model wins. Key: `provider/model`. */
export const modelOverrides = defineCapability<ModelOverride>({
  id: 'model-override',
  schema: z.custom<ModelOverride>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'provider' in value &&
      typeof value.provider === 'string' &&
      'model' in value &&
      typeof value.model === 'string',
    'a model override is {provider, model, and what is said of it: name, contextWindow, maxOutput, input, thinking, cost …}',
  ),
  key: ({ provider, model }) => `${provider}/${model}`,
});

/** A mistake in a file that describes providers or models: what it is about is not there, or less of it. */
export interface ModelProblem {
  /** Whose description it is; undefined where all of the file is concerned. */
  readonly provider?: string | undefined;
  /** With file and line: `models.yml:4: acme.baseUrl: expected an http or https address`. */
  readonly text: string;
}

/** Mistakes in what people say of providers and models, told by whoever reads it. Key: the text. */
export const modelProblems = defineCapability<ModelProblem>({
  id: 'model-problem',
  schema: z.custom<ModelProblem>(
    (value) => typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string',
    'a model problem is {provider, text}',
  ),
  key: ({ text }) => text,
});

/** The request as it is about to leave. */
export const modelRequest = transform<ModelRequest>({ id: 'model.request' });
/**
 * Headers that go with a request beside those of its wire, before it leaves. The key is not among them, and cannot be set
 * here, nor can what HTTP itself needs.
 */
export const modelHeaders = transform<{ readonly model: string; readonly headers: Readonly<Record<string, string>> }>({
  id: 'model.headers',
});
/** A reply is complete, or failed: how long it took, and what it used. */
export const modelResponse = event<{
  readonly model: string;
  readonly status: 'ok' | 'error';
  readonly durationMs: number;
  readonly usage?: Usage;
  readonly error?: string;
}>({ id: 'model.response' });

/** Follows one request and its reply. */
export interface ExchangeObserver {
  /** A piece of the reply, as it came. Many a second: be quick. */
  event?(event: StreamEvent): void;
  /** It is over. `error` is what the request failed with; without one, and not `aborted`, the last event was `done`. */
  end?(end: { readonly error?: unknown; readonly aborted: boolean }): void;
}

/** Looks on at what passes between kern and the providers: a recorder, a meter. It changes nothing. */
export interface ModelObserver {
  readonly id: string;
  /** A request is about to leave. Undefined: of no interest. */
  begin(request: ModelRequest): ExchangeObserver | undefined;
}

/** Those who look on at requests and replies. Key: the id. */
export const modelObservers = defineCapability<ModelObserver>({
  id: 'model-observer',
  schema: z.custom<ModelObserver>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      'begin' in value &&
      isFunction(value.begin),
    'a model observer is {id, begin(request)}',
  ),
  key: (observer) => observer.id,
});

// --- Roles and names ---------------------------------------------------------------------------------------------

/** What a model is asked for. `default` is that of the conversation. */
export const modelRoles = ['default', 'small', 'slow', 'plan', 'vision', 'commit', 'task'] as const;
export type ModelRole = (typeof modelRoles)[number];

/** A model as a person named it. */
export interface ResolvedModel {
  readonly model: Model;
  /** From `:high` after the name. */
  readonly thinking: ThinkingLevel | undefined;
  /** Why it is not what was asked for first: a fallback. */
  readonly notice: string | undefined;
}

// --- Signing in ---------------------------------------------------------------------------------------------------

/** How a request is allowed: what goes into its headers. Never printed, kept in a transcript or given to a child process. */
export interface Credential {
  readonly kind: 'key' | 'oauth';
  readonly secret: string;
  /** Which account, for people: a name or the last characters of a key. */
  readonly account: string;
  /** Other hosts than these never get it. */
  readonly hosts?: readonly string[] | undefined;
  /** Where it is good for, when the sign-in says so: it stands for the provider's usual base URL. */
  readonly baseUrl?: string | undefined;
  /** Headers beside the secret: an organisation, an account id. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RefreshOptions {
  readonly signal: AbortSignal;
  /** Only these; default: all that can be asked. */
  readonly providers?: readonly string[];
}

/** What came of asking for one provider's models. */
export interface RefreshReport {
  readonly provider: string;
  /** Who was asked: an address. */
  readonly from: string;
  /** How many models it named, or why it is not known; then what was kept before still counts. */
  readonly found: number | { readonly failed: string };
}

/** Finds models over all providers. */
export interface Models {
  /** In order of providers; the ones that cannot be used now say so by `available`. */
  list(signal?: AbortSignal): Promise<readonly Model[]>;
  /**
   * A model by `provider/id`; without one the `model` setting (KERN_MODEL), then the first available model.
   * Throws `no_model` (exit 3) with what would give one, or `model_unknown` with near names.
   */
  resolve(id: string | undefined, signal?: AbortSignal): Promise<Model>;
  /**
   * As `resolve`, for what a person writes: fuzzy names, globs, `:thinking` at the end, names of roles. Throws
   * `model_ambiguous` with the candidates.
   */
  find(wanted: string | undefined, signal?: AbortSignal): Promise<ResolvedModel>;
  /**
   * The model of a role: what the setting `modelRoles` names for it, the first of them that can be used. Where nothing is
   * set it is made out `beside` a model, by default that of the role `default`: a cheaper one of the same provider for
   * `small`, one that sees for `vision`. Undefined where there is no model at all.
   */
  forRole(role: ModelRole, signal?: AbortSignal, beside?: Model): Promise<ResolvedModel | undefined>;
  /** The models to choose from: those that can be used, and that the setting `enabledModels` names where it is set. */
  choices(signal?: AbortSignal): Promise<readonly Model[]>;
  /** Asks the servers, and the public catalogue, what models there are now, and keeps what they say. */
  refresh(options: RefreshOptions): Promise<readonly RefreshReport[]>;
  /** How requests leave this machine: for those that are made beside `stream`. */
  readonly network?: Network | undefined;
  /** One reply from the provider of the request's model. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}

/** Finds models over all providers, and asks them for replies. */
export const models = defineService<Models>({ id: 'models', level: 'user' });
