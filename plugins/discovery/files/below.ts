import { basename, join } from 'node:path';
import type { FileEntry, Files } from '../contract.ts';

/** Files and folders beyond so many are not looked at: nobody made them by hand for an agent. */
const mostEntries = 5_000;

/** Folders listed at a time. */
const atOnce = 16;

/** A folder that was looked into. */
export interface Folder {
  readonly path: string;
  /** What lies in it, without what is hidden, `node_modules`, and links to folders that are looked into anyway. */
  readonly entries: readonly FileEntry[];
  /** Those of its folders that were looked into too, by their names. */
  readonly inside: ReadonlyMap<string, Folder>;
}

export interface BelowOptions {
  readonly files: Files;
  /** Folders further down that are looked into: 0 is the folder alone. */
  readonly depth: number;
  /** Whether a folder that was found is looked into, should it not lie too deep. Default all are. */
  enters?(path: string): Promise<boolean>;
}

/** A folder on the way, with where it really is: told by those above it, unless a link leads there. */
interface Step {
  readonly path: string;
  readonly above: Step | undefined;
  readonly isLink: boolean;
  real: Promise<string | undefined> | undefined;
  entries: FileEntry[];
  readonly inside: Map<string, Step>;
}

/**
 * Looks through the folders below one, the nearest first. Each is looked into once, however many links lead there or round
 * in a circle, and what holds too much is left where it becomes too much, with a warning.
 */
export async function lookBelow(folder: string, { files, depth, enters }: BelowOptions): Promise<Folder> {
  const start = stepOf(folder, undefined);
  const seen = new Seen(files, start);
  let left = mostEntries;
  let level: readonly Step[] = [start];
  for (let down = 0; level.length > 0; down += 1) {
    const next: Step[] = [];
    for (let at = 0; at < level.length; at += atOnce) {
      const steps = level.slice(at, at + atOnce);
      const lists = await Promise.all(steps.map(({ path }) => files.list(path)));
      for (const [index, step] of steps.entries()) {
        const counting = (lists[index] ?? []).filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
        step.entries = counting.slice(0, left);
        left -= step.entries.length;
        if (counting.length > step.entries.length) {
          files.warn(
            folder,
            `holds more than ${mostEntries} files and folders; only the nearest of them are looked at`,
          );
          await seen.sift(step);
          return start;
        }
      }
      for (const step of steps) next.push(...(await seen.sift(step)));
    }
    const entered = await Promise.all(next.map(async ({ path }) => enters === undefined || (await enters(path))));
    if (down >= depth) return start;
    level = next.filter((_, index) => entered[index]);
    for (const step of level) step.above?.inside.set(basename(step.path), step);
  }
  return start;
}

/** What was looked into, by where it really is. Only where there are links somebody has to ask. */
class Seen {
  readonly #files: Files;
  readonly #steps: Step[];
  #reals: Set<string> | undefined;

  constructor(files: Files, start: Step) {
    this.#files = files;
    this.#steps = [start];
  }

  /** The folders in a step that are news; links to those that are none are taken out of its entries. */
  async sift(step: Step): Promise<readonly Step[]> {
    const found: Step[] = [];
    const again = new Set<FileEntry>();
    const folders = step.entries.filter(({ kind }) => kind === 'folder');
    // Links last: a folder is known by its own name rather than by that of a link to it.
    for (const entry of folders.toSorted((a, b) => Number(a.isLink ?? false) - Number(b.isLink ?? false))) {
      const one = stepOf(entry.path, step, entry.isLink);
      if (await this.#isNews(one)) found.push(one);
      else again.add(entry);
    }
    if (again.size > 0) step.entries = step.entries.filter((entry) => !again.has(entry));
    return found;
  }

  async #isNews(step: Step): Promise<boolean> {
    this.#steps.push(step);
    if (!step.isLink && this.#reals === undefined) return true;
    if (this.#reals === undefined) {
      this.#steps.pop();
      const reals = await Promise.all(this.#steps.map((one) => this.#realOf(one)));
      this.#reals = new Set(reals.filter((real) => real !== undefined));
    }
    const real = await this.#realOf(step);
    // Where nobody tells, it is as good as not there.
    if (real === undefined || this.#reals.has(real)) return false;
    this.#reals.add(real);
    return true;
  }

  #realOf(step: Step): Promise<string | undefined> {
    const { above, isLink, path } = step;
    step.real ??=
      above === undefined || isLink
        ? this.#files.real(path)
        : this.#realOf(above).then((real) => (real === undefined ? undefined : join(real, basename(path))));
    return step.real;
  }
}

const stepOf = (path: string, above: Step | undefined, isLink = false): Step => ({
  path,
  above,
  isLink,
  real: undefined,
  entries: [],
  inside: new Map(),
});

/** All that lies in a folder and in those below it that were looked into. */
export const allIn = ({ entries, inside }: Folder): readonly FileEntry[] => [
  ...entries,
  ...entries.flatMap(({ name }) => {
    const folder = inside.get(name);
    return folder === undefined ? [] : allIn(folder);
  }),
];
