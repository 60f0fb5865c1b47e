import type {
  EntryNode,
  ForeignEntry,
  NewEntry,
  Repair,
  SessionContext,
  SessionDiagnosis,
  SessionEntry,
  SessionHeader,
  SessionStorage,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { buildSessionContext } from '../context.ts';
import { entryId } from '../names.ts';
import type { ResolveBlob } from './blob-references.ts';
import { EntryIndex, holeType, leafType } from './entry-index.ts';
import type { Bytes, EntryReader } from './entry-reader.ts';
import { headOfParsed } from './head.ts';
import { currentVersion, type Heading } from './header.ts';
import type { BadPart } from './mend.ts';
import { Recent } from './recent.ts';
import type { Rewrite } from './rewrite.ts';
import type { LineSource } from './source.ts';

export interface OpenTreeOptions {
  /** Where blobs are; without it references stay what they are. */
  readonly resolveBlob?: ResolveBlob | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Every line is parsed, and all that is wrong with it is told: for a diagnosis. */
  readonly isThorough?: boolean | undefined;
}

/** Where the file ends, for whoever goes on writing it. */
export interface TreeEnd {
  /** Bytes of whole lines. What lies behind them was cut off. */
  readonly size: number;
  /** The last whole line has no newline. */
  readonly needsNewline: boolean;
  /** Behind `size` lies the beginning of a line. */
  readonly isTorn: boolean;
}

type Reading = typeof import('./file.ts');

/** What a tree is made of. */
interface Grown {
  readonly heading: Heading;
  readonly index: EntryIndex;
  readonly repairs: Repair[];
  readonly labels: Map<string, string>;
  readonly bad: readonly BadPart[];
  readonly name: string | undefined;
  readonly leaf: number;
  readonly end: TreeEnd;
  readonly needsMigration: boolean;
  /** Undefined for a session that begins. */
  readonly file: { readonly source: LineSource; readonly reading: Reading } | undefined;
  readonly resolveBlob: ResolveBlob | undefined;
  readonly writer: SessionDiagnosis['dialect'];
}

type Entry = SessionEntry | ForeignEntry;

/** What entries hold stays in memory up to this, in bytes of their lines. */
const recentBytes = 8 * 1024 * 1024;

/**
 * The entries of a session as a tree. Of entries in a file only their places stay in memory; what they hold is read
 * when it is asked for. Entries that are not in a file yet are held until `wrote` says that they are.
 */
export class SessionTree {
  readonly header: SessionHeader;
  /** As it is written in the file. */
  readonly version: number;
  /** Why nothing may be added: the version is newer than this kern. */
  readonly readonlyReason: string | undefined;
  /** Where the file ended when it was opened. */
  readonly end: TreeEnd;
  readonly #grown: Grown;
  readonly #reader: EntryReader | undefined;
  readonly #fresh = new Map<string, SessionEntry>();
  readonly #recent = new Recent<Entry>(recentBytes);
  /** A problem is told once, however often its line is read. */
  readonly #told = new Set<string>();
  #name: string | undefined;
  #leaf: number;
  #needsMigration: boolean;

  private constructor(grown: Grown) {
    const { heading, index, file, resolveBlob } = grown;
    this.#grown = grown;
    this.header = heading.header;
    this.version = heading.version;
    this.end = grown.end;
    this.#name = grown.name;
    this.#leaf = grown.leaf;
    this.#needsMigration = grown.needsMigration;
    this.readonlyReason =
      heading.version <= currentVersion
        ? undefined
        : `the session is of version ${Number.isNaN(heading.version) ? 'unknown' : heading.version}, and this kern knows versions up to ${currentVersion}: it can be read only`;
    if (file !== undefined)
      this.#reader = new file.reading.EntryReader({
        index,
        source: file.source,
        version: () => (this.#needsMigration ? heading.version : currentVersion),
        resolveBlob,
        repair: (nth, kind, message) => this.#repair(nth, kind, message),
      });
  }

  /** Throws `session_unreadable` for what is no session, nor what is left of one. */
  static async open(
    storage: Pick<SessionStorage, 'read' | 'readSync'>,
    path: string,
    options: OpenTreeOptions = {},
  ): Promise<SessionTree> {
    const reading = await import('./file.ts');
    const scan = await reading.scanned(storage, path, options);
    const { heading, index, repairs, labels, bad, size, needsNewline, isTorn } = scan;
    const tree = new SessionTree({
      heading,
      index,
      repairs,
      labels,
      bad,
      name: scan.name ?? heading.title,
      leaf: scan.leaf(),
      end: { size, needsNewline, isTorn },
      needsMigration: heading.version < currentVersion || !scan.hasHeader,
      file: { source: new reading.LineSource(storage, path), reading },
      resolveBlob: options.resolveBlob,
      writer: scan.writer,
    });
    // What is missing is told.
    for (const nth of scan.withBlobs) tree.#entry(nth);
    return tree;
  }

  /** A session that begins. */
  static empty(header: SessionHeader): SessionTree {
    return new SessionTree({
      heading: {
        header,
        raw: undefined,
        version: currentVersion,
        title: undefined,
        model: undefined,
        thinking: undefined,
      },
      index: new EntryIndex(),
      repairs: [],
      labels: new Map(),
      bad: [],
      name: undefined,
      leaf: -1,
      end: { size: 0, needsNewline: false, isTorn: false },
      needsMigration: false,
      file: undefined,
      resolveBlob: undefined,
      writer: 'kern',
    });
  }

  /** What was not as it should be. Grows when a line that is read later turns out to be broken. */
  get repairs(): readonly Repair[] {
    return this.#grown.repairs;
  }

  /** Which program has written the file; certain only after a thorough look. */
  get dialect(): SessionDiagnosis['dialect'] {
    return this.#grown.writer;
  }

  /** The line of the file that an entry stands on; 0 for one that is in none. */
  line(id: string): number {
    return this.#grown.index.place(this.#nth(id)).line;
  }

  /** Where the next entry goes; null before the first. */
  get leaf(): string | null {
    return this.#leaf === -1 ? null : this.#grown.index.id(this.#leaf);
  }

  /** The name of the session, which is that of all its branches. */
  get name(): string | undefined {
    return this.#name === '' ? undefined : this.#name;
  }

  /** The file has to be written anew before anything can be added: it is of an old version, or has no header. */
  get needsMigration(): boolean {
    return this.#needsMigration;
  }

  nodes(): readonly EntryNode[] {
    return this.#grown.index.nodes();
  }

  node(id: string): EntryNode | undefined {
    const nth = this.#grown.index.find(id);
    return nth === undefined ? undefined : this.#grown.index.node(nth);
  }

  entry(id: string): Entry | undefined {
    const nth = this.#grown.index.find(id);
    return nth === undefined ? undefined : this.#entry(nth);
  }

  /** From the root to the leaf, or to `id`. */
  entries(id: string | null = this.leaf): readonly Entry[] {
    const row = this.#grown.file?.source.inRow();
    return this.#branch(id).map((nth) => this.#entry(nth, row));
  }

  /** What the branch to the leaf, or to `id`, comes to. */
  context(id: string | null = this.leaf): SessionContext {
    const { heading, index, file } = this.#grown;
    const row = file?.source.inRow();
    return buildSessionContext(
      {
        name: this.name,
        model: heading.model,
        thinking: heading.thinking,
        branch: (leaf) => this.#branch(leaf).map((nth) => index.node(nth)),
        entry: (wanted) => {
          const nth = index.find(wanted);
          return nth === undefined ? undefined : this.#entry(nth, row, true);
        },
        problem: (wanted, kind, message) => this.#repair(index.find(wanted) ?? -1, kind, message),
      },
      id,
    );
  }

  label(id: string): string | undefined {
    return this.#grown.labels.get(id);
  }

  /** Gives an entry its place at the leaf, which moves to it, and holds it until it is written. */
  place(entry: NewEntry): SessionEntry {
    const { index } = this.#grown;
    const id = entryId((taken) => index.has(taken));
    const { type, ...rest } = entry;
    // The union is kept by taking it apart and together again, which TypeScript does not follow.
    const placed = { type, id, parentId: this.leaf, timestamp: new Date().toISOString(), ...rest } as SessionEntry;
    const head = headOfParsed(placed as unknown as Record<string, unknown>);
    if (head === undefined) throw new KernError('session_entry_invalid', 'an entry of a session has a type');
    const nth = index.add(id, this.#leaf, head, { at: undefined, length: 0, line: 0 });
    this.#fresh.set(id, placed);
    // It says where the leaf was moved to, and hangs there.
    if (placed.type !== 'custom' || placed.customType !== leafType) this.#leaf = nth;
    if (placed.type === 'session_info') this.#name = placed.name;
    if (placed.type === 'label') {
      if (placed.label === undefined || placed.label === '') this.#grown.labels.delete(placed.targetId);
      else this.#grown.labels.set(placed.targetId, placed.label);
    }
    return placed;
  }

  /** An entry is in the file now, on a line of its own: memory need not hold it any longer. */
  wrote(id: string, at: number, length: number): void {
    const { index, file } = this.#grown;
    const nth = index.find(id);
    const entry = this.#fresh.get(id);
    if (nth === undefined || entry === undefined || file === undefined) return;
    index.settle(nth, at, length);
    this.#fresh.delete(id);
    this.#recent.keep(id, entry, length);
  }

  /** The next entry follows `id`; null: it is the first of a branch. */
  moveLeaf(id: string | null): void {
    this.#leaf = id === null ? -1 : this.#nth(id);
  }

  /**
   * The file as the current version writes it, for one that needs a migration; entries that are not written yet are
   * not in it. `done` when it is in the place of the old one: entries are read from it from then on.
   */
  rewrite(): Rewrite {
    const rewrite = this.#rewritten();
    return {
      lines: rewrite.lines,
      done: () => {
        rewrite.done();
        this.#needsMigration = false;
      },
    };
  }

  /**
   * What was written, for a file whose content is gone: from memory, and from what can still be read of the file. Of what
   * is lost a `kern.damaged` entry keeps the place, so that the tree stays what it is.
   */
  remade(
    header: string,
    lineOf: (entry: Entry) => string,
  ): { readonly lines: Iterable<string>; readonly done: () => void; readonly missing: () => number } {
    const places: { readonly nth: number; readonly at: number; readonly length: number }[] = [];
    let missing = 0;
    const lines = this.#remadeLines(header, lineOf, places, () => {
      missing += 1;
    });
    return {
      lines,
      missing: () => missing,
      done: () => {
        for (const { nth, at, length } of places) this.#grown.index.settle(nth, at, length);
        this.#needsMigration = false;
      },
    };
  }

  *#remadeLines(
    header: string,
    lineOf: (entry: Entry) => string,
    places: { readonly nth: number; readonly at: number; readonly length: number }[],
    lost: () => void,
  ): Generator<string> {
    const { index } = this.#grown;
    yield header;
    let at = Buffer.byteLength(header);
    for (const nth of index.inOrder()) {
      if (index.place(nth).at === undefined) continue;
      const known = this.#knownOf(nth);
      if (known === undefined) lost();
      const { id, parentId, timestamp } = index.node(nth);
      const line = lineOf(known ?? { type: 'custom', id, parentId, timestamp, customType: holeType, data: {} });
      places.push({ nth, at, length: Buffer.byteLength(line) - 1 });
      at += Buffer.byteLength(line);
      yield line;
    }
  }

  /** Of an entry in a file that is not what it was. */
  #knownOf(nth: number): Entry | undefined {
    const { index, file } = this.#grown;
    const id = index.id(nth);
    const held = this.#fresh.get(id) ?? this.#recent.get(id);
    if (held !== undefined) return held;
    const { at = 0, length } = index.place(nth);
    try {
      const bytes = file?.source.read(at, length);
      return bytes === undefined || file?.reading.parsedLine(bytes)?.id !== id ? undefined : this.#entry(nth);
    } catch {
      return undefined;
    }
  }

  /** As `rewrite`, for a copy elsewhere, with text that is well-formed; the tree stays at its file. */
  mended(): Iterable<string> {
    return this.#rewritten(true).lines;
  }

  #rewritten(isMended = false): Rewrite {
    const { index, file, heading, bad } = this.#grown;
    if (file === undefined)
      throw new KernError('session_not_in_file', 'a session that begins has no file to be written anew');
    return file.reading.rewriteOf({ index, source: file.source, heading, bad, isMended });
  }

  #branch(id: string | null): readonly number[] {
    return id === null ? [] : this.#grown.index.branch(this.#nth(id));
  }

  #nth(id: string): number {
    const nth = this.#grown.index.find(id);
    if (nth !== undefined) return nth;
    throw new KernError('session_entry_not_found', `the session has no entry ${id}`, {
      hint: '`kern sessions show --tree` lists the entries there are',
    });
  }

  /** `isKept`: though it is read in a row, it may be wanted again. */
  #entry(nth: number, row?: Bytes, isKept = row === undefined): Entry {
    const { index } = this.#grown;
    const id = index.id(nth);
    const held = this.#fresh.get(id) ?? this.#recent.get(id);
    if (held !== undefined) return held;
    const entry = (this.#reader as EntryReader).read(nth, row);
    // Whoever reads a row wants each of it once.
    if (isKept) this.#recent.keep(id, entry, index.place(nth).length);
    return entry;
  }

  #repair(nth: number, kind: Repair['kind'], message: string): void {
    const { line } = this.#grown.index.place(nth);
    const key = `${line} ${kind} ${message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#grown.repairs.push({ line, kind, message });
  }
}
