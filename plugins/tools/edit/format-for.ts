import type { Format } from './request.ts';

export interface FormatSettings {
  /** For every model. */
  readonly format?: Format | undefined;
  /** By model: `openai/gpt-4.1*`. The first that fits counts. */
  readonly formats: Readonly<Record<string, Format>>;
}

/** Models that were taught a format of their own. All others do best with texts. */
const taught: readonly (readonly [pattern: string, format: Format])[] = [
  ['*gpt-5*', 'apply_patch'],
  ['*gpt-oss*', 'apply_patch'],
  ['*codex*', 'apply_patch'],
];

export function formatFor(model: string | undefined, { format, formats }: FormatSettings): Format {
  if (format !== undefined) return format;
  if (model === undefined) return 'replace';
  return [...Object.entries(formats), ...taught].find(([pattern]) => fits(model, pattern))?.[1] ?? 'replace';
}

/** `*` is anything. */
function fits(model: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(model);
}
