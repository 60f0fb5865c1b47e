import { defineCapability, defineService, event, transform } from 'kern/plugin';
import { z } from 'zod';

export const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

// --- Content, as pi's session format v3 has it ---------------------------------------------------------------

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
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
}

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
  /** Its `models()` knocks at a local server: it is asked only when no other provider has a model that can be used. */
  readonly probes?: boolean;
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

/** The request as it is about to leave. */
export const modelRequest = transform<ModelRequest>({ id: 'model.request' });
/** A reply is complete, or failed: how long it took, and what it used. */
export const modelResponse = event<{
  readonly model: string;
  readonly status: 'ok' | 'error';
  readonly durationMs: number;
  readonly usage?: Usage;
  readonly error?: string;
}>({ id: 'model.response' });

/** Finds models over all providers. */
export interface Models {
  /** In order of providers; the ones that cannot be used now say so by `available`. */
  list(signal?: AbortSignal): Promise<readonly Model[]>;
  /**
   * A model by `provider/id`; without one the `model` setting (KERN_MODEL), then the first available model.
   * Throws `no_model` (exit 3) with what would give one, or `model_unknown` with near names.
   */
  resolve(id: string | undefined, signal?: AbortSignal): Promise<Model>;
  /** One reply from the provider of the request's model. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}

/** Finds models over all providers, and asks them for replies. */
export const models = defineService<Models>({ id: 'models', level: 'user' });
