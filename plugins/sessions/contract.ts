import { defineService, event } from 'kern/plugin';
import type { Message } from '../models/contract.ts';

/** First line of a session file, format v3 as pi writes it. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: 3;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly parentSession?: string;
}

interface EntryBase {
  /** 8 hex digits. */
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

export type SessionEntry =
  | (EntryBase & { readonly type: 'message'; readonly message: Message | SystemEntryMessage })
  | (EntryBase & { readonly type: 'model_change'; readonly provider: string; readonly modelId: string })
  | (EntryBase & { readonly type: 'thinking_level_change'; readonly thinkingLevel: string })
  | (EntryBase & { readonly type: 'custom'; readonly customType: string; readonly data?: unknown })
  | (EntryBase & {
      readonly type: 'custom_message';
      readonly customType: string;
      readonly content: unknown;
      readonly display: boolean;
      readonly details?: unknown;
    })
  | (EntryBase & { readonly type: 'label'; readonly targetId: string; readonly label?: string })
  | (EntryBase & { readonly type: 'session_info'; readonly name: string });

interface SystemEntryMessage {
  readonly role: 'system';
  readonly content: string;
  readonly timestamp: number;
  /** The tools of the first request, as they were sent. */
  readonly toolsAdded?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
}

/** An entry before the store has given it a place in the tree. */
export type NewEntry = SessionEntry extends infer E
  ? E extends SessionEntry
    ? Omit<E, keyof EntryBase>
    : never
  : never;

/** An open session. */
export interface SessionStore {
  readonly header: SessionHeader;
  /** Undefined for one that lives in memory. */
  readonly file: string | undefined;
  /** From the root to the leaf. */
  entries(): readonly SessionEntry[];
  /** Adds at the leaf: it is the last of `entries()` at once. Resolves with the entry when it is on disk (or, in memory, at once). */
  append(entry: NewEntry): Promise<SessionEntry>;
  /** Everything acknowledged is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** What a store says about its writing; `pending` counts the entries that are in memory only. */
export type StoreReport =
  | { readonly type: 'write-failed'; readonly error: string; readonly pending: number }
  | { readonly type: 'write-restored'; readonly written: number };

export interface Sessions {
  create(options: {
    readonly cwd: string;
    readonly persist: boolean;
    readonly report?: (report: StoreReport) => void;
  }): Promise<SessionStore>;
}

/** Keeps what happens in a session. */
export const sessions = defineService<Sessions>({ id: 'sessions', level: 'user' });

/** An entry is on disk: the acknowledgement. */
export const entryAppended = event<{ readonly entry: SessionEntry }>({ id: 'entry.appended' });
/** Entries could not be written; they are kept in memory and tried again. */
export const sessionWriteFailed = event<{ readonly error: string; readonly pending: number }>({
  id: 'session.write-failed',
});
/** What could not be written is written now. */
export const sessionWriteRestored = event<{ readonly written: number }>({ id: 'session.write-restored' });
