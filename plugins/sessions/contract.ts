import { defineCapability, defineService, event } from 'kern/plugin';
import { z } from 'zod';
import type { Message, ThinkingLevel } from '../models/contract.ts';

// --- The file: NDJSON, format v3 as pi writes it --------------------------------------------------------------------

/** First line of a session file. Keys of other programs stay. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: 3;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  /** The file this one was forked or branched from. */
  readonly parentSession?: string;
}

interface EntryBase {
  /** 8 hex digits. */
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * A line of a session file after the first. What oh-my-pi writes differently (`model: "provider/id"`, a thinking level
 * of null) is read into these shapes. Types that are not here are kept as they are: see `ForeignEntry`.
 */
export type SessionEntry =
  | (EntryBase & { readonly type: 'message'; readonly message: EntryMessage })
  | (EntryBase & {
      readonly type: 'model_change';
      readonly provider: string;
      readonly modelId: string;
      /** oh-my-pi: the role that this is the model of. Default `default`. */
      readonly role?: string;
    })
  | (EntryBase & {
      readonly type: 'thinking_level_change';
      readonly thinkingLevel: string;
      /** What was asked for, where the model cannot do it; `default` where nobody asked. Another model may. */
      readonly wanted?: string;
    })
  | (EntryBase & {
      readonly type: 'compaction';
      readonly summary: string;
      readonly shortSummary?: string;
      /** The first entry of the branch that is still read as it was said. */
      readonly firstKeptEntryId: string;
      readonly tokensBefore: number;
      readonly details?: unknown;
      /** A plugin made it. */
      readonly fromHook?: boolean;
    })
  | (EntryBase & {
      readonly type: 'branch_summary';
      /** The leaf that was left; `root` for none. */
      readonly fromId: string;
      readonly summary: string;
      readonly details?: unknown;
      readonly fromHook?: boolean;
    })
  | (EntryBase & {
      /** pi: another reading of an earlier entry of the branch; null hides it. The entry itself stays. */
      readonly type: 'context_edit';
      readonly targetId: string;
      readonly replacement: EntryMessage | null;
    })
  | (EntryBase & { readonly type: 'custom'; readonly customType: string; readonly data?: unknown })
  | (EntryBase & {
      readonly type: 'custom_message';
      readonly customType: string;
      readonly content: unknown;
      readonly display: boolean;
      readonly details?: unknown;
    })
  | (EntryBase & { readonly type: 'label'; readonly targetId: string; readonly label?: string })
  | (EntryBase & { readonly type: 'session_info'; readonly name: string })
  | (EntryBase & { readonly type: 'mode_change'; readonly mode: string; readonly data?: unknown })
  | (EntryBase & { readonly type: 'ttsr_injection'; readonly injectedRules: readonly string[] })
  | (EntryBase & {
      readonly type: 'session_init';
      readonly systemPrompt: string;
      readonly task: string;
      readonly tools: readonly string[];
      readonly outputSchema?: unknown;
    });

/** What a `message` entry may carry: a message of the conversation, or one that only some programs write. */
export type EntryMessage = Message | SystemEntryMessage | FileMentionMessage | BashExecutionMessage;

export interface SystemEntryMessage {
  readonly role: 'system';
  readonly content: string;
  readonly timestamp: number;
  /** The tools of the first request, as they were sent. */
  readonly toolsAdded?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
  /**
   * Of a head that kern made: the parts of `content`, which are joined with a blank line, with how long each is. From
   * this a resumed session tells what has changed since.
   */
  readonly parts?: readonly { readonly id: string; readonly length: number }[];
}

/** Files that a person named with `@`; the model reads them as a user message. */
export interface FileMentionMessage {
  readonly role: 'fileMention';
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly timestamp: number;
}

/** A command that the person ran, with its output, told to the model unless `excludeFromContext`. */
export interface BashExecutionMessage {
  readonly role: 'bashExecution';
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled?: boolean;
  readonly truncated?: boolean;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** A line of a type kern does not know: another program's or a newer kern's. Kept byte for byte, part of the tree. */
export interface ForeignEntry extends EntryBase {
  readonly type: 'foreign';
  /** The type as it is written. */
  readonly foreignType: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** An entry before the store has given it a place in the tree. */
export type NewEntry = SessionEntry extends infer E
  ? E extends SessionEntry
    ? Omit<E, keyof EntryBase>
    : never
  : never;

// --- What a branch comes to -------------------------------------------------------------------------------------------

/** What a session is at its leaf: what a model reads, and how it was set. */
export interface SessionContext {
  /** Compaction and branch summaries as custom messages (`kern.compaction`, `kern.branch-summary`); every call has its result. */
  readonly messages: readonly ContextMessage[];
  /** `provider/model` by role; `default` is that of the conversation. */
  readonly models: Readonly<Record<string, string>>;
  /** Undefined where no entry says one. */
  readonly thinking: ThinkingLevel | undefined;
  /** What was asked for, where the model of that time could not do it; `default` where nobody had asked. */
  readonly wantedThinking?: ThinkingLevel | 'default';
  readonly mode: { readonly mode: string; readonly data?: unknown } | undefined;
  readonly name: string | undefined;
  /** Rules that have injected themselves already. */
  readonly injectedRules: readonly string[];
  /** The head as it was sent last: its system prompt and its tools. */
  readonly system: SystemEntryMessage | undefined;
}

/** A message of the context, and the entry it comes from; undefined for one that was made up to keep the context valid. */
export interface ContextMessage {
  readonly message: Message;
  readonly entryId: string | undefined;
}

// --- An open session ----------------------------------------------------------------------------------------------------

/** A place in the tree, without what it holds: a hundred thousand of them are cheap. */
export interface EntryNode {
  readonly id: string;
  readonly parentId: string | null;
  /** As written, also of foreign entries. One that cannot be read is a `custom` entry `kern.damaged`. */
  readonly type: string;
  readonly timestamp: string;
  /** Of a message. */
  readonly role?: string;
  /** Of a `custom` and of a `custom_message`. */
  readonly customType?: string;
}

/** Something in the file that is not as it should be, and what was done about it. Nothing is thrown away. */
export interface Repair {
  readonly line: number;
  readonly kind:
    | 'torn-line'
    | 'bad-line'
    | 'no-final-newline'
    | 'duplicate-id'
    | 'missing-id'
    | 'lost-parent'
    | 'parent-cycle'
    | 'lone-surrogate'
    | 'no-header'
    | 'line-before-header'
    | 'too-long-line'
    | 'unknown-version'
    | 'missing-blob'
    | 'lost-first-kept';
  readonly message: string;
}

export interface SessionOwner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** It is there, but was stopped (Ctrl-Z), and did nothing for some seconds. */
  readonly isStopped?: boolean;
}

/** How a session was opened that another process has open: as a copy, only to read, or taken over from a dead owner, or one that stays stopped. */
export interface SessionBusy {
  readonly owner: SessionOwner;
  readonly as: 'fork' | 'readonly' | 'takeover';
}

/** An open session. One process writes it. */
export interface SessionStore {
  readonly header: SessionHeader;
  /** Undefined for one that lives in memory. */
  readonly file: string | undefined;
  /** Why nothing can be appended: it is open elsewhere, or of a version kern does not know. */
  readonly readonly: string | undefined;
  readonly busy: SessionBusy | undefined;
  /** What was not as it should be when it was opened. */
  readonly repairs: readonly Repair[];
  /** Where the next entry goes; null before the first. */
  readonly leaf: string | null;
  /** All places of the tree, in the order of the file. */
  nodes(): readonly EntryNode[];
  /** One entry, from memory or from the file. */
  entry(id: string): SessionEntry | ForeignEntry | undefined;
  /** From the root to the leaf, or to `id`. A list of its own; big, so not for every turn. */
  entries(id?: string | null): readonly (SessionEntry | ForeignEntry)[];
  /** What the branch to the leaf, or to `id`, comes to. Reads only what is needed from the latest compaction on. */
  context(id?: string | null): SessionContext;
  /** The label of an entry; the latest one counts. */
  label(id: string): string | undefined;
  /**
   * Adds at the leaf, which moves to it at once. Resolves with the entry when it is on disk (or, in memory, at once).
   * Rejects with `session_readonly`, or when it can no longer be written. Of what was given the entry is never copied deeply.
   */
  append(entry: NewEntry): Promise<SessionEntry>;
  /** Moves the leaf. It lasts: a `custom` entry `kern.leaf` under `id` says so to whoever opens the file next, pi included. */
  moveLeaf(id: string | null): Promise<void>;
  /** Everything acknowledged is on disk. */
  flush(): Promise<void>;
  /** Tries once more; what then is in memory only is told, after the whole session was written to another place. */
  rescue?(): Promise<UnsavedEntries | undefined>;
  close(): Promise<void>;
}

/** Entries that are not in the file of their session. */
export interface UnsavedEntries {
  readonly count: number;
  readonly why: string;
  /** The whole session as a file that can be gone on in; undefined where there was no place for it either. */
  readonly copy: string | undefined;
}

/** What a store says about its writing; `pending` counts the entries that are in memory only: none yet where it is known beforehand. */
export type StoreReport =
  | { readonly type: 'write-failed'; readonly error: string; readonly pending: number }
  | { readonly type: 'write-restored'; readonly written: number }
  /** It goes on in a copy: `previous` was its id. */
  | { readonly type: 'moved'; readonly previous: string };

type Report = (report: StoreReport) => void;

/** A line of `kern sessions list`. */
export interface SessionSummary {
  readonly id: string;
  readonly file: string;
  readonly name: string | undefined;
  readonly cwd: string;
  readonly created: string;
  readonly modified: string;
  /** Messages of people and models; of a long file an estimate is never given: it is counted when it is indexed. */
  readonly messages: number;
  readonly firstMessage: string;
  readonly parentSession?: string;
  readonly size: number;
}

/** What `kern sessions doctor` finds. */
export interface SessionDiagnosis {
  readonly file: string;
  readonly version: number | undefined;
  readonly dialect: 'kern' | 'pi' | 'oh-my-pi' | 'unknown';
  readonly entries: number;
  readonly branches: number;
  readonly repairs: readonly Repair[];
  readonly sound: boolean;
}

export interface CreateOptions {
  readonly cwd: string;
  readonly persist: boolean;
  /** In place of the setting and of `KERN_HOME/sessions/<cwd>`. */
  readonly dir?: string | undefined;
  readonly parentSession?: string | undefined;
  readonly report?: Report | undefined;
}

/** Keeps what happens in sessions. */
export interface Sessions {
  create(options: CreateOptions): Promise<SessionStore>;
  /**
   * Opens a file. Throws `session_not_found`, `session_unreadable`, and, with `whenBusy: 'fail'`, `session_busy`. An
   * owner that is dead, or stopped and stays so for some seconds, is taken over from.
   */
  open(
    file: string,
    options: {
      readonly whenBusy: 'fork' | 'readonly' | 'fail';
      /** Only to look at it: nothing is locked, whoever has it open goes on, and `--continue` remembers nothing. */
      readonly toRead?: boolean | undefined;
      readonly report?: Report | undefined;
    },
  ): Promise<SessionStore>;
  /** A new file with the branch to `upTo` (default: the leaf; null: nothing of it), and a copy of the artifacts. */
  fork(
    source: SessionStore | string,
    options: CreateOptions & { readonly upTo?: string | null | undefined },
  ): Promise<SessionStore>;
  /** The file of a session by path, id, or the beginning of an id. Throws `session_not_found`, `session_ambiguous` (with the candidates). */
  find(wanted: string, options: { readonly cwd: string; readonly dir?: string | undefined }): Promise<string>;
  /** The session of this terminal in this folder, else the latest of the folder. */
  latest(options: { readonly cwd: string; readonly dir?: string | undefined }): Promise<string | undefined>;
  /**
   * Makes a session the one that `latest` answers with for this folder. False where it cannot be: without a terminal a
   * session of another folder is none of this one.
   */
  remember(file: string, options: { readonly cwd: string; readonly dir?: string | undefined }): Promise<boolean>;
  /** Newest first. Reads only heads and tails of what its index does not know. */
  list(options: {
    /** Only of this folder. */
    readonly cwd?: string | undefined;
    readonly dir?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Deletes the file and its artifacts. Throws `session_busy` when a living process has it open. */
  remove(file: string): Promise<void>;
  diagnose(file: string): Promise<SessionDiagnosis>;
  /** Writes a sound copy; the file itself is not touched. Throws when `to` exists. */
  repair(file: string, to: string): Promise<SessionDiagnosis>;
}

/** Keeps what happens in a session. */
export const sessions = defineService<Sessions>({ id: 'sessions', level: 'user' });

// --- What plugins supply --------------------------------------------------------------------------------------------------

/** Where sessions lie: kern's own are `file` and `memory`. Paths are those that it made itself. */
export interface SessionStorage {
  readonly id: string;
  /** Undefined when there is none. */
  size(path: string): Promise<number | undefined>;
  /** Reads `length` bytes from `at`; fewer at the end. Synchronous: an entry is looked up in the middle of things. */
  readSync(path: string, at: number, length: number): Uint8Array;
  read(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Opens for appending; private, and never through a link. `fresh`: it must not exist yet. */
  append(path: string, fresh: boolean): Promise<SessionAppender>;
  /** The whole file at once or not at all. */
  replace(path: string, content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Promise<void>;
  list(
    folder: string,
  ): Promise<readonly { readonly path: string; readonly size: number; readonly modifiedMs: number }[]>;
  remove(path: string): Promise<void>;
  /** Why a file cannot be written here, as far as that can be told beforehand. */
  refusal?(path: string): string | undefined;
  /** Where other processes reach the same sessions: makes sure that one writes. Of an owner that is gone it is taken over. */
  lock?(
    path: string,
  ): Promise<
    | { readonly lock: SessionLock; readonly from?: SessionOwner }
    | { readonly lock: undefined; readonly owner: SessionOwner }
  >;
}

/** The right to write a session. */
export interface SessionLock {
  /** Asked before every write: whether it is still there, was taken over, or is gone without anybody having it. */
  state(): 'held' | 'lost' | 'gone';
  release(): void;
}

export interface SessionAppender {
  /** Answers with the number of bytes that were written. */
  write(bytes: Uint8Array): Promise<number>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Where others may get at it: whether its path still leads to it, and how long it is now. */
  look?(): { readonly path: 'same' | 'gone' | 'other'; readonly size: number };
  /** The first bytes of it, also when its path leads elsewhere. */
  content?(length: number): AsyncIterable<Uint8Array>;
}

const withId = (value: unknown, ...functions: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  functions.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

/** Where sessions lie. Key: the id, which the setting `plugins.sessions.storage` names. */
export const sessionStorages = defineCapability<SessionStorage>({
  id: 'session-storage',
  schema: z.custom<SessionStorage>(
    (value) => withId(value, 'size', 'readSync', 'read', 'append', 'replace', 'list', 'remove'),
    'a session storage is {id, size, readSync, read, append, replace, list, remove}',
  ),
  key: (storage) => storage.id,
});

/** An entry is on disk: the acknowledgement. */
export const entryAppended = event<{ readonly entry: SessionEntry }>({ id: 'entry.appended' });
/** Entries could not be written; they are kept in memory and tried again. */
export const sessionWriteFailed = event<{ readonly error: string; readonly pending: number }>({
  id: 'session.write-failed',
});
/** What could not be written is written now. */
export const sessionWriteRestored = event<{ readonly written: number }>({ id: 'session.write-restored' });
