import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Files } from '../contract.ts';
import { isBelow } from './walk.ts';

/** How many files may lead to one another. */
const deepest = 5;
/** How many files a text may be made of, how much they may hold together, and how many names of files are looked for. */
const mostFiles = 100;
const mostText = 1024 * 1024;
const mostNames = 1_000;
/** Nobody's path is longer. */
const longestName = 4_096;

export interface IncludeOptions {
  readonly files: Pick<Files, 'text' | 'real' | 'warn'>;
  /** Files outside of these are left out: a project does not put the person's files into the prompt. */
  readonly within: readonly string[];
  /** Of these folders only Markdown counts: notes lie in them, and keys. */
  readonly notes: readonly string[];
  /** The person's own folder, for `@~/…`. */
  readonly user: string;
}

/**
 * A text in which `@path` to a text is that text, each once: files that name one another many times would grow without end.
 * What is not there, or must not be read, stays as it is written.
 */
export async function withIncludes(text: string, path: string, options: IncludeOptions): Promise<string> {
  if (!text.includes('@')) return text;
  const whole = new Whole(path, options);
  return whole.include(text, path, 0);
}

/** One text with all that it is made of. */
class Whole {
  readonly #path: string;
  readonly #options: IncludeOptions;
  /** Files that stand in it, by the names they were asked for and their own. */
  readonly #taken: Set<string>;
  readonly #looked = new Set<string>();
  #files = 0;
  #size = 0;
  #links: Promise<Pick<IncludeOptions, 'within' | 'notes'>> | undefined;

  constructor(path: string, options: IncludeOptions) {
    this.#path = path;
    this.#options = options;
    this.#taken = new Set([path]);
  }

  async include(text: string, path: string, depth: number): Promise<string> {
    if (!text.includes('@')) return text;
    const parts: string[] = [];
    // One after the other: which of two mentions is the first does not depend on how fast a file is read.
    for (const { part, isProse } of proseParts(text))
      parts.push(isProse ? await this.#includeIn(part, path, depth) : part);
    return parts.join('');
  }

  async #includeIn(part: string, path: string, depth: number): Promise<string> {
    const told: string[] = [];
    for (const [at, piece] of part.split(/(?<=^|\s)@((?:\\ |[^\s`@])+)/).entries()) {
      if (at % 2 === 0) {
        told.push(piece);
        continue;
      }
      // A sentence may end behind it.
      const end = sentenceEnd(piece);
      const found = await this.#textOf(piece.slice(0, end).replaceAll('\\ ', ' '), path, depth);
      told.push(found === undefined ? `@${piece}` : `${found}${piece.slice(end)}`);
    }
    return told.join('');
  }

  async #textOf(name: string, path: string, depth: number): Promise<string | undefined> {
    if (name.length > longestName || !/^(?:~\/|\.{0,2}\/|[\w.-])/.test(name) || !/[./]/.test(name)) return undefined;
    const { files, user } = this.#options;
    const file = name.startsWith('~/')
      ? join(user, name.slice(2))
      : isAbsolute(name)
        ? name
        : resolve(dirname(path), name);
    // Before anything is looked at: what lies outside is not even asked for.
    if (this.#taken.has(file) || this.#looked.has(file) || !isAllowed(file, this.#options)) return undefined;
    if (this.#looked.size === mostNames) return this.#left(`names more than ${mostNames} files with @`);
    this.#looked.add(file);
    const real = await files.real(file);
    if (real === undefined || this.#taken.has(real)) return undefined;
    if (!isAllowed(real, await this.#throughLinks())) return undefined;
    if (depth === deepest) return this.#left(`has files with @path more than ${deepest} deep`);
    if (this.#files === mostFiles) return this.#left(`is made of more than ${mostFiles} files with @path`);
    const text = (await files.text(file))?.trim();
    if (text === undefined) return undefined;
    if (this.#size + text.length > mostText) return this.#left('is made of more than 1 MB of files with @path');
    this.#files += 1;
    this.#size += text.length;
    this.#taken.add(file).add(real);
    return this.include(text, file, depth + 1);
  }

  #left(why: string): undefined {
    this.#options.files.warn(this.#path, `${why}: the others stay as they are written`);
  }

  #throughLinks(): Promise<Pick<IncludeOptions, 'within' | 'notes'>> {
    this.#links ??= throughLinks(this.#options);
    return this.#links;
  }
}

/** Where the marks of punctuation begin that end a word. */
function sentenceEnd(word: string): number {
  let end = word.length;
  while (end > 0 && '.,;:!?)]'.includes(word.charAt(end - 1))) end -= 1;
  return end;
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
