import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Files } from '../contract.ts';
import { isBelow } from './walk.ts';

/** How many files may lead to one another. */
const most = 5;

export interface IncludeOptions {
  readonly files: Pick<Files, 'text' | 'real'>;
  /** Files outside of these are left out: a project does not put the person's files into the prompt. */
  readonly within: readonly string[];
  /** Of these folders only Markdown counts: notes lie in them, and keys. */
  readonly notes: readonly string[];
  /** The person's own folder, for `@~/…`. */
  readonly user: string;
}

/** A text in which every `@path` to a text is that text. What is not there, or must not be read, stays as it is written. */
export function withIncludes(text: string, path: string, options: IncludeOptions): Promise<string> {
  return include(text, path, [path], options);
}

async function include(text: string, path: string, trail: readonly string[], options: IncludeOptions): Promise<string> {
  if (trail.length > most || !text.includes('@')) return text;
  const parts = await Promise.all(
    proseParts(text).map(({ part, isProse }) => (isProse ? includeIn(part, path, trail, options) : part)),
  );
  return parts.join('');
}

async function includeIn(
  part: string,
  path: string,
  trail: readonly string[],
  options: IncludeOptions,
): Promise<string> {
  const pieces = part.split(/(?<=^|\s)@((?:\\ |[^\s`@])+)/);
  const told = await Promise.all(
    pieces.map(async (piece, at) => {
      if (at % 2 === 0) return piece;
      // A sentence may end behind it.
      const [, name = '', rest = ''] = /^(.*?)([.,;:!?)\]]*)$/s.exec(piece) ?? [];
      const found = await textOf(name.replaceAll('\\ ', ' '), path, trail, options);
      return found === undefined ? `@${piece}` : `${found}${rest}`;
    }),
  );
  return told.join('');
}

async function textOf(
  name: string,
  path: string,
  trail: readonly string[],
  options: IncludeOptions,
): Promise<string | undefined> {
  if (!/^(?:~\/|\.{0,2}\/|[\w.-])/.test(name) || !/[./]/.test(name)) return undefined;
  const file = name.startsWith('~/')
    ? join(options.user, name.slice(2))
    : isAbsolute(name)
      ? name
      : resolve(dirname(path), name);
  // Before anything is looked at: what lies outside is not even asked for.
  if (trail.includes(file) || !isAllowed(file, options)) return undefined;
  const real = await options.files.real(file);
  if (real === undefined || trail.includes(real) || !isAllowed(real, await throughLinks(options))) return undefined;
  const text = await options.files.text(file);
  return text === undefined ? undefined : include(text.trim(), file, [...trail, file, real], options);
}

function isAllowed(file: string, { within, notes }: Pick<IncludeOptions, 'within' | 'notes'>): boolean {
  return (
    within.some((folder) => isBelow(file, folder)) ||
    (file.endsWith('.md') && notes.some((folder) => isBelow(file, folder)))
  );
}

async function throughLinks({
  files,
  within,
  notes,
}: IncludeOptions): Promise<Pick<IncludeOptions, 'within' | 'notes'>> {
  const real = (folders: readonly string[]): Promise<string[]> =>
    Promise.all(folders.map(async (folder) => (await files.real(folder)) ?? folder));
  return { within: await real(within), notes: await real(notes) };
}

/** Code is no prose: an `@` in it names nothing. */
function proseParts(text: string): readonly { readonly part: string; readonly isProse: boolean }[] {
  return text
    .split(/(^[ \t]*(?:```[\s\S]*?(?:^[ \t]*```|(?![\s\S]))|~~~[\s\S]*?(?:^[ \t]*~~~|(?![\s\S])))|`[^`\n]+`)/m)
    .map((part, at) => ({ part, isProse: at % 2 === 0 }));
}
