import { codeOf, messageOf } from 'kern/plugin';

/** What every `--json` prints when something fails. */
export interface FailureReport {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** Codes by what they mean for whoever waits for us. What is not named here is a failed run: 1. */
const exitCodes: Readonly<Record<string, number>> = {
  usage: 2,
  capability_unknown: 2,
  config_bad_value: 2,
  config_missing: 2,
  config_unknown_key: 2,
  extension_missing: 2,
  file_unreadable: 2,
  model_unknown: 2,
  plugin_unknown: 2,
  provider_unknown: 2,
  schema_unknown: 2,
  tool_unknown: 2,
  trust_unknown_item: 2,
  no_model: 3,
  not_signed_in: 3,
  untrusted: 4,
  time_limit: 124,
};

export function exitCodeOf(error: unknown): number {
  return exitCodes[codeOf(error) ?? ''] ?? 1;
}

export function failureReport(error: unknown): FailureReport {
  const hint = hintOf(error);
  return { error: { code: codeOf(error) ?? 'failed', message: messageOf(error), ...(hint === undefined ? {} : { hint }) } };
}

/** For people: what happened, and below it what to do next. */
export function failureLines(error: unknown): readonly string[] {
  const hint = hintOf(error);
  return [`kern: ${messageOf(error)}`, ...(hint === undefined ? [] : hint.split('\n').map((line) => `  ${line}`))];
}

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
}
