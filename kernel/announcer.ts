import type { Journal } from './report.ts';

/** More than this in one go is a circle: a listener changes what it is told of. */
const most = 1_000;

/** Tells one thing after the other: what a listener causes is told when all have heard what it answers to. */
export class Announcer {
  readonly #journal: Journal;
  readonly #waiting: (() => void)[] = [];
  #isTelling = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  tell(fn: () => void): void {
    this.#waiting.push(fn);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      let told = 0;
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        told += 1;
        if (told <= most) {
          next();
          continue;
        }
        this.#waiting.length = 0;
        this.#journal.add(
          'kern',
          'error',
          'announce_circle',
          'a listener of plugin.changed or capability.changed keeps changing what it is told of; the rest is not told',
        );
      }
    } finally {
      this.#isTelling = false;
    }
  }
}
