import { statSync } from 'node:fs';
import { cp, realpath, rm, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type {
  CreateOptions,
  SessionBusy,
  SessionDiagnosis,
  SessionHeader,
  SessionLock,
  SessionStorage,
  SessionStore,
  SessionSummary,
  Sessions,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { Blobs } from './blobs.ts';
import { branchLines, branchOf, type Source } from './branch-lines.ts';
import type { Breadcrumbs } from './breadcrumbs.ts';
import { askFor, busyError } from './busy.ts';
import { findSession, latestIn, type Where } from './find.ts';
import { expanded, type Folders, foldersFor, foldersIn, realCwd } from './folders.ts';
import { headerOf } from './header-of.ts';
import { MemoryStore } from './memory-store.ts';
import { artifactFolder, fileName, sessionId } from './names.ts';
import { SessionTree } from './read/session-tree.ts';
import type { LiveSettings } from './settings.ts';
import type { Borrowed, Stores } from './stores.ts';

export interface ServiceParts {
  readonly home: string;
  /** The folder of all sessions, where the settings name one. */
  readonly dir: string | undefined;
  readonly live: LiveSettings;
  readonly blobs: Blobs;
  readonly crumbs: Breadcrumbs;
  /** The storage that the settings name. Whoever has it gives it back. */
  readonly borrow: () => Promise<Borrowed>;
}

type ForkOptions = Parameters<Sessions['fork']>[1];

/** The `sessions` service. */
export class SessionFiles implements Sessions {
  readonly #parts: ServiceParts;
  #loaded: Promise<Stores> | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async create(options: CreateOptions): Promise<SessionStore> {
    const header = headerFor(options, options.parentSession);
    if (!options.persist) return new MemoryStore(SessionTree.empty(header));
    const borrowed = await this.#parts.borrow();
    const path = this.#pathFor(header, options.dir);
    return (await this.#stores()).begin({ ...borrowed, path, report: options.report }, header, []);
  }

  async open(file: string, { whenBusy, toRead, report }: Parameters<Sessions['open']>[1]): Promise<SessionStore> {
    const borrowed = await this.#parts.borrow();
    const { storage, release } = borrowed;
    let lock: SessionLock | undefined;
    try {
      const path = await there(storage, file);
      const asked = toRead ? {} : await askFor(storage, path);
      lock = asked.lock;
      const { owner } = asked;
      if (owner === undefined || whenBusy === 'readonly')
        return await (await this.#stores()).open({ ...borrowed, path, report, toRead }, asked);
      if (whenBusy === 'fail') throw busyError(path, owner);
      const cwd = headerOf(storage, path)?.cwd ?? dirname(path);
      const copy = { cwd, persist: true, dir: dirname(path), report };
      return await this.#fork(borrowed, path, copy, { owner, as: 'fork' });
    } catch (error) {
      lock?.release();
      release();
      throw error;
    }
  }

  async fork(source: SessionStore | string, options: ForkOptions): Promise<SessionStore> {
    const borrowed = await this.#parts.borrow();
    try {
      return await this.#fork(borrowed, source, options, undefined);
    } catch (error) {
      borrowed.release();
      throw error;
    }
  }

  find(wanted: string, { cwd, dir }: Parameters<Sessions['find']>[1]): Promise<string> {
    return this.#lookedUp((storage) => findSession(wanted, { storage, ...this.#folders(cwd, dir) }));
  }

  latest({ cwd, dir }: Parameters<Sessions['latest']>[0]): Promise<string | undefined> {
    return this.#lookedUp(async (storage) => {
      const where: Where = { storage, ...this.#folders(cwd, dir) };
      const file = this.#parts.crumbs.find(where.cwd);
      const isWanted = file !== undefined && (where.root !== undefined || dirname(file) === where.own);
      if (isWanted && (await storage.size(file).catch(() => 0))) return file;
      return latestIn(where);
    });
  }

  async remember(file: string, { cwd, dir }: Parameters<Sessions['remember']>[1]): Promise<boolean> {
    const { crumbs } = this.#parts;
    const folders = this.#folders(cwd, dir);
    if (crumbs.leave(folders.cwd, file)) return (await this.latest({ cwd, dir })) === file;
    const isHere = await this.#lookedUp(async (storage) => {
      const isOwn = dirname(file) === folders.own && headerOf(storage, file)?.cwd === folders.cwd;
      return storage.id === 'file' && isOwn;
    });
    // Where no terminal remembers, the newest of the folder is gone on in.
    if (isHere) await utimes(file, new Date(), new Date());
    return isHere;
  }

  list({ cwd, dir, signal }: Parameters<Sessions['list']>[0]): Promise<readonly SessionSummary[]> {
    return this.#lookedUp(async (storage) => {
      const { listSessions } = await import('./list/list.ts');
      const { own, root, cwd: real } = this.#folders(cwd ?? process.cwd(), dir);
      const folders = root === undefined || cwd !== undefined ? [own] : await foldersIn(root);
      // What is known of files is kept for those that stay.
      const indexFile = storage.id === 'file' ? join(this.#parts.home, 'cache', 'sessions.json') : undefined;
      return listSessions({ storage, folders, indexFile, signal, ...(cwd === undefined ? {} : { cwd: real }) });
    });
  }

  remove(file: string): Promise<void> {
    return this.#lookedUp(async (storage) => {
      const path = await there(storage, file);
      await isSession(storage, path);
      const { lock, owner } = await askFor(storage, path);
      if (owner !== undefined) throw busyError(path, owner);
      try {
        await storage.remove(path);
        if (path.endsWith('.jsonl')) await rm(artifactFolder(path), { recursive: true, force: true });
        for (const ending of ['bak', 'v1.bak', 'v2.bak']) await storage.remove(`${path}.${ending}`);
      } finally {
        lock?.release();
      }
    });
  }

  diagnose(file: string): Promise<SessionDiagnosis> {
    return this.#lookedUp(async (storage) => {
      const { diagnoseFile } = await import('./diagnose/diagnose.ts');
      return diagnoseFile(storage, await there(storage, file), { resolveBlob: this.#parts.blobs.read });
    });
  }

  repair(file: string, to: string): Promise<SessionDiagnosis> {
    return this.#lookedUp(async (storage) => {
      const { repairFile } = await import('./diagnose/repair.ts');
      const copy = resolve(expanded(to));
      return repairFile(storage, await there(storage, file), copy, { resolveBlob: this.#parts.blobs.read });
    });
  }

  async #fork(
    borrowed: Borrowed,
    source: SessionStore | string,
    options: ForkOptions,
    busy: SessionBusy | undefined,
  ): Promise<SessionStore> {
    const { blobs, live } = this.#parts;
    const stores = await this.#stores();
    const { storage, release } = borrowed;
    const file = typeof source === 'string' ? await there(storage, source) : source.file;
    const from: Source =
      typeof source === 'string'
        ? await SessionTree.open(storage, file ?? source, { resolveBlob: blobs.read })
        : source;
    const branch = branchOf(from, options.upTo === undefined ? from.leaf : options.upTo);
    const header = headerFor(options, options.parentSession ?? file);
    const opening = { ...borrowed, path: this.#pathFor(header, options.dir), report: options.report, busy };
    const lines = branchLines(from, branch, blobs, live.inlineLimit);
    const copy = !options.persist
      ? await stores.remember(header, await Array.fromAsync(lines))
      : branch.hasUserMessage
        ? await stores.write(opening, header, lines)
        : await stores.begin(opening, header, await Array.fromAsync(lines));
    if (!options.persist) release();
    keepLabels(branch.ids, from, copy);
    if (branch.hasUserMessage && file !== undefined && copy.file !== undefined)
      await copyFolder(artifactFolder(file), artifactFolder(copy.file));
    return copy;
  }

  /** Loaded with the first session that is in a file. */
  #stores(): Promise<Stores> {
    const { blobs, live, crumbs, home } = this.#parts;
    this.#loaded ??= import('./stores.ts').then((module) => new module.Stores(blobs, live, crumbs, home));
    return this.#loaded;
  }

  /** For the time of a look. */
  async #lookedUp<T>(look: (storage: SessionStorage) => Promise<T>): Promise<T> {
    const { storage, release } = await this.#parts.borrow();
    try {
      return await look(storage);
    } finally {
      release();
    }
  }

  #folders(cwd: string, dir: string | undefined): Folders {
    return foldersFor(this.#parts.home, cwd, dir ?? this.#parts.dir);
  }

  #pathFor({ timestamp, id, cwd }: SessionHeader, dir: string | undefined): string {
    return join(this.#folders(cwd, dir).own, fileName(timestamp, id));
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

/** The file itself, where links lead to it. */
async function there(storage: SessionStorage, file: string): Promise<string> {
  const given = resolve(expanded(file));
  const path = storage.id === 'file' ? await realpath(given).catch(() => given) : given;
  if ((await storage.size(path)) !== undefined) return path;
  throw new KernError('session_not_found', `there is no session ${file}`, {
    hint: '`kern sessions list --all` shows those there are',
  });
}

/** Nothing else is deleted: the path may be a slip of the hand. */
async function isSession(storage: SessionStorage, path: string): Promise<void> {
  if (headerOf(storage, path) !== undefined) return;
  await SessionTree.open(storage, path).catch((cause: unknown) => {
    throw new KernError('session_unreadable', `${path} does not look like a session, so it is not deleted`, { cause });
  });
}

/** Labels that were given on another branch. They are acknowledged with what comes next. */
function keepLabels(ids: readonly string[], from: Source, copy: SessionStore): void {
  for (const targetId of ids) {
    const label = from.label(targetId);
    if (label !== copy.label(targetId))
      copy.append({ type: 'label', targetId, ...(label === undefined ? {} : { label }) }).catch(() => {});
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  if (from === to || !statSync(from, { throwIfNoEntry: false })?.isDirectory()) return;
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}
