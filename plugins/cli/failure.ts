import { codeOf, messageOf } from 'kern/plugin';

/** What every `--json` prints when something fails. */
export interface FailureReport {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export function failureReport(error: unknown): FailureReport {
  const hint = hintOf(error);
  return {
    error: { code: codeOf(error) ?? 'failed', message: messageOf(error), ...(hint === undefined ? {} : { hint }) },
  };
}

/** For people: what happened, and below it what to do next. */
export function failureLines(error: unknown): readonly string[] {
  const hint = hintOf(error);
  return [`kern: ${messageOf(error)}`, ...(hint === undefined ? [] : hint.split('\n').map((line) => `  ${line}`))];
}

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
    ? error.hint
    : undefined;
}
