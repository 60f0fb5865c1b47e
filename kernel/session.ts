/** When text reaches the model: at once, in place of what it is saying (`interrupt`); between tool calls (`steer`); when it would stop (`followUp`); with the next prompt (`nextTurn`). */
export type SendAs = 'interrupt' | 'steer' | 'followUp' | 'nextTurn';

/** Texts that wait for the model, by the moment at which it would hear them. */
export interface QueuedTexts {
  readonly interrupt: readonly string[];
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/** Whether the session changed; not when a plugin refused, with its reason. */
export type SwitchAnswer = { readonly done: true } | { readonly done: false; readonly reason: string };

/** What a plugin may do with the session it runs in. A handle of a session that was left throws `stale_session`. */
export interface SessionHandle {
  readonly id: string;
  readonly file: string | undefined;
  readonly name: string | undefined;
  /** No turn runs and nothing is queued. */
  isIdle(): boolean;
  /** Throws `session_in_run` inside a run: a tool or hook that waited for its own run would wait for ever. */
  waitForIdle(): Promise<void>;
  /** Text for the model. Default `steer`. While nothing runs it starts a run, but for `nextTurn`. */
  sendMessage(text: string, options?: { readonly as?: SendAs }): void;
  /** Keeps data of a plugin in the session; the model does not see it. Answers with the id of the entry. */
  appendEntry(customType: string, data: unknown): string;
  /** Entries of the branch that this plugin or another kept with `appendEntry`, oldest first. */
  entriesOf(customType: string): readonly { readonly id: string; readonly data: unknown }[];
  /** Ends the run, whatever it does. What was queued is handed back and reaches no later prompt. */
  abort(): QueuedTexts;
  model(): { readonly id: string } | undefined;
  setModel(id: string): Promise<void>;
  thinking(): string;
  /** Clamped to what the model can. */
  setThinking(level: string): void;
  setName(name: string): void;
  setLabel(entryId: string, label: string | undefined): void;
  /** Summarises what is old. Rejects with `nothing_to_compact`, or with what went wrong. */
  compact(instructions?: string): Promise<void>;

  // For command handlers: inside a run they throw `session_in_run`. Each but `reload` ends what runs first.

  /** Leaves this session for an empty one. */
  newSession(): Promise<SwitchAnswer>;
  /** Goes on in a copy of this session. */
  fork(): Promise<SwitchAnswer>;
  /** Goes on in a new file that ends before the user message `entryId`; its text is answered, to be edited. */
  branch(entryId: string): Promise<SwitchAnswer & { readonly text?: string }>;
  /** Moves within the file, so that the next message follows `entryId` (null: the very beginning). */
  navigateTree(
    entryId: string | null,
    options?: { readonly summarize?: boolean; readonly instructions?: string; readonly label?: string },
  ): Promise<SwitchAnswer & { readonly text?: string }>;
  /** Leaves this session for another, by path, id or the beginning of an id. */
  switchSession(wanted: string): Promise<SwitchAnswer>;
  /** Loads every extension anew from its files; resolves when the change is through. */
  reload(): Promise<void>;
}

/** How a plugin meets the person. Where nobody is there: `available` is false and every question answers `undefined`. */
export interface Ui {
  readonly available: boolean;
  notify(message: string, level?: 'info' | 'warning' | 'error'): void;
  select(title: string, options: readonly string[], signal?: AbortSignal): Promise<string | undefined>;
  confirm(title: string, message: string, signal?: AbortSignal): Promise<boolean | undefined>;
  input(title: string, placeholder?: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** The interface of a run in which nobody can be asked. Notices go to `say`. */
export function absentUi(say: (message: string, level: 'info' | 'warning' | 'error') => void): Ui {
  return {
    available: false,
    notify: (message, level = 'info') => say(message, level),
    select: async () => undefined,
    confirm: async () => undefined,
    input: async () => undefined,
  };
}
