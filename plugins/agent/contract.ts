import {
  decide,
  defineService,
  event,
  type SessionHandle,
  series,
  transform,
  type View,
  type Where,
} from 'kern/plugin';
import { z } from 'zod';
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  StreamEvent,
  ThinkingLevel,
  ToolFace,
  ToolResultMessage,
  Usage,
} from '../models/contract.ts';
import type { SessionHeader } from '../sessions/contract.ts';
import type { ToolResult } from '../tools/contract.ts';

/** Why a run ended. `limit`: a budget of turns, time or money. */
export type RunStatus = 'ok' | 'error' | 'aborted' | 'limit';

export interface RunResult {
  readonly status: RunStatus;
  /** The last text of the model. */
  readonly text: string;
  readonly usage: Usage;
  /** US dollars, null when a price is unknown. */
  readonly cost: number | null;
  readonly turns: number;
  readonly durationMs: number;
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | undefined;
  readonly messages: readonly Message[];
}

/**
 * What modes listen to. Names and shapes are those of the JSON stream (oh-my-pi v13, pi's `entry_appended` and
 * `agent_settled`, and kern's own); a mode may print an event as it is.
 */
export type AgentEvent =
  | { readonly type: 'agent_start' }
  | { readonly type: 'agent_end'; readonly messages: readonly Message[] }
  | { readonly type: 'agent_settled'; readonly aborted: boolean }
  | { readonly type: 'turn_start'; readonly turnIndex: number }
  | {
      readonly type: 'turn_end';
      readonly turnIndex: number;
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: 'message_start'; readonly message: Message }
  | { readonly type: 'message_update'; readonly assistantMessageEvent: Exclude<StreamEvent, { type: 'done' }> }
  | { readonly type: 'message_end'; readonly message: Message }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: 'tool_execution_update';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly partialResult: ToolResult;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | { readonly type: 'queue_update'; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: 'entry_appended'; readonly entry: unknown }
  | { readonly type: 'session_write_failed'; readonly error: string; readonly pending: number }
  | { readonly type: 'session_write_restored'; readonly written: number }
  | { readonly type: 'extension_error'; readonly extensionPath: string; readonly event: string; readonly error: string }
  | {
      readonly type: 'plugin_changed';
      readonly id: string;
      readonly state: 'live' | 'kept' | 'failed' | 'unloaded' | 'blocked';
      readonly revision: number;
      readonly reason?: string;
      readonly file?: string;
    }
  | {
      readonly type: 'capability_changed';
      readonly capability: string;
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'config_changed'; readonly keys: readonly string[] }
  | {
      readonly type: 'permission_decided';
      readonly tool: string;
      readonly verdict: 'allow' | 'deny';
      readonly reason: string;
    };

export interface Prompt {
  readonly text: string;
  readonly images?: readonly ImageContent[];
}

/** A conversation: prompts go in, events come out, entries are kept. */
export interface AgentSession extends SessionHandle, AsyncDisposable {
  readonly view: View;
  readonly cwd: string;
  /** The first line of its file, or what that would be. */
  readonly header: SessionHeader;
  readonly currentModel: Model;
  /** Runs until the model has nothing more to do. Never rejects for what happens in the run: see `status`. */
  prompt(prompt: Prompt): Promise<RunResult>;
  subscribe(listener: (event: AgentEvent) => void): { dispose(): void };
  messages(): readonly Message[];
}

/** A plugin failed while a session ran. */
export type ExtensionError = Extract<AgentEvent, { readonly type: 'extension_error' }>;

export interface SessionOptions {
  readonly cwd: string;
  /** `provider/model`; default: KERN_MODEL, the `model` setting, then the first available one. */
  readonly model?: string;
  /** Only these tools; an empty list means none. Default: the active ones. */
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: readonly string[];
  readonly thinking?: ThinkingLevel;
  /** Default true: written to a session file. */
  readonly persist?: boolean;
  /** Faults of plugins, told as `extension_error` while the session lasts; answers with the end of it. */
  readonly faults?: (tell: (fault: Omit<ExtensionError, 'type'>) => void) => () => void;
  readonly view: View;
}

export interface AgentSessions {
  create(options: SessionOptions): Promise<AgentSession>;
}

/** Opens conversations. */
export const agentSessions = defineService<AgentSessions>({ id: 'agent', level: 'user' });

/** A session was opened, before its first prompt. */
export const sessionStart = series<{
  readonly sessionId: string;
  readonly cwd: string;
  readonly reason: 'startup' | 'new' | 'resume' | 'fork';
}>({ id: 'session.start' });
/** A session is being closed: the last moment to write something down. */
export const sessionShutdown = series<{
  readonly sessionId: string;
  readonly reason: 'quit' | 'new' | 'resume' | 'fork';
}>({ id: 'session.shutdown' });

/** A plugin takes an input for itself: nothing is sent to the model. */
export const input = decide<
  { readonly text: string; readonly source: 'person' | 'rpc' | 'plugin' },
  { readonly handled: true; readonly say?: string }
>({
  id: 'input',
  answer: z.object({
    handled: z.literal(true),
    say: z.string().optional(),
  }) as unknown as import('kern/plugin').Schema<{ readonly handled: true; readonly say?: string }>,
});
/** Changes an input before it is sent. */
export const inputText = transform<{ readonly text: string; readonly images: readonly ImageContent[] }>({
  id: 'input.text',
});

/** Before a run: messages to add before the prompt. `prompt` is the system prompt as it stands, to read; `system-prompt` changes it. */
export const agentBeforeStart = transform<{ readonly prompt: string; readonly messages: readonly Message[] }>({
  id: 'agent.before-start',
});
/** A run begins. */
export const agentStart = event<{ readonly sessionId: string }>({ id: 'agent.start' });
/** A run is over, and how it ended. */
export const agentEnd = event<{ readonly sessionId: string; readonly status: RunStatus }>({ id: 'agent.end' });
/** A turn begins: one request, and the calls that its reply makes. */
export const turnStart = event<{ readonly sessionId: string; readonly turnIndex: number }>({ id: 'turn.start' });
/** A turn is over: the reply, and the results of its calls in their order. */
export const turnEnd = event<{
  readonly sessionId: string;
  readonly turnIndex: number;
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
}>({ id: 'turn.end' });
/** Text that waits for the model came or went. */
export const queueChanged = event<{ readonly steering: readonly string[]; readonly followUp: readonly string[] }>({
  id: 'queue.changed',
});

/** The messages of the next request. Nothing of it is kept in the session. */
export const context = transform<{ readonly messages: readonly Message[] }>({ id: 'context' });

/** A part of the system prompt. Parts are joined with a blank line, in order. */
export interface PromptSection {
  readonly id: string;
  readonly text: string;
}
/** The system prompt, made once a session and again when a plugin changes: a stable prefix keeps the prompt cache. */
export const systemPrompt = transform<{
  readonly sections: readonly PromptSection[];
  readonly where: Where;
  readonly tools: readonly ToolFace[];
}>({ id: 'system-prompt' });

/** A message begins; of a reply nothing is there yet. */
export const messageStart = event<{ readonly message: Message }>({ id: 'message.start' });
/** A piece of a reply came. Many a second: be quick. */
export const messageUpdate = event<{ readonly event: StreamEvent }>({ id: 'message.update' });
/** A message before it is kept: same role, other content. */
export const messageEnd = transform<{ readonly message: Message }>({ id: 'message.end' });
