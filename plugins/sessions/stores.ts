import type {
  SessionBusy,
  SessionHeader,
  SessionLock,
  SessionStorage,
  SessionStore,
  StoreReport,
} from 'kern/contracts';
import type { Blobs } from './blobs.ts';
import type { Breadcrumbs } from './breadcrumbs.ts';
import { type Asked, askFor, told } from './busy.ts';
import { headerLine } from './dialect.ts';
import { FileStore } from './file-store.ts';
import { realCwd } from './folders.ts';
import { MemoryStore } from './memory-store.ts';
import { Places } from './places.ts';
import { SessionTree } from './read/session-tree.ts';
import type { LiveSettings } from './settings.ts';

/** A storage, and what to do when nothing of it is open any more. */
export interface Borrowed {
  readonly storage: SessionStorage;
  readonly release: () => void;
}

/** What a session in a file is given. */
export interface Opening extends Borrowed {
  readonly path: string;
  readonly report: ((report: StoreReport) => void) | undefined;
  readonly busy?: SessionBusy | undefined;
  /** Nothing will be added, and nobody goes on in it by this. */
  readonly toRead?: boolean | undefined;
}

interface Kept {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  readonly places: Places;
  readonly held?: readonly string[];
  readonly lock?: SessionLock | undefined;
  readonly size?: number | undefined;
  readonly readonly?: string;
}

/** Makes the stores of sessions. */
export class Stores {
  readonly #blobs: Blobs;
  readonly #settings: LiveSettings;
  readonly #crumbs: Breadcrumbs;
  readonly #home: string;

  constructor(blobs: Blobs, settings: LiveSettings, crumbs: Breadcrumbs, home: string) {
    this.#home = home;
    this.#blobs = blobs;
    this.#settings = settings;
    this.#crumbs = crumbs;
  }

  /** A session of which there is no file yet; `held` are the lines that it begins with. */
  async begin(opening: Opening, header: SessionHeader, held: readonly string[]): Promise<SessionStore> {
    const { storage, path } = opening;
    const bytes = bytesOf(header, held);
    const places = new Places(inMemory(bytes), '');
    // What is written later lies behind the same bytes, in the file.
    places.begin(bytes.length, storage, path, bytes.length);
    const tree = await this.#read(inMemory(bytes), places, path);
    return this.#store(opening, { header, tree, places, held });
  }

  /** A session whose file is there at once, with these lines. */
  async write(opening: Opening, header: SessionHeader, lines: AsyncIterable<string>): Promise<SessionStore> {
    const { storage, path } = opening;
    const asked = await askFor(storage, path);
    try {
      await storage.replace(path, after(headerLine(header), lines));
      return await this.open(opening, asked);
    } catch (error) {
      asked.lock?.release();
      throw error;
    }
  }

  async open(opening: Opening, asked: Asked): Promise<SessionStore> {
    const { storage, path, busy, toRead } = opening;
    const places = new Places(storage, path);
    const size = await storage.size(path);
    const tree = await this.#read(storage, places, path);
    const isReadonly = tree.readonlyReason !== undefined;
    if (isReadonly) asked.lock?.release();
    else if (!toRead) this.#leaveCrumb(tree.header.cwd, path);
    const lock = isReadonly ? undefined : asked.lock;
    return this.#store(
      { ...opening, ...(busy ? { busy } : told(asked)) },
      {
        header: tree.header,
        tree,
        places,
        lock,
        size,
        ...(toRead ? { readonly: 'it was opened only to be read' } : told(asked)),
      },
    );
  }

  /** A session that nobody writes down, with these lines. */
  async remember(header: SessionHeader, lines: readonly string[]): Promise<SessionStore> {
    if (lines.length === 0) return new MemoryStore(SessionTree.empty(header));
    const bytes = inMemory(bytesOf(header, lines));
    return new MemoryStore(await SessionTree.open(bytes, '', { resolveBlob: this.#blobs.read }));
  }

  #read(storage: Pick<SessionStorage, 'read'>, places: Places, path: string): Promise<SessionTree> {
    // The file is read from its beginning; entries are read from where they lie by then.
    const source = {
      read: (from: string, signal?: AbortSignal) => storage.read(from, signal),
      readSync: (_path: string, at: number, length: number) => places.readSync(at, length),
    };
    return SessionTree.open(source, path, { resolveBlob: this.#blobs.read });
  }

  #store({ storage, release, path, report = () => {}, busy }: Opening, kept: Kept): SessionStore {
    const { header, tree, places, held, lock, size, readonly } = kept;
    return new FileStore({
      storage,
      path,
      header,
      tree,
      places,
      blobs: this.#blobs,
      settings: this.#settings,
      report,
      home: this.#home,
      refusal: readonly === undefined ? storage.refusal?.(path) : undefined,
      held,
      lock,
      size,
      busy,
      readonly,
      began: (file) => this.#leaveCrumb(header.cwd, file),
      closed: release,
    });
  }

  /** A session goes on without it. */
  #leaveCrumb(cwd: string, file: string): void {
    try {
      this.#crumbs.leave(realCwd(cwd), file);
    } catch {
      // `--continue` finds the latest of the folder instead.
    }
  }
}

const bytesOf = (header: SessionHeader, lines: readonly string[]): Buffer =>
  Buffer.from([headerLine(header), ...lines].join(''));

function inMemory(bytes: Buffer): Pick<SessionStorage, 'read' | 'readSync'> {
  return {
    async *read() {
      yield bytes;
    },
    readSync: (_path, at, length) => bytes.subarray(at, at + length),
  };
}

async function* after(first: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* lines;
}
