import type { PluginUnit } from './activation.ts';
import type { Failure } from './change.ts';
import { codeOf, messageOf } from './error.ts';
import { faultLine } from './fault-line.ts';
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
      isKept ? `kept the old: ${placed(unit, error, message)}` : failedText(unit, error, message),
      error,
    );
    return failure;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

export const failingUnit = ({ key, level, source, revision, definition, stake }: PluginUnit): Failure['unit'] => ({
  key,
  level,
  source,
  revision,
  id: definition.id,
  ...(stake === undefined ? {} : { stake }),
});

/** Why the old revision goes on, and in the last line what to do. */
export function keptReason(unit: Failure['unit'], error: unknown, message: string): string {
  return `${placed(unit, error, message)}\n${unit.level === 'builtin' ? '' : 'save a version that loads; '}kern plugins why ${unit.id}`;
}

/** With what is missing without it, where somebody counts on that. */
export function failedText(unit: Failure['unit'], error: unknown, message: string): string {
  return unit.stake === undefined ? message : `${placed(unit, error, message)}\n${unit.stake}`;
}

/** With the file, for a message that does not name it. */
function placed({ level, source }: Failure['unit'], error: unknown, message: string): string {
  return level === 'builtin' || message.includes(source)
    ? message
    : `${faultLine(error, source) ?? source}: ${message}`;
}

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
    ? error.hint
    : undefined;
}
