import { defineService, type Entry, event } from 'kern/plugin';
import type { HookItem } from '../discovery/contract.ts';
import type { ImageContent, TextContent } from '../models/contract.ts';

// Hooks as other agents have them: programs that are asked or told at an event, and modules whose default export is called
// with an API. What is found of them is `hookItems`; here is what they are told.

/** An event of hooks that are data, as the Claude dialect names it. */
export interface HookEvent {
  readonly event: string;
  /** What else it is called: `gemini: BeforeTool`. */
  readonly also: readonly string[];
  /** The hook of kern it is told by. Undefined: it never comes, and `note` says why. */
  readonly from: string | undefined;
  /** What the matcher of such a hook is held against. */
  readonly matches?: string;
  /** What it is told beside what all are told. */
  readonly gives?: string;
  /** What of its answer counts beside what counts of all. */
  readonly takes?: string;
  readonly note?: string;
}

/** A hook that was found, and what becomes of it here. */
export interface HookState {
  /** `.claude/settings.json#1`. */
  readonly name: string;
  readonly event: string;
  readonly path: string;
  /** `runs`, or why not. */
  readonly state: 'runs' | 'unused' | 'untrusted' | 'changed' | 'off';
  readonly why?: string;
}

/** Hooks that are data. */
export interface Hooks {
  /** Every hook that is found from here, and whether it would run. Runs none. */
  states(): Promise<readonly HookState[]>;
  /** Why a hook would never run, whoever trusts it: its event does not come. */
  whyUnused(item: HookItem): Promise<string | undefined>;
  /** What becomes of one that is in force. */
  stateOf(hook: Entry<HookItem>): Promise<HookState>;
  /** The events, and what each is here: for the page about them. */
  events(): Promise<readonly HookEvent[]>;
}

/** Runs the hooks that other agents' files and kern's own describe. */
export const hooks = defineService<Hooks>({ id: 'hooks', level: 'builtin' });

/** A hook has something to say to the person (`systemMessage`), and nobody is there whom it could be shown. */
export const hookMessage = event<{ readonly sessionId: string; readonly hook: string; readonly message: string }>({
  id: 'hook.message',
});

// --- What a module of hooks is told ------------------------------------------------------------------------------------

/** What the results of kern's own tools tell beside their text, by tool. */
export interface ToolDetails {
  readonly bash: ShellResultDetails;
  readonly powershell: ShellResultDetails;
  readonly read: Readonly<Record<string, unknown>>;
  readonly write: {
    readonly path: string;
    readonly state: 'created' | 'replaced';
    readonly bytes: number;
    readonly encoding: string;
  };
  readonly edit: { readonly diff: string; readonly patch: string; readonly firstChangedLine: number };
  readonly grep: {
    readonly path: string;
    readonly matches: number;
    readonly files: number;
    readonly truncated: boolean;
    readonly nextOffset?: number;
  };
  readonly find: { readonly path: string; readonly found: number; readonly truncated: boolean };
  readonly ls: { readonly path: string; readonly entries: number; readonly truncated: boolean };
}

export interface ShellResultDetails {
  /** Undefined where a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** Where the shell is afterwards. */
  readonly cwd: string;
  readonly truncated: boolean;
  /** The whole output, where it is longer than what is shown. */
  readonly artifactId?: string;
  /** It runs in the background. */
  readonly jobId?: string;
}

interface AnyToolResultEvent {
  readonly type: 'tool_result';
  readonly toolCallId: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly isError: boolean;
}

/** A result of one of kern's own tools; of a call that failed there may be no details. */
export type KnownToolResultEvent = {
  readonly [T in keyof ToolDetails]: AnyToolResultEvent & {
    readonly toolName: T;
    readonly details: ToolDetails[T] | undefined;
  };
}[keyof ToolDetails];

/** A result of any other tool. */
export interface CustomToolResultEvent extends AnyToolResultEvent {
  readonly toolName: string;
  readonly details: unknown;
}

/** `tool_result`: told apart by `toolName`, with `isResultOf` where the tool may be anybody's. */
export type ToolResultEvent = KnownToolResultEvent | CustomToolResultEvent;

/** `tool_call`: before a tool runs. A handler that throws blocks the call. */
export interface ToolCallEvent {
  readonly type: 'tool_call';
  readonly toolName: string;
  readonly toolCallId: string;
  /** May be changed: it is validated again. */
  input: Record<string, unknown>;
}

/** What handlers answer, by event. The table of all events is that of `extensionApis`. */
export interface HookAnswers {
  readonly tool_call: { readonly block?: boolean; readonly reason?: string; readonly terminate?: boolean };
  readonly tool_result: {
    readonly content?: readonly (TextContent | ImageContent)[];
    readonly details?: unknown;
    readonly isError?: boolean;
  };
}

/** What handlers are told, by event. */
export interface HookPayloads {
  readonly tool_call: ToolCallEvent;
  readonly tool_result: ToolResultEvent;
}

/** What the default export of a module of hooks is called with: the part of the API that hooks are made of. */
export interface HookApi {
  on<E extends keyof HookPayloads>(
    event: E,
    handler: (
      event: HookPayloads[E],
      context: unknown,
    ) => HookAnswers[E] | undefined | Promise<HookAnswers[E] | undefined>,
  ): () => void;
  on(event: string, handler: (event: Readonly<Record<string, unknown>>, context: unknown) => unknown): () => void;
  /** A command behind a slash. */
  registerCommand(
    name: string,
    options: { readonly description?: string; readonly handler: (args: string, context: unknown) => unknown },
  ): void;
  /** How messages of a type of its own are shown. */
  registerMessageRenderer(customType: string, renderer: (...args: never[]) => unknown): void;
}

/** A module of hooks exports such a function as its default. */
export type HookFactory = (api: HookApi) => unknown;
