/** What a plugin may do with the session it runs in. A handle of a session that was left throws `stale_session`. */
export interface SessionHandle {
  readonly id: string;
  readonly file: string | undefined;
  readonly name: string | undefined;
  /** No turn runs and nothing is queued. */
  isIdle(): boolean;
  waitForIdle(): Promise<void>;
  /** Text for the model: now between tool calls (`steer`), when it would stop (`followUp`), or with the next prompt (`nextTurn`). */
  sendMessage(text: string, options?: { readonly as?: 'steer' | 'followUp' | 'nextTurn' }): void;
  /** Keeps data of a plugin in the session; the model does not see it. */
  appendEntry(customType: string, data: unknown): string;
  abort(): void;
  model(): { readonly id: string } | undefined;
  setModel(id: string): Promise<void>;
  thinking(): string;
  setThinking(level: string): void;
  setLabel(entryId: string, label: string | undefined): void;
  compact(instructions?: string): Promise<void>;
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
