/** Something that is wrong with a package, or might be. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Absolute. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

type Place = { readonly file: string; readonly line?: number | undefined };

export const error = (code: string, place: Place, message: string, hint: string): Finding =>
  finding('error', code, place, message, hint);

export const warning = (code: string, place: Place, message: string, hint: string): Finding =>
  finding('warning', code, place, message, hint);

function finding(
  severity: Finding['severity'],
  code: string,
  { file, line }: Place,
  message: string,
  hint: string,
): Finding {
  return { severity, code, file, ...(line === undefined ? {} : { line }), message, hint };
}

/** The line on which a place of a text lies. */
export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** The line of the first mention; undefined where there is none. */
export function lineOf(text: string, part: string): number | undefined {
  const index = text.indexOf(part);
  return index < 0 ? undefined : lineAt(text, index);
}
