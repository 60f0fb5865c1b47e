import { existsSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { KernError } from '../error.ts';
import type { Kernel } from '../kernel.ts';
import { isFound, type Slot, whoIs } from './slot.ts';

/** Packages of which nobody can tell what they bring: their package.json is broken, or names what is not there. */
export class Unread {
  readonly #kernel: Kernel;
  /** What was told of each path, and of which key. */
  readonly #told = new Map<string, { readonly message: string; readonly key: string }>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Tells what is news of the problems, each once. */
  tell(problems: ReadonlyMap<string, string>, slots: Iterable<Slot>): void {
    for (const [path, { message, key }] of this.#told) {
      if (problems.get(path) === message) continue;
      this.#kernel.forgetFailure(key);
      this.#told.delete(path);
    }
    const found = [...slots].filter(isFound);
    for (const [path, message] of problems) {
      // A file that cannot even be named brings nothing: `kern doctor` warns of it.
      if (this.#told.has(path) || isEscaped(basename(path))) continue;
      const slot = found.find((one) => isIn(path, one));
      const id = basename(dirname(path));
      const who =
        slot === undefined
          ? { key: `unread:${path}`, id, level: 'user' as const, source: path, revision: 1 }
          : whoIs(slot);
      this.#told.set(path, { message, key: who.key });
      const hint = 'Correct it; it is read again.';
      this.#kernel.recordFailure(who, new KernError('plugin_unread', message, { hint }));
    }
  }

  /** Its package cannot be read now: what runs goes on. */
  holds(slot: Slot): boolean {
    return existsSync(slot.place.entry) && [...this.#told.keys()].some((path) => isIn(path, slot));
  }
}

/** As `visible` writes what does not show. */
const isEscaped = (name: string): boolean => /\\(?:u\{[\da-f]+\}|[nrt])/.test(name);

/** A single file has no package: what stands beside it is of others. */
const isIn = (path: string, { place: { folder } }: Slot): boolean =>
  path.startsWith(folder + sep) && existsSync(join(folder, 'package.json'));
