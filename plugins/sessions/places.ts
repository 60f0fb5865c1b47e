import type { SessionStorage } from 'kern/contracts';

interface Stretch {
  /** The first place that lies in it. */
  readonly from: number;
  readonly storage: Pick<SessionStorage, 'readSync'>;
  path: string;
  /** What is added to a place to get where it lies in `path`. */
  shift: number;
}

/**
 * Where the bytes of a session lie. Who reads knows an entry by its place in the file as it was opened, or when it was
 * added; that stays, also when the session goes on in another file, or behind lines that were rewritten.
 */
export class Places {
  #stretches: readonly Stretch[];

  constructor(storage: Pick<SessionStorage, 'readSync'>, path: string) {
    this.#stretches = [{ from: 0, storage, path, shift: 0 }];
  }

  readSync(at: number, length: number): Uint8Array {
    const nth = this.#stretches.findLastIndex(({ from }) => from <= at);
    const stretch = this.#stretches[nth];
    if (stretch === undefined) return new Uint8Array();
    const end = this.#stretches[nth + 1]?.from ?? Number.POSITIVE_INFINITY;
    return stretch.storage.readSync(stretch.path, at + stretch.shift, Math.min(length, end - at));
  }

  /** The place of what was just written at `at` of the file that is written now. */
  placeOf(at: number): number {
    return at - (this.#stretches.at(-1)?.shift ?? 0);
  }

  /** What lay in one file lies in another now, some bytes further. */
  moved(from: string, to: string, by: number): void {
    this.#stretches = this.#stretches.map((stretch) =>
      stretch.path === from ? { ...stretch, path: to, shift: stretch.shift + by } : stretch,
    );
  }

  /** All of it lies in `path` now, at the places that it has there. */
  reset(storage: Pick<SessionStorage, 'readSync'>, path: string): void {
    this.#stretches = [{ from: 0, storage, path, shift: 0 }];
  }

  /** What is written from now on, behind place `from`, lies in `path` from `at` on. */
  begin(from: number, storage: Pick<SessionStorage, 'readSync'>, path: string, at: number): void {
    this.#stretches = [...this.#stretches, { from, storage, path, shift: at - from }];
  }
}
