import { codeOf, messageOf } from './error.ts';

export type Severity = 'debug' | 'info' | 'warning' | 'error';

/** Something a person or a log should know. Every one has an owner. */
export interface Report {
  readonly time: number;
  readonly severity: Severity;
  /** Stable: `tap_failed`, `kept_old`, `stray_error`, `log`… */
  readonly code: string;
  /** The plugin it belongs to, or `kern`. */
  readonly plugin: string;
  readonly message: string;
  readonly cause?: unknown;
}

/** The last reports, in order; the oldest go first. */
export class Journal {
  readonly #reports: Report[] = [];
  readonly #listeners = new Set<(report: Report) => void>();
  readonly #capacity: number;
  readonly #faults = new Map<string, { count: number; last: Report }>();

  constructor(capacity = 1_000) {
    this.#capacity = capacity;
  }

  add(plugin: string, severity: Severity, code: string, message: string, cause?: unknown): void {
    const report: Report = {
      time: Date.now(),
      severity,
      code,
      plugin,
      message,
      ...(cause === undefined ? {} : { cause }),
    };
    this.#reports.push(report);
    if (severity === 'error')
      this.#faults.set(plugin, { count: (this.#faults.get(plugin)?.count ?? 0) + 1, last: report });
    if (this.#reports.length > this.#capacity) this.#reports.shift();
    // A listener that throws must not turn a report into the next failure.
    for (const listener of this.#listeners) {
      try {
        listener(report);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }

  failure(plugin: string, code: string, at: string, cause: unknown): void {
    this.add(plugin, 'error', code, `plugin ${plugin} failed in ${at}: ${messageOf(cause)}`, cause);
  }

  all(): readonly Report[] {
    return this.#reports;
  }

  of(plugin: string): readonly Report[] {
    return this.#reports.filter((report) => report.plugin === plugin);
  }

  /** How many errors of a plugin there were, and the last of them: also of those that are no longer kept. */
  faults(plugin: string): { readonly count: number; readonly last: Report } | undefined {
    return this.#faults.get(plugin);
  }

  listen(listener: (report: Report) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** `code: message`, for one line. */
export function lineOf(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === undefined ? messageOf(thrown) : `${messageOf(thrown)} (${code})`;
}
