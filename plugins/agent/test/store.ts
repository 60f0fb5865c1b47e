import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CreateOptions,
  entryAppended,
  type NewEntry,
  type Repair,
  type SessionBusy,
  type SessionContext,
  type SessionEntry,
  type SessionHeader,
  type SessionStore,
  type Sessions,
  sessions,
  sessionWriteFailed,
  sessionWriteRestored,
} from 'kern/contracts';
import { definePlugin, KernError, type PluginDefinition } from 'kern/plugin';
import { contextOf } from './branch.ts';

/** How a session of the test is found when it is opened. */
export interface Found {
  readonly readonly?: string;
  readonly busy?: SessionBusy;
  readonly repairs?: readonly Repair[];
}

/** What was opened so far, by path. */
export type Stored = ReadonlyMap<string, TestStore>;

/**
 * The smallest store that keeps the promises of the contract: entries in memory, and with `persist` one line each in
 * `<id>.jsonl` of the working directory, acknowledged when it is written. A line that cannot be written never is.
 */
export class TestStore implements SessionStore {
  readonly header: SessionHeader;
  readonly file: string | undefined;
  readonly #options: CreateOptions;
  readonly #entries: SessionEntry[] = [];
  #change = (entry: SessionEntry): SessionEntry => entry;
  #read = (_what: string): void => {};
  #found: Found = {};
  #leaf: string | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  closed = 0;

  constructor(header: SessionHeader, file: string | undefined, options: CreateOptions) {
    this.header = header;
    this.file = file;
    this.#options = options;
  }

  /** Opens it again, as it was left. */
  reopen(found: Found): this {
    this.#found = found;
    this.#leaf = this.#entries.findLast((entry) => !isLeafMark(entry))?.id ?? null;
    return this;
  }

  /** As if entries of a type had never been written. */
  forget(type: SessionEntry['type']): void {
    const kept = this.#entries.filter((entry) => entry.type !== type);
    this.#entries.length = 0;
    for (const entry of kept) this.#entries.push({ ...entry, parentId: this.#entries.at(-1)?.id ?? null });
    this.#leaf = this.#entries.at(-1)?.id ?? null;
  }

  /** Tells when much is read at once. */
  watch(read: (what: string) => void): void {
    this.#read = read;
  }

  /** As if entries had been written otherwise, or could not be read. */
  change(to: (entry: SessionEntry) => SessionEntry): void {
    this.#change = to;
  }

  get readonly(): string | undefined {
    return this.#found.readonly;
  }

  get busy(): SessionBusy | undefined {
    return this.#found.busy;
  }

  get repairs(): readonly Repair[] {
    return this.#found.repairs ?? [];
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  nodes(): readonly SessionEntry[] {
    this.#read('nodes');
    return this.#entries;
  }

  entry(id: string): SessionEntry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  entries(id: string | null = this.#leaf): readonly SessionEntry[] {
    this.#read('entries');
    return this.#branch(id).map(this.#change);
  }

  #branch(id: string | null): readonly SessionEntry[] {
    const branch: SessionEntry[] = [];
    for (let at = id; at !== null; ) {
      const entry = this.entry(at);
      if (entry === undefined) break;
      branch.unshift(entry);
      at = entry.parentId;
    }
    return branch;
  }

  context(id: string | null = this.#leaf): SessionContext {
    return contextOf(this.entries(id));
  }

  label(id: string): string | undefined {
    return this.#entries.findLast((entry) => entry.type === 'label' && entry.targetId === id)?.type === 'label'
      ? (this.#entries.findLast((entry) => entry.type === 'label' && entry.targetId === id) as { label?: string }).label
      : undefined;
  }

  async append(entry: NewEntry): Promise<SessionEntry> {
    if (this.readonly !== undefined) throw new KernError('session_readonly', this.readonly);
    const placed = {
      ...entry,
      id: String(this.#entries.length + 1),
      parentId: this.#leaf,
      timestamp: this.header.timestamp,
    } as SessionEntry;
    this.#entries.push(placed);
    this.#leaf = placed.id;
    const written = this.#writing.then(() => this.#write(placed));
    this.#writing = written.catch((error) =>
      this.#options.report?.({ type: 'write-failed', error: String(error), pending: this.#entries.length }),
    );
    await written;
    return placed;
  }

  async moveLeaf(id: string | null): Promise<void> {
    this.#leaf = id;
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async close(): Promise<void> {
    this.closed += 1;
    await this.#writing;
  }

  async #write(entry: SessionEntry): Promise<void> {
    if (this.file !== undefined) await appendFile(this.file, `${JSON.stringify(entry)}\n`);
  }
}

const isLeafMark = (entry: SessionEntry): boolean => entry.type === 'custom' && entry.customType === 'kern.leaf';

/** The `sessions` service of the test. `found` says how a session is found when it is opened again. */
export function sessionsPlugin(found: (path: string) => Found = () => ({})): {
  readonly plugin: PluginDefinition;
  readonly stored: Stored;
} {
  const stored = new Map<string, TestStore>();
  let sequence = 0;
  const create: Sessions['create'] = async (options) => {
    sequence += 1;
    const { cwd, persist, parentSession } = options;
    const header: SessionHeader = {
      type: 'session',
      version: 3,
      id: `s${sequence}`,
      timestamp: new Date(0).toISOString(),
      cwd,
      ...(parentSession === undefined ? {} : { parentSession }),
    };
    const store = new TestStore(header, persist ? join(cwd, `${header.id}.jsonl`) : undefined, options);
    stored.set(store.file ?? header.id, store);
    return store;
  };
  const at = (path: string): TestStore => {
    const store = stored.get(path);
    if (store === undefined) throw new KernError('session_not_found', `there is no session ${path}`);
    return store;
  };
  const service = {
    create,
    open: async (file: string) => at(file).reopen(found(file)),
    fork: async (source: SessionStore | string, options: Parameters<Sessions['fork']>[1]) => {
      const from = typeof source === 'string' ? at(source).reopen({}) : source;
      const parentSession = from.file;
      const copy = await create({ ...options, parentSession });
      const branch =
        options.upTo === undefined ? from.entries() : options.upTo === null ? [] : from.entries(options.upTo);
      for (const { id: _id, parentId: _parent, timestamp: _time, ...entry } of branch)
        await copy.append(entry as NewEntry);
      return copy;
    },
    find: async (wanted: string) =>
      at([...stored].find(([path, { header }]) => path === wanted || header.id === wanted)?.[0] ?? wanted).file ??
      wanted,
    latest: async () => [...stored.values()].findLast(({ file }) => file !== undefined)?.file,
    remember: async () => false,
    list: async () => [],
    remove: async () => {},
    diagnose: async () => {
      throw new Error('not in this test');
    },
    repair: async () => {
      throw new Error('not in this test');
    },
  } satisfies Sessions;
  const plugin = definePlugin({
    id: 'sessions',
    declares: [sessions, entryAppended, sessionWriteFailed, sessionWriteRestored],
    setup: (ctx) => ctx.contribute(sessions, service),
  });
  return { plugin, stored };
}
