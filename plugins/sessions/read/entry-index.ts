import type { EntryNode } from 'kern/contracts';
import type { Head } from './head.ts';

/** Where the bytes of an entry are: not yet in a file, `at` is undefined. */
export interface Place {
  readonly at: number | undefined;
  readonly length: number;
  readonly line: number;
}

/**
 * The type of a node that stands for an entry whose line cannot be read, so that what follows it has a parent. In a file
 * that was written anew a `custom` entry of this name keeps the bytes: `line`, and `text` or `base64`.
 */
export const holeType = 'kern.damaged';

/** Written as a custom entry since pi does not know it, and read as what it is. */
const ownTypes: ReadonlyMap<string, string> = new Map([
  ['kern.mode_change', 'mode_change'],
  ['kern.ttsr_injection', 'ttsr_injection'],
  ['kern.session_init', 'session_init'],
]);

/** A `custom` entry that says where the leaf was moved. */
export const leafType = 'kern.leaf';
/** A `custom_message` that is read as a `fileMention` message. */
export const fileMentionType = 'kern.file-mention';

/**
 * A column for each thing that is known of an entry without its text: a hundred thousand entries take some tens of
 * megabytes. An entry is a number here; it never changes.
 */
export class EntryIndex {
  readonly #ids: string[] = [];
  readonly #parents: number[] = [];
  readonly #types: string[] = [];
  readonly #times: string[] = [];
  readonly #roles: (string | undefined)[] = [];
  readonly #customTypes: (string | undefined)[] = [];
  readonly #at: (number | undefined)[] = [];
  readonly #lengths: number[] = [];
  readonly #lines: number[] = [];
  readonly #byId = new Map<string, number>();
  /** By the id as it is written, where that is another entry's too: the one that came last. */
  readonly #written = new Map<string, number>();
  readonly #words = new Map<string, string>();
  /** Made when they are asked for first, and kept up with what is added. */
  #nodes: EntryNode[] | undefined;
  #isOrdered = true;

  get size(): number {
    return this.#ids.length;
  }

  add(id: string, parent: number, head: Omit<Head, 'id' | 'parentId'>, place: Place): number {
    const nth = this.#ids.length;
    const isMention = head.type === 'custom_message' && head.customType === fileMentionType;
    const isOwn = head.type === 'custom' && head.customType !== undefined ? ownTypes.get(head.customType) : undefined;
    this.#ids.push(id);
    this.#parents.push(parent);
    this.#types.push(this.#word(isMention ? 'message' : (isOwn ?? head.type)));
    this.#times.push(head.timestamp ?? '');
    this.#roles.push(isMention ? 'fileMention' : this.#wordOf(head.role));
    this.#customTypes.push(isMention || isOwn !== undefined ? undefined : this.#wordOf(head.customType));
    this.#at.push(place.at);
    this.#lengths.push(place.length);
    this.#lines.push(place.line);
    this.#byId.set(id, nth);
    const before = nth === 0 ? 0 : this.#at[nth - 1];
    if (place.at !== undefined && before !== undefined && place.at < before) this.#isOrdered = false;
    if (this.#isOrdered) this.#nodes?.push(this.node(nth));
    else this.#nodes = undefined;
    return nth;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  find(id: string): number | undefined {
    return this.#byId.get(id);
  }

  /** Which entry one means that was written later and names this id. */
  meant(writtenId: string): number | undefined {
    return this.#written.get(writtenId) ?? this.#byId.get(writtenId);
  }

  /** The entry is written with the id of another. */
  alias(writtenId: string, nth: number): void {
    this.#written.set(writtenId, nth);
  }

  id(nth: number): string {
    return this.#ids[nth] ?? '';
  }

  /** -1 for none. */
  parent(nth: number): number {
    return this.#parents[nth] ?? -1;
  }

  reparent(nth: number, parent: number): void {
    this.#parents[nth] = parent;
    this.#nodes = undefined;
  }

  type(nth: number): string {
    return this.#types[nth] ?? '';
  }

  customType(nth: number): string | undefined {
    return this.#customTypes[nth];
  }

  timestamp(nth: number): string {
    return this.#times[nth] ?? '';
  }

  place(nth: number): Place {
    return { at: this.#at[nth], length: this.#lengths[nth] ?? 0, line: this.#lines[nth] ?? 0 };
  }

  settle(nth: number, at: number, length: number): void {
    this.#at[nth] = at;
    this.#lengths[nth] = length;
  }

  /** Its line cannot be read. */
  spoil(nth: number): void {
    this.#types[nth] = holeType;
    this.#roles[nth] = undefined;
    this.#customTypes[nth] = undefined;
    this.#nodes = undefined;
  }

  parentId(nth: number): string | null {
    const parent = this.parent(nth);
    return parent === -1 ? null : this.id(parent);
  }

  /** From the root to an entry. */
  branch(nth: number): readonly number[] {
    const branch: number[] = [];
    for (let next = nth; next !== -1; next = this.parent(next)) branch.push(next);
    return branch.reverse();
  }

  /** All, in the order of the file. */
  inOrder(): readonly number[] {
    const all = Array.from(this.#ids, (_, nth) => nth);
    if (this.#isOrdered) return all;
    const at = (nth: number): number => this.#at[nth] ?? Number.POSITIVE_INFINITY;
    return all.sort((a, b) => (at(a) === at(b) ? a - b : at(a) - at(b)));
  }

  node(nth: number): EntryNode {
    const isHole = this.type(nth) === holeType;
    const role = this.#roles[nth];
    const customType = isHole ? holeType : this.#customTypes[nth];
    return {
      id: this.id(nth),
      parentId: this.parentId(nth),
      type: isHole ? 'custom' : this.type(nth),
      timestamp: this.timestamp(nth),
      ...(role === undefined ? {} : { role }),
      ...(customType === undefined ? {} : { customType }),
    };
  }

  nodes(): readonly EntryNode[] {
    this.#nodes ??= this.inOrder().map((nth) => this.node(nth));
    return this.#nodes.slice();
  }

  /** Few words, said many times: each is kept once. */
  #word(word: string): string {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (this.#words.size < 1_000) this.#words.set(word, word);
    return word;
  }

  #wordOf(word: string | undefined): string | undefined {
    return word === undefined ? undefined : this.#word(word);
  }
}
