import { defineCapability, defineService } from 'kern/plugin';
import { z } from 'zod';
import type { ForeignEntry, NewEntry } from '../contract.ts';

const withId = (value: unknown, ...functions: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  functions.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

/** A conversation of another program, as far as kern can take it over. */
export interface ImportedSession {
  readonly id: string;
  readonly cwd: string;
  readonly timestamp: string;
  readonly name?: string;
  /** In order; taken once. Each follows the one before it, unless it says otherwise. */
  readonly entries: Iterable<ImportedEntry>;
  /** Where it goes on, by the name that an entry gave itself. Default: the last one. */
  readonly leaf?: string;
  /** A folder of what lies beside it, to be copied. */
  readonly artifacts?: string;
  /** What could not be taken over, and where. */
  readonly warnings: readonly string[];
}

export interface ImportedEntry {
  /** How other entries of the transcript name it: a compaction, a label. Any text; it becomes an id of ours. */
  readonly id?: string | undefined;
  /** The entry that it follows; null: none. */
  readonly after?: string | null | undefined;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly entry: NewEntry | Pick<ForeignEntry, 'type' | 'foreignType' | 'raw'>;
}

/** Reads the transcripts of another program. */
export interface SessionSource {
  readonly id: string;
  readonly displayName: string;
  /** Whether a file looks like one of its own, by its first lines. */
  recognizes(head: string): boolean;
  /** Where its sessions lie on this machine. */
  folders(where: {
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  }): readonly string[];
  /** The working directory, by its first lines, where they tell: so that those of other folders need not be read. */
  cwdOf?(head: string): string | undefined;
  read(file: string, signal: AbortSignal): Promise<ImportedSession>;
}

/** Importers of other programs' transcripts. Key: the id. */
export const sessionSources = defineCapability<SessionSource>({
  id: 'session-source',
  schema: z.custom<SessionSource>(
    (value) => withId(value, 'recognizes', 'folders', 'read'),
    'a session source is {id, displayName, recognizes(head), folders(where), read(file, signal)}',
  ),
  key: (source) => source.id,
});

/** A transcript that was taken over, or had been before. */
export interface ImportReport {
  readonly source: string;
  readonly from: string;
  readonly id: string;
  /** The session file. */
  readonly file: string;
  readonly cwd: string;
  readonly name: string | undefined;
  readonly messages: number;
  readonly warnings: readonly string[];
  /** False: it is there already, and was left as it is. */
  readonly isNew: boolean;
}

/** Takes over conversations of other programs. Sources go by their id; throws `import_unknown_source` with near ones. */
export interface SessionImports {
  sources(): Promise<readonly { readonly id: string; readonly displayName: string }[]>;
  /** The source that a file is of, by its first lines. */
  recognize(file: string, signal: AbortSignal): Promise<string | undefined>;
  /** The transcripts of a source on this machine, newest first; `cwd`: only those of this folder, as far as their first lines tell. */
  find(
    source: string,
    options: {
      readonly cwd?: string | undefined;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly string[]>;
  /** Makes a session of ours. Throws `import_empty` where no conversation is in it, and `import_unreadable`. */
  take(
    source: string,
    file: string,
    options: {
      /** The folder of a conversation that names none. */
      readonly cwd: string;
      readonly dir?: string | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<ImportReport>;
}

/** Takes over conversations of other programs. */
export const sessionImports = defineService<SessionImports>({ id: 'session-imports', level: 'user' });
