import type { Repair } from 'kern/contracts';
import { type EntryIndex, holeType } from './entry-index.ts';
import type { Head } from './head.ts';

/** Bytes that are no line of a session, and where they are. */
export interface BadPart {
  readonly line: number;
  readonly at: number;
  readonly length: number;
  /** What could still be made out. */
  readonly head: Head | undefined;
}

/** What is mended. */
export interface Broken {
  readonly index: EntryIndex;
  repair(line: number, kind: Repair['kind'], message: string): void;
  /** Parses the line of an entry; a broken one becomes a hole, and what is whole behind it is added. */
  verify(nth: number): void;
}

/** An entry whose parent was not there when it came. It follows the entry before it until that is settled. */
export interface LostParent {
  readonly nth: number;
  readonly parentId: string;
}

/** Settles where entries belong whose parent did not come before them. */
export class Mending {
  readonly #scan: Broken;
  /** Entries up to here lie in the order of the file. */
  readonly #ordered: number;
  readonly #damaged: ReadonlyMap<string, BadPart>;
  /** Where the children of a parent that is nowhere were put: they stay together. */
  readonly #adopted = new Map<string, number>();
  readonly #verified = new Set<number>();
  /** A parent lies behind its child now. */
  mayCycle = false;

  constructor(scan: Broken, bad: readonly BadPart[]) {
    this.#scan = scan;
    this.#ordered = scan.index.size;
    this.#damaged = new Map(bad.flatMap((part) => (part.head?.id === undefined ? [] : [[part.head.id, part]])));
  }

  settle({ nth, parentId }: LostParent): void {
    const { index } = this.#scan;
    const found = this.#find(parentId) ?? this.#behind(nth, parentId);
    if (found !== undefined && found !== nth) {
      this.mayCycle ||= found > nth;
      index.reparent(nth, found);
      return;
    }
    const place = this.#adopted.get(parentId) ?? index.parent(nth);
    this.#adopted.set(parentId, place);
    index.reparent(nth, place);
    const where = place === -1 ? 'it is the first of a branch' : `it follows ${index.id(place)}`;
    this.#scan.repair(index.place(nth).line, 'lost-parent', `its parent ${parentId} is not in the file: ${where}`);
  }

  #find(parentId: string): number | undefined {
    const { index } = this.#scan;
    const known = index.meant(parentId);
    if (known !== undefined) return known;
    const part = this.#damaged.get(parentId);
    return part === undefined ? undefined : this.#hole(part);
  }

  /** Of two entries with one id the one that came before a place in the file. */
  #findBefore(parentId: string, at: number): number | undefined {
    const { index } = this.#scan;
    const latest = this.#find(parentId);
    const isBefore = latest !== undefined && (index.place(latest).at ?? 0) < at;
    return isBefore ? latest : (index.find(parentId) ?? latest);
  }

  /** The line before may be two: one that was cut off, and the parent that was written behind it. */
  #behind(nth: number, parentId: string): number | undefined {
    const before = this.#before(nth);
    if (before === -1 || this.#verified.has(before)) return undefined;
    this.#verified.add(before);
    this.#scan.verify(before);
    return this.#scan.index.meant(parentId);
  }

  /** Stands for an entry that cannot be read, so that what came before it is not lost to what follows. */
  #hole({ head, at, length, line }: BadPart): number {
    const { index } = this.#scan;
    const id = head?.id ?? '';
    const nth = index.add(
      id,
      -1,
      { type: holeType, timestamp: head?.timestamp, customType: undefined, role: undefined },
      { at, length, line },
    );
    // Added before its own parent is looked for: a circle of broken lines ends here.
    const parentId = head?.parentId;
    const parent =
      parentId === null ? -1 : parentId === undefined || parentId === id ? undefined : this.#findBefore(parentId, at);
    index.reparent(nth, parent ?? this.#before(nth));
    this.mayCycle = true;
    return nth;
  }

  /** The entry before it in the file. */
  #before(nth: number): number {
    const { index } = this.#scan;
    const at = index.place(nth).at ?? 0;
    let [low, high] = [0, this.#ordered];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((index.place(middle).at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Each entry leads to a root: where a circle is closed, it is opened at its first entry. */
export function breakCycles(scan: Broken): void {
  const { index } = scan;
  const order = index.inOrder();
  const before = new Map(order.map((nth, place) => [nth, order[place - 1] ?? -1]));
  const done = new Set<number>([-1]);
  for (const start of order) {
    const path = new Set<number>();
    let next = start;
    for (; !done.has(next) && !path.has(next); next = index.parent(next)) path.add(next);
    if (path.has(next)) {
      const circle = [...path].slice([...path].indexOf(next));
      const first = circle.reduce((a, b) => ((index.place(b).at ?? 0) < (index.place(a).at ?? 0) ? b : a));
      const previous = before.get(first) ?? -1;
      index.reparent(first, done.has(previous) ? previous : -1);
      scan.repair(
        index.place(first).line,
        'parent-cycle',
        `its parents lead back to it (${index.id(first)}): it ${done.has(previous) && previous !== -1 ? 'follows the entry before it' : 'is the first of a branch'}`,
      );
    }
    for (const nth of path) done.add(nth);
  }
}
