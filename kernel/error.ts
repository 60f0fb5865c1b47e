/** An error a person can act on: what happened, whose it is, what to do. `code` is stable; tell errors apart by it, never by class. */
export class KernError extends Error {
  readonly code: string;
  /** The next step, as a sentence. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KernError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** A plugin's fault, with its name: `plugin my-veto failed in setup: EXA_API_KEY is not set`. */
export class PluginError extends KernError {
  readonly plugin: string;
  /** Where it happened: `setup`, `start`, a hook id, an item's key. */
  readonly at: string;

  /** The code and hint of a KernError that was thrown stay: they are worth more than that a plugin failed. */
  constructor(plugin: string, at: string, cause: unknown) {
    const hint =
      typeof cause === 'object' && cause !== null && 'hint' in cause && typeof cause.hint === 'string'
        ? cause.hint
        : undefined;
    super(
      cause instanceof KernError ? cause.code : 'plugin_failed',
      `plugin ${plugin} failed in ${at}: ${messageOf(cause)}`,
      hint === undefined ? { cause } : { cause, hint },
    );
    this.name = 'PluginError';
    this.plugin = plugin;
    this.at = at;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
  return String(thrown);
}

/** The stable code of an error, also one that another copy of this module made. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
