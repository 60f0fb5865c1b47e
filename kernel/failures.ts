import type { PluginUnit } from './activation.ts';
import type { Failure } from './change.ts';
import { codeOf, messageOf } from './error.ts';
import type { Journal } from './report.ts';

/** The last failure of each plugin, by key. */
export class Failures {
  readonly #journal: Journal;
  readonly #byKey = new Map<string, Failure>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get all(): ReadonlyMap<string, Failure> {
    return this.#byKey;
  }

  /** `isKept`: its old revision stays live. */
  record(unit: Failure['unit'], error: unknown, isKept: boolean): Failure {
    const message = messageOf(error);
    const failure: Failure = { unit, code: codeOf(error) ?? 'plugin_failed', message, hint: hintOf(error) };
    this.#byKey.set(unit.key, failure);
    this.#journal.add(
      unit.id,
      'error',
      isKept ? 'kept_old' : 'load_failed',
      isKept ? `kept the old: ${message}` : message,
      error,
    );
    return failure;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

export const failingUnit = ({ key, level, source, revision, definition }: PluginUnit): Failure['unit'] => ({
  key,
  level,
  source,
  revision,
  id: definition.id,
});

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
    ? error.hint
    : undefined;
}
