import type { EditRequest } from '../request.ts';

/** What a model sees of a format. */
export interface Face {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type Parsed = { readonly request: EditRequest } | { readonly problem: string };

export type Arguments = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `path`, as other agents' tools call it, too. */
export const pathOf = (args: Arguments): string | undefined => {
  const path = textOf(args.path ?? args.file_path ?? args.filePath ?? args.filename);
  return path === '' ? undefined : path;
};

/** Where a file is to be renamed to; nowhere, if that is where it is. */
export const newPathOf = (value: unknown, path: string): string | undefined =>
  typeof value === 'string' && value !== '' && value !== path ? value : undefined;

/** A list or an object that came as JSON text. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The lines of a text that is given whole: its last line end begins no line. */
export function linesGiven(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
