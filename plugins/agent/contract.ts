import {
  decide,
  defineService,
  event,
  type QueuedTexts,
  type Schema,
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
import type {
  ContextMessage,
  EntryNode,
  ForeignEntry,
  Repair,
  SessionBusy,
  SessionEntry,
  SessionHeader,
  UnsavedEntries,
} from '../sessions/contract.ts';
import type { ToolResult } from '../tools/contract.ts';
import type { CompactionJob, CompactionReason, CompactionResult } from './compaction/contract.ts';

/** Why a run ended. `limit`: a budget of turns, time or money. */
export type RunStatus = 'ok' | 'error' | 'aborted' | 'limit';

/** What a session may use up in all its runs. Before each turn it is looked at; time also ends a turn that goes on. */
export interface RunLimits {
  /** US dollars, summaries included. The reply that goes beyond it is paid all the same. */
  readonly maxCost?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxTimeMs?: number | undefined;
}

/** What a session may use up, and what it has used. */
export interface Budget {
  readonly limits: RunLimits;
  readonly used: { readonly cost: number; readonly turns: number; readonly timeMs: number };
  /** US dollars that were spent for this session. */
  pay(cost: number): void;
  /** What is left until time is up; undefined without such a limit. */
  timeLeftMs(): number | undefined;
  /** Why nothing more may be asked of a model: `turn_limit`, `cost_limit`, `time_limit` or `price_unknown`. */
  over(model: Pick<Model, 'id' | 'cost'>): (Error & { readonly code: string }) | undefined;
}

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
      /** With which it ran, where plugins or hooks made others of what the model sent. */
      readonly args?: unknown;
      readonly result: ToolResult;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | ({ readonly type: 'queue_update' } & QueuedTexts)
  | {
      readonly type: 'auto_retry_start';
      /** 1 for the first time that is not the first try. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorCode: string;
      readonly errorMessage: string;
      /** The model that is asked next, when it is another: the next of a fallback chain. */
      readonly model?: string;
    }
  | {
      readonly type: 'auto_retry_end';
      readonly success: boolean;
      readonly attempt: number;
      /** What ended it without success. */
      readonly finalError?: string;
    }
  | { readonly type: 'auto_compaction_start'; readonly reason: CompactionReason; readonly strategy: string }
  | {
      readonly type: 'auto_compaction_end';
      readonly reason: CompactionReason;
      readonly result: CompactionResult | undefined;
      readonly aborted: boolean;
      /** Another try follows: the request that overflowed. */
      readonly willRetry: boolean;
      /** What went wrong; with a `result` it says why older words were dropped instead of summarised. */
      readonly errorMessage?: string;
    }
  | {
      readonly type: 'session_switched';
      readonly reason: SwitchReason;
      readonly sessionId: string;
      readonly sessionFile: string | undefined;
    }
  | { readonly type: 'session_tree'; readonly leaf: string | null }
  | { readonly type: 'session_name'; readonly name: string }
  | { readonly type: 'model_changed'; readonly model: string; readonly reason: string | undefined }
  | {
      readonly type: 'thinking_changed';
      readonly thinking: ThinkingLevel;
      /** Why it is not the level that was asked for: the model does not know that. */
      readonly reason: string | undefined;
    }
  | ({ readonly type: 'session_busy' } & SessionBusy)
  | { readonly type: 'session_repaired'; readonly repairs: readonly Repair[] }
  | { readonly type: 'entry_appended'; readonly entry: unknown }
  | { readonly type: 'session_write_failed'; readonly error: string; readonly pending: number }
  | { readonly type: 'session_write_restored'; readonly written: number }
  | { readonly type: 'hook_message'; readonly hook: string; readonly message: string }
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
  /** Files that the person named with `@`: kept as a `fileMention` message before the text. */
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  /** It is a plugin that says this, and no person: kept as a `custom` message of its type. */
  readonly custom?: { readonly customType: string; readonly display: boolean; readonly details?: unknown };
  /** Of an interruption that no person made: who it was, for the calls that are not made because of it. */
  readonly by?: string;
}

export type SwitchReason = 'new' | 'resume' | 'fork' | 'branch';
/** What a session came to so far. */
export interface SessionStats {
  readonly sessionId: string;
  readonly file: string | undefined;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly usage: Usage;
  /** US dollars, null when a price is unknown. */
  readonly cost: number | null;
  /** What the next request carries, and what the model takes. */
  readonly context: { readonly tokens: number; readonly window: number };
  readonly compactions: number;
  readonly branches: number;
}

/** A conversation: prompts go in, events come out, entries are kept. The object stays the same when it goes on in another file. */
export interface AgentSession extends SessionHandle, AsyncDisposable {
  readonly view: View;
  readonly cwd: string;
  /** The first line of its file, or what that would be. */
  readonly header: SessionHeader;
  readonly currentModel: Model;
  readonly budget: Budget;
  /** Runs until the model has nothing more to do. Never rejects for what happens in the run: see `status`. */
  prompt(prompt: Prompt): Promise<RunResult>;
  /** `sendMessage` with images. */
  steer(prompt: Prompt): void;
  followUp(prompt: Prompt): void;
  /** Stops the reply that is being given, keeps the tools that have finished, and says this instead. */
  interrupt(prompt: Prompt): void;
  /** Rides along with the next prompt. */
  note(prompt: Prompt): void;
  queue(): QueuedTexts;
  subscribe(listener: (event: AgentEvent) => void): { dispose(): void };
  /** What was said in this branch since it was opened or compacted last, in order. */
  messages(): readonly Message[];
  /** What the next request would carry, with the entries it comes from. */
  context(): readonly ContextMessage[];
  stats(): SessionStats;
  /** Puts all that was said on the disk. Answers with what is in memory only, after it was kept elsewhere if that could be. */
  save(): Promise<UnsavedEntries | undefined>;

  // --- The tree

  readonly leaf: string | null;
  nodes(): readonly EntryNode[];
  entry(id: string): SessionEntry | ForeignEntry | undefined;
  label(id: string): string | undefined;

  // --- Compaction

  /** `strategy` and `model` for this once; `preview` changes nothing and costs what the strategy costs. */
  compactWith(options?: {
    readonly instructions?: string | undefined;
    readonly strategy?: string | undefined;
    readonly model?: string | undefined;
    readonly preview?: boolean | undefined;
  }): Promise<CompactionResult>;
  /** Goes on as if the latest compaction of the branch had not been; what was said since stays. Rejects with `nothing_to_undo`. */
  undoCompaction(): Promise<void>;
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
  /** Where session files lie, in place of the setting. */
  readonly sessionDir?: string;
  /** Goes on in this one: a path, an id or the beginning of an id; `latest`: that of this terminal and folder, or a new one. */
  readonly resume?: string | { readonly latest: true };
  /** With `resume`: goes on in a copy. */
  readonly fork?: boolean;
  /** When another process has it open. Default `fork`. */
  readonly whenBusy?: 'fork' | 'readonly' | 'fail';
  /** It ends with the prompts that it is given, as with `kern -p`: nobody waits for a model to name it. */
  readonly oneShot?: boolean;
  /** In place of the settings `plugins.agent.budget`, each for itself. */
  readonly limits?: RunLimits;
  /** That of the session for which this one works: money is taken from it too, and its time is this one's. */
  readonly budget?: Budget;
  /** Faults of plugins, told as `extension_error` while the session lasts; answers with the end of it. */
  readonly faults?: (tell: (fault: Omit<ExtensionError, 'type'>) => void) => () => void;
  readonly view: View;
}

export interface AgentSessions {
  create(options: SessionOptions): Promise<AgentSession>;
  /** Those that have not been left, in the order in which they began. */
  open(): readonly AgentSession[];
}

/** Opens conversations. */
export const agentSessions = defineService<AgentSessions>({ id: 'agent', level: 'user' });

/** A session was opened, before its first prompt. */
export const sessionStart = series<{
  readonly sessionId: string;
  readonly cwd: string;
  readonly reason: 'startup' | SwitchReason;
}>({ id: 'session.start' });
/** A session is being closed: the last moment to write something down. */
export const sessionShutdown = series<{
  readonly sessionId: string;
  readonly reason: 'quit' | SwitchReason;
}>({ id: 'session.shutdown' });

/** A refusal, with its reason. */
export interface Refused {
  readonly refuse: string;
}
const refused = z.object({ refuse: z.string() }) as unknown as Schema<Refused>;
const guard = { deny: (reason: string): Refused => ({ refuse: reason }) };

/** Before the session is left for a new one, another one or a copy. */
export const sessionBeforeSwitch = decide<
  { readonly sessionId: string; readonly reason: 'new' | 'resume' | 'fork'; readonly target: string | undefined },
  Refused
>({ id: 'session.before-switch', answer: refused, guard });
/** Before a new file begins at a message of this one. */
export const sessionBeforeBranch = decide<{ readonly sessionId: string; readonly entryId: string }, Refused>({
  id: 'session.before-branch',
  answer: refused,
  guard,
});
/** Before the leaf moves; a plugin may also give the summary of what is left. */
export const sessionBeforeTree = decide<
  {
    readonly sessionId: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly summarize: boolean;
  },
  Refused | { readonly summary: string }
>({
  id: 'session.before-tree',
  answer: z.union([z.object({ refuse: z.string() }), z.object({ summary: z.string() })]) as unknown as Schema<
    Refused | { readonly summary: string }
  >,
  guard,
});
/** Before a compaction; a plugin may also give the summary. */
export const sessionBeforeCompact = decide<
  { readonly sessionId: string; readonly reason: CompactionReason; readonly job: CompactionJob },
  Refused | { readonly summary: string; readonly details?: unknown }
>({
  id: 'session.before-compact',
  answer: z.union([
    z.object({ refuse: z.string() }),
    z.object({ summary: z.string(), details: z.unknown().optional() }),
  ]) as unknown as Schema<Refused | { readonly summary: string; readonly details?: unknown }>,
  guard,
});
/** The session goes on in another file. */
export const sessionSwitch = event<{
  readonly sessionId: string;
  readonly previous: string;
  readonly reason: 'new' | 'resume' | 'fork';
}>({ id: 'session.switch' });
/** The session goes on in a new file that begins as the old one did, up to a message. */
export const sessionBranch = event<{ readonly sessionId: string; readonly previous: string; readonly entryId: string }>(
  {
    id: 'session.branch',
  },
);
/** The leaf moved. */
export const sessionTree = event<{
  readonly sessionId: string;
  readonly from: string | null;
  readonly to: string | null;
}>({
  id: 'session.tree',
});
/** A compaction is kept. */
export const sessionCompact = event<{
  readonly sessionId: string;
  readonly reason: CompactionReason;
  readonly result: CompactionResult;
}>({ id: 'session.compact' });
/** A request is tried again, after `delayMs`. */
export const retryStart = event<{
  readonly sessionId: string;
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: string;
}>({ id: 'retry.start' });
/** How trying again ended. */
export const retryEnd = event<{ readonly sessionId: string; readonly attempt: number; readonly success: boolean }>({
  id: 'retry.end',
});
/** The model of the session is another. */
export const modelSelect = event<{
  readonly sessionId: string;
  readonly model: string;
  readonly previous: string | undefined;
  /** Why kern chose it itself: the one before is gone, or a fallback. */
  readonly reason: string | undefined;
}>({ id: 'model.select' });
/** The thinking level of the session is another. */
export const thinkingSelect = event<{
  readonly sessionId: string;
  readonly thinking: ThinkingLevel;
  readonly previous: ThinkingLevel | undefined;
}>({ id: 'thinking.select' });

export interface InputAnswer {
  readonly handled: true;
  /** In place of an answer of the model. */
  readonly say?: string;
  /** It is not sent, and that is a failure: an error of the run instead of an answer. */
  readonly refused?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** A plugin takes an input for itself: nothing is sent to the model. */
export const input = decide<
  {
    readonly text: string;
    readonly images: readonly ImageContent[];
    readonly source: 'person' | 'rpc' | 'plugin';
    /** Aborted when the person gives it up meanwhile: what was begun for it ends. */
    readonly signal?: AbortSignal;
  },
  InputAnswer
>({
  id: 'input',
  answer: z.object({
    handled: z.literal(true),
    say: z.string().optional(),
    refused: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
  }) as unknown as Schema<InputAnswer>,
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
/**
 * The model would stop, and nothing waits: with an answer the run goes on, and that is told to the model. Asked at most
 * eight times a run; not where the run was ended, failed, or used up a limit.
 */
export const agentBeforeEnd = decide<
  {
    readonly sessionId: string;
    readonly message: AssistantMessage;
    /** How often this run has gone on for an answer to this. */
    readonly continued: number;
  },
  { readonly goOn: string }
>({
  id: 'agent.before-end',
  answer: z.object({ goOn: z.string() }) as unknown as Schema<{ readonly goOn: string }>,
});
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
export const queueChanged = event<QueuedTexts>({ id: 'queue.changed' });

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
  /** Not all that may belong here was found in time: what was told before and is not among the sections goes on to hold. */
  readonly isPartial?: boolean;
}>({ id: 'system-prompt' });

/** A message begins; of a reply nothing is there yet. */
export const messageStart = event<{ readonly message: Message }>({ id: 'message.start' });
/** A piece of a reply came. Many a second: be quick. */
export const messageUpdate = event<{ readonly event: StreamEvent }>({ id: 'message.update' });
/** A message before it is kept: same role, other content. */
export const messageEnd = transform<{ readonly message: Message }>({ id: 'message.end' });
