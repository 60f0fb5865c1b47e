import type {
  EntryNode,
  ForeignEntry,
  NewEntry,
  Repair,
  SessionBusy,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionLock,
  SessionStorage,
  SessionStore,
  StoreReport,
  UnsavedEntries,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { Blobs } from './blobs.ts';
import { headerLine, json, written } from './dialect.ts';
import type { Places } from './places.ts';
import type { SessionTree } from './read/session-tree.ts';
import { type Moved, SessionFile, type SessionFileParts } from './session-file.ts';
import type { LiveSettings } from './settings.ts';
import { type Line, LineWriter, type Written } from './writer.ts';

export interface FileStoreParts {
  readonly storage: SessionStorage;
  readonly path: string;
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** Where the tree reads. */
  readonly places: Places;
  readonly blobs: Blobs;
  readonly settings: LiveSettings;
  readonly report: (report: StoreReport) => void;
  /** Where what cannot be written may be kept instead. */
  readonly home: string;
  /** Why nothing can be written, where that is known already. */
  readonly refusal: string | undefined;
  /** Lines that wait for the first user message to make the file; undefined when it is there. */
  readonly held: readonly string[] | undefined;
  readonly lock?: SessionLock | undefined;
  /** How long its file was when it was read. */
  readonly size?: number | undefined;
  readonly busy?: SessionBusy | undefined;
  readonly readonly?: string | undefined;
  /** There is a file, and this is where it is. */
  readonly began: (file: string) => void;
  readonly closed: () => void;
}

interface Held {
  readonly line: Line;
  readonly release: (written: Promise<Written>) => void;
}

/**
 * A session in a file of its own. The file appears with the first user message: a session in which nobody said
 * anything leaves nothing behind.
 */
export class FileStore implements SessionStore {
  readonly readonly: string | undefined;
  readonly #parts: FileStoreParts;
  readonly #file: SessionFile;
  readonly #writer: LineWriter;
  #busy: SessionBusy | undefined;
  #held: Held[] | undefined;
  #isClosed = false;

  constructor(parts: FileStoreParts) {
    const { tree, settings, report, blobs } = parts;
    this.#parts = parts;
    this.readonly = parts.readonly ?? tree.readonlyReason;
    this.#busy = parts.busy;
    this.#held = parts.held?.map((text) => ({ line: { text }, release: () => {} }));
    this.#file = new SessionFile({
      storage: parts.storage,
      path: parts.path,
      header: parts.header,
      fresh: parts.held !== undefined,
      lock: parts.lock,
      fromStopped: parts.busy?.as === 'takeover' && parts.busy.owner.isStopped === true,
      size: parts.size,
      remade: (header) => this.#remade(header),
      rewrite: tree.needsMigration
        ? { ending: tree.version < 3 ? `v${tree.version}.bak` : 'bak', begin: () => tree.rewrite() }
        : undefined,
      moved: (moved) => this.#moved(moved),
      told: (problem) => this.#writer.tell(problem),
    });
    this.#writer = new LineWriter({
      port: this.#file,
      report,
      settings,
      writeBlob: (blob) => blobs.write(blob),
      name: () => this.#file.path,
    });
    if (parts.refusal !== undefined) this.#writer.foretell(parts.refusal);
  }

  get header(): SessionHeader {
    return this.#file.header;
  }

  get file(): string {
    return this.#file.path;
  }

  get busy(): SessionBusy | undefined {
    return this.#busy;
  }

  get repairs(): readonly Repair[] {
    return this.#parts.tree.repairs;
  }

  get leaf(): string | null {
    return this.#parts.tree.leaf;
  }

  nodes(): readonly EntryNode[] {
    return this.#parts.tree.nodes();
  }

  entry(id: string): SessionEntry | ForeignEntry | undefined {
    return this.#parts.tree.entry(id);
  }

  entries(id: string | null = this.leaf): readonly (SessionEntry | ForeignEntry)[] {
    return this.#parts.tree.entries(id);
  }

  context(id: string | null = this.leaf): SessionContext {
    return this.#parts.tree.context(id);
  }

  label(id: string): string | undefined {
    return this.#parts.tree.label(id);
  }

  async append(entry: NewEntry): Promise<SessionEntry> {
    this.#mayWrite();
    const placed = this.#parts.tree.place(entry);
    await this.#keep(placed);
    return placed;
  }

  async moveLeaf(id: string | null): Promise<void> {
    const { tree } = this.#parts;
    this.#mayWrite();
    tree.moveLeaf(id);
    await this.#keep(tree.place({ type: 'custom', customType: 'kern.leaf', data: { target: id } }));
  }

  async flush(): Promise<void> {
    if (this.#held === undefined) await this.#writer.flush();
  }

  async rescue(): Promise<UnsavedEntries | undefined> {
    await this.flush().catch(() => {});
    const { pending, failure = 'unknown error' } = this.#writer;
    if (this.#held !== undefined || pending === 0) return undefined;
    const { rescueCopy } = await import('./rescue.ts');
    return { count: pending, why: failure, copy: await rescueCopy(this, this.file, this.#parts.home) };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const nothingSaid = Promise.reject(
      new KernError('session_empty', 'nothing was said in this session, so it was not kept'),
    );
    nothingSaid.catch(() => {});
    for (const { release } of this.#held?.splice(0) ?? []) release(nothingSaid);
    try {
      await this.#writer.close();
    } finally {
      this.#parts.closed();
    }
  }

  #mayWrite(): void {
    if (this.readonly !== undefined) {
      throw new KernError('session_readonly', `nothing can be added to ${this.file}: ${this.readonly}`, {
        hint: 'go on in a copy of it: kern --fork',
      });
    }
    if (this.#isClosed) throw new KernError('session_closed', `the session ${this.header.id} was closed`);
  }

  /** Resolves when it is on disk. */
  async #keep(placed: SessionEntry): Promise<void> {
    const { tree, places, blobs, settings } = this.#parts;
    const { line, blobs: needed } = blobs.lighten(json(written(placed)), settings.inlineLimit);
    const { promise, resolve } = Promise.withResolvers<Written>();
    this.#add({ line: { text: `${line}\n`, blobs: needed }, release: resolve });
    if (this.#held !== undefined && placed.type === 'message' && placed.message.role === 'user') this.#begin();
    const { at, length } = await promise;
    tree.wrote(placed.id, places.placeOf(at), length);
  }

  #add(added: Held): void {
    if (this.#held !== undefined) this.#held.push(added);
    else this.#release([added]);
  }

  #begin(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#release(held);
    this.#parts.began(this.file);
  }

  #release(added: readonly Held[]): void {
    const acknowledged = this.#writer.append(added.map(({ line }) => line));
    for (const [nth, { release }] of added.entries()) {
      const promise = acknowledged[nth];
      if (promise === undefined) continue;
      // Nobody may wait for it: what goes wrong is told by reports.
      promise.catch(() => {});
      release(promise);
    }
  }

  #remade(header: SessionHeader): ReturnType<SessionFileParts['remade']> {
    const { tree, places, storage, blobs, settings } = this.#parts;
    const { lines, done, missing } = tree.remade(
      headerLine(header),
      (entry) => `${blobs.lighten(json(written(entry)), settings.inlineLimit).line}\n`,
    );
    return {
      lines,
      missing,
      done: (file) => {
        places.reset(storage, file);
        done();
      },
    };
  }

  #moved({ from, file, shift, owner, previous }: Moved): void {
    this.#parts.places.moved(from, file, shift);
    if (owner !== undefined) this.#busy = { owner, as: 'fork' };
    this.#parts.began(file);
    this.#parts.report({ type: 'moved', previous });
  }
}
