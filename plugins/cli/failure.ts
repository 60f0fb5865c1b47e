import { codeOf, messageOf, visible } from 'kern/plugin';

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
  const message = messageOf(error).split('\n').map(shown).join('\n');
  return [`kern: ${message}`, ...(hint === undefined ? [] : hint.split('\n').map((line) => `  ${shown(line)}`))];
}

/** A line, in which a server or a file may have had its say. */
const shown = (line: string): string => visible(line.replaceAll('\t', '  '));

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string'
    ? error.hint
    : undefined;
}
