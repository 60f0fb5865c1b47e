import { realpathSync, statSync } from 'node:fs';
import { cp, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type {
  CreateOptions,
  SessionBusy,
  SessionHeader,
  SessionLock,
  SessionOwner,
  SessionStorage,
  SessionStore,
  Sessions,
  StoreReport,
} from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';
import type { Blobs } from './blobs.ts';
import { branchLines, branchOf, type Source } from './branch-lines.ts';
import type { Breadcrumbs } from './breadcrumbs.ts';
import { headerLine } from './dialect.ts';
import { FileStore } from './file-store.ts';
import { expanded, findSession, latestIn, type Where } from './find.ts';
import { headerOf } from './header-of.ts';
import { MemoryStore } from './memory-store.ts';
import { artifactFolder, fileName, folderName, sessionId, sessionsRoot } from './names.ts';
import { Places } from './places.ts';
import { SessionTree } from './read/session-tree.ts';
import type { LiveSettings } from './settings.ts';

/** A storage, and what to do when nothing of it is open any more. */
export interface Borrowed {
  readonly storage: SessionStorage;
  readonly release: () => void;
}

export interface ServiceParts {
  readonly home: string;
  /** The folder of all sessions, where the settings name one. */
  readonly dir: string | undefined;
  readonly live: LiveSettings;
  readonly blobs: Blobs;
  readonly crumbs: Breadcrumbs;
  /** The storage that the settings name. Whoever keeps it open gives it back. */
  readonly borrow: () => Promise<Borrowed>;
}

type Report = (report: StoreReport) => void;
type Kept = Omit<Sessions, 'list' | 'diagnose' | 'repair'>;

interface Begun {
  readonly storage: SessionStorage;
  readonly release: () => void;
  readonly header: SessionHeader;
  readonly path: string;
  readonly report: Report;
  readonly busy?: SessionBusy | undefined;
}

/** What the `sessions` service does with files. */
export class SessionFiles implements Kept {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async create(options: CreateOptions): Promise<SessionStore> {
    const header = headerFor(options, options.parentSession);
    if (!options.persist) return new MemoryStore(SessionTree.empty(header));
    const { storage, release } = await this.#parts.borrow();
    const path = this.#pathFor(header, options.dir);
    return this.#begun({ storage, release, header, path, report: options.report ?? (() => {}) }, []);
  }

  async open(file: string, options: Parameters<Sessions['open']>[1]): Promise<SessionStore> {
    const { whenBusy, toRead = false, report = () => {} } = options;
    const { storage, release } = await this.#parts.borrow();
    let lock: SessionLock | undefined;
    try {
      const path = await this.#there(storage, file);
      const taken = toRead ? {} : await lockOf(storage, path);
      lock = taken.lock;
      if (taken.owner !== undefined && whenBusy === 'fail') throw busyError(path, taken.owner);
      if (taken.owner !== undefined && whenBusy === 'fork') {
        const cwd = headerOf(storage, path)?.cwd ?? dirname(path);
        const busy = { owner: taken.owner, as: 'fork' } as const;
        release();
        return await this.#fork(path, { cwd, persist: true, dir: dirname(path), report }, busy);
      }
      const places = new Places(storage, path);
      const tree = await SessionTree.open(through(storage, places), path, { resolveBlob: this.#parts.blobs.read });
      if (tree.readonlyReason !== undefined) lock?.release();
      else if (!toRead) this.#leaveCrumb(tree.header.cwd, path);
      return new FileStore({
        storage,
        path,
        header: tree.header,
        tree,
        places,
        ...this.#shared(report, release),
        held: undefined,
        lock: tree.readonlyReason === undefined ? lock : undefined,
        ...(toRead ? { readonly: 'it was opened only to be read' } : ownership(taken)),
        began: (moved) => this.#leaveCrumb(tree.header.cwd, moved),
      });
    } catch (error) {
      lock?.release();
      release();
      throw error;
    }
  }

  fork(source: SessionStore | string, options: Parameters<Sessions['fork']>[1]): Promise<SessionStore> {
    return this.#fork(source, options, undefined);
  }

  async find(wanted: string, options: Parameters<Sessions['find']>[1]): Promise<string> {
    return this.#lookedUp(options, (where) => findSession(wanted, where));
  }

  async latest(options: Parameters<Sessions['latest']>[0]): Promise<string | undefined> {
    return this.#lookedUp(options, async (where) => {
      const file = this.#parts.crumbs.find(where.cwd);
      const isWanted = file !== undefined && (where.root !== undefined || dirname(file) === where.own);
      if (isWanted && (await where.storage.size(file).catch(() => 0))) return file;
      return latestIn(where);
    });
  }

  async remove(file: string): Promise<void> {
    const { storage, release } = await this.#parts.borrow();
    try {
      const path = await this.#there(storage, file);
      // Only what is a session: the path may be a slip of the hand.
      if (headerOf(storage, path) === undefined)
        await SessionTree.open(storage, path).catch((cause: unknown) => {
          throw new KernError('session_unreadable', `${path} does not look like a session, so it is not deleted`, {
            cause,
          });
        });
      const { lock, owner } = await lockOf(storage, path);
      if (owner !== undefined) throw busyError(path, owner);
      try {
        await storage.remove(path);
        if (path.endsWith('.jsonl')) await rm(artifactFolder(path), { recursive: true, force: true });
        for (const aside of ['bak', 'v1.bak', 'v2.bak']) await storage.remove(`${path}.${aside}`);
      } finally {
        lock?.release();
      }
    } finally {
      release();
    }
  }

  /** The folders in which sessions are looked for. */
  where(options: { readonly cwd: string; readonly dir?: string | undefined }): Omit<Where, 'storage'> {
    const { home, dir } = this.#parts;
    const cwd = realCwd(options.cwd);
    const chosen = options.dir ?? dir;
    if (chosen !== undefined) return { cwd, own: resolve(cwd, expanded(chosen)), root: undefined };
    const root = sessionsRoot(home);
    return { cwd, own: join(root, folderName(cwd)), root };
  }

  async #lookedUp<T>(
    options: { readonly cwd: string; readonly dir?: string | undefined },
    look: (where: Where) => Promise<T>,
  ): Promise<T> {
    const { storage, release } = await this.#parts.borrow();
    try {
      return await look({ storage, ...this.where(options) });
    } finally {
      release();
    }
  }

  async #fork(
    source: SessionStore | string,
    options: CreateOptions & { readonly upTo?: string | null | undefined },
    busy: SessionBusy | undefined,
  ): Promise<SessionStore> {
    const { blobs, live } = this.#parts;
    const { storage, release } = await this.#parts.borrow();
    try {
      const file = typeof source === 'string' ? await this.#there(storage, source) : source.file;
      const from: Source =
        typeof source === 'string'
          ? await SessionTree.open(storage, file ?? source, { resolveBlob: blobs.read })
          : source;
      const branch = branchOf(from, options.upTo === undefined ? from.leaf : options.upTo);
      const header = headerFor(options, options.parentSession ?? file);
      const path = this.#pathFor(header, options.dir);
      const begun = { storage, release, header, path, report: options.report ?? (() => {}), busy };
      const lines = branchLines(from, branch, blobs, live.inlineLimit);
      const isKept = options.persist && branch.hasUserMessage;
      const copy = isKept ? await this.#copied(begun, lines) : await this.#held(begun, options.persist, lines);
      for (const id of branch.ids) {
        const label = from.label(id);
        // Given on another branch. It is acknowledged with what comes next.
        if (label !== copy.label(id))
          copy.append({ type: 'label', targetId: id, ...(label ? { label } : {}) }).catch(() => {});
      }
      if (isKept && file !== undefined) await copyFolder(artifactFolder(file), artifactFolder(path));
      if (!options.persist) release();
      return copy;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A file that is there at once, with these lines. */
  async #copied(begun: Begun, lines: AsyncIterable<string>): Promise<SessionStore> {
    const { storage, header, path, report, busy, release } = begun;
    const { lock } = await lockOf(storage, path);
    try {
      await storage.replace(path, after(headerLine(header), lines));
      const places = new Places(storage, path);
      const tree = await SessionTree.open(through(storage, places), path, { resolveBlob: this.#parts.blobs.read });
      this.#leaveCrumb(header.cwd, path);
      const began = (moved: string): void => this.#leaveCrumb(header.cwd, moved);
      return new FileStore({
        storage,
        path,
        header,
        tree,
        places,
        ...this.#shared(report, release),
        held: undefined,
        lock,
        busy,
        began,
      });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  async #held(begun: Begun, persist: boolean, lines: AsyncIterable<string>): Promise<SessionStore> {
    const held: string[] = [];
    for await (const line of lines) held.push(line);
    if (persist) return this.#begun(begun, held);
    const bytes = Buffer.from([headerLine(begun.header), ...held].join(''));
    return new MemoryStore(await SessionTree.open(inMemory(bytes), '', { resolveBlob: this.#parts.blobs.read }));
  }

  /** A session that has no file yet. */
  async #begun({ storage, release, header, path, report, busy }: Begun, held: readonly string[]): Promise<FileStore> {
    const bytes = Buffer.from([headerLine(header), ...held].join(''));
    const places = new Places(inMemory(bytes), '');
    // What is written later lies behind the same bytes, in the file.
    places.begin(bytes.length, storage, path, bytes.length);
    const tree = await SessionTree.open(through(inMemory(bytes), places), path, {
      resolveBlob: this.#parts.blobs.read,
    });
    const began = (file: string): void => this.#leaveCrumb(header.cwd, file);
    return new FileStore({ storage, path, header, tree, places, ...this.#shared(report, release), held, busy, began });
  }

  #shared(
    report: Report,
    closed: () => void,
  ): { readonly blobs: Blobs; readonly settings: LiveSettings; readonly report: Report; readonly closed: () => void } {
    return { blobs: this.#parts.blobs, settings: this.#parts.live, report, closed };
  }

  /** A session goes on without it. */
  #leaveCrumb(cwd: string, file: string): void {
    try {
      this.#parts.crumbs.leave(realCwd(cwd), file);
    } catch {
      // `--continue` finds the latest of the folder instead.
    }
  }

  #pathFor({ timestamp, id, cwd }: SessionHeader, dir: string | undefined): string {
    return join(this.where({ cwd, dir }).own, fileName(timestamp, id));
  }

  /** The file itself, where links lead to it. */
  async #there(storage: SessionStorage, file: string): Promise<string> {
    const given = resolve(expanded(file));
    const path = storage.id === 'file' ? await realpath(given).catch(() => given) : given;
    if ((await storage.size(path)) !== undefined) return path;
    throw new KernError('session_not_found', `there is no session ${file}`, {
      hint: '`kern sessions list --all` shows those there are',
    });
  }
}

/** A folder behind a link has the sessions of the folder itself. */
export function realCwd(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch {
    // It is gone, or on another machine.
    return cwd;
  }
}

function headerFor({ cwd }: CreateOptions, parentSession: string | undefined): SessionHeader {
  return {
    type: 'session',
    version: 3,
    id: sessionId(),
    timestamp: new Date().toISOString(),
    cwd: realCwd(cwd),
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/** Where nothing can be written there is no lock: the session is opened, and what is said in it is told to be in memory only. */
async function lockOf(
  storage: SessionStorage,
  path: string,
): Promise<{ readonly lock?: SessionLock; readonly owner?: SessionOwner; readonly from?: SessionOwner }> {
  if (storage.lock === undefined) return {};
  try {
    const taken = await storage.lock(path);
    return taken.lock === undefined ? { owner: taken.owner } : taken;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return {};
    throw error;
  }
}

function ownership({ owner, from }: { readonly owner?: SessionOwner; readonly from?: SessionOwner }): {
  readonly busy?: SessionBusy;
  readonly readonly?: string;
} {
  if (owner !== undefined) return { busy: { owner, as: 'readonly' }, readonly: `${whoHas(owner)} has it open` };
  return from === undefined ? {} : { busy: { owner: from, as: 'takeover' } };
}

const whoHas = ({ pid, host, since }: SessionOwner): string =>
  `process ${pid} on ${host || 'this machine'} (since ${since})`;

function busyError(path: string, owner: SessionOwner): KernError {
  return new KernError('session_busy', `${path} is open: ${whoHas(owner)} writes it`, {
    hint: 'end that one, or go on in a copy: kern --fork',
  });
}

/** Reads from the beginning as the storage does, and entries where they lie by now. */
function through(storage: Pick<SessionStorage, 'read'>, places: Places): Pick<SessionStorage, 'read' | 'readSync'> {
  return {
    read: (path, signal) => storage.read(path, signal),
    readSync: (_path, at, length) => places.readSync(at, length),
  };
}

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

async function copyFolder(from: string, to: string): Promise<void> {
  if (from === to || !statSync(from, { throwIfNoEntry: false })?.isDirectory()) return;
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}
