import type { Activation } from './activation.ts';
import { KernError } from './error.ts';
import type { Ownership, Running } from './owner.ts';
import type { Kept, State } from './plugin.ts';
import type { Journal } from './report.ts';
import { parse, type Schema } from './schema.ts';

interface Cell {
  value: unknown;
  readonly schema: Schema<unknown>;
  readonly initial: () => unknown;
}

interface KeptResource {
  readonly fingerprint: string;
  readonly value: unknown;
  readonly release: () => void | Promise<void>;
  readonly holders: Set<Activation>;
}

/** What one plugin keeps under one key. More than one resource only while old revisions drain. */
interface Shelf {
  resources: readonly KeptResource[];
  /** One at a time, so that two who ask at once share. */
  turn: Promise<unknown>;
  waiting: number;
}

/** What outlives a plugin's revision: its state cells and the resources it keeps. */
export class Cells {
  readonly #journal: Journal;
  readonly #owners: Ownership;
  readonly #cells = new Map<Activation, Map<string, Cell>>();
  readonly #shelves = new Map<string, Shelf>();
  /** Activations whose exclusive resource was taken from them by a change that is under way. */
  readonly #displaced = new Set<Activation>();

  constructor(journal: Journal, owners: Ownership) {
    this.#journal = journal;
    this.#owners = owners;
  }

  /** `setup` gets a copy of the predecessor's value; what counts is taken over at the swap. */
  state<T>(
    activation: Activation,
    predecessor: Activation | undefined,
    name: string,
    schema: Schema<T>,
    initial: () => T,
  ): State<T> {
    const cells = this.#cells.get(activation) ?? new Map<string, Cell>();
    this.#cells.set(activation, cells);
    if (cells.has(name))
      throw new KernError('state_twice', `plugin ${activation.id} asks for the state ${name} twice`, {
        hint: 'ask once and share the cell',
      });
    const before = predecessor === undefined ? undefined : this.#cells.get(predecessor)?.get(name);
    const taken = before === undefined ? undefined : parse(schema, copy(before.value));
    const cell: Cell = { value: taken?.ok === true ? taken.value : initial(), schema, initial };
    cells.set(name, cell);
    return cell as State<T>;
  }

  /** At the swap each cell takes the live value of that moment; one that the new schema refuses starts anew, and that is said. */
  carryOver(from: Activation, to: Activation): void {
    const old = this.#cells.get(from);
    const cells = this.#cells.get(to);
    if (old === undefined || cells === undefined) return;
    for (const [name, cell] of cells) {
      const before = old.get(name);
      if (before === undefined) continue;
      // A copy: old code that still runs must not write into the new cell.
      const parsed = parse(cell.schema, copy(before.value));
      if (parsed.ok) {
        cell.value = parsed.value;
        continue;
      }
      this.#journal.add(
        to.id,
        'warning',
        'state_refused',
        `plugin ${to.id}: the new revision does not take the state ${name} (${parsed.issues.join('; ')}); it starts anew`,
      );
      try {
        cell.value = this.#owners.run({ activation: to }, () => cell.initial());
      } catch (error) {
        // What setup made of it stays: a swap that has begun goes through.
        this.#journal.failure(to.id, 'state_initial_failed', `the initial value of ${name}`, error);
      }
    }
  }

  /** Hands over a live resource when the fingerprint is equal, else acquires it. */
  keep<T>(
    activation: Activation,
    key: string,
    fingerprint: string,
    acquire: () => Kept<T> | Promise<Kept<T>>,
    exclusive: boolean,
  ): Promise<T> {
    const id = `${activation.unit.key}\0${key}`;
    const shelf = this.#shelves.get(id) ?? { resources: [], turn: Promise.resolve(), waiting: 0 };
    this.#shelves.set(id, shelf);
    shelf.waiting += 1;
    const kept = shelf.turn
      .then(() => this.#take(id, shelf, activation, fingerprint, acquire, exclusive))
      .finally(() => {
        shelf.waiting -= 1;
        this.#clear(id, shelf);
      });
    // One that was given up keeps nobody waiting, even if what it acquires never comes.
    shelf.turn = Promise.race([kept.catch(() => {}), ended(activation)]);
    return kept;
  }

  async #take<T>(
    id: string,
    shelf: Shelf,
    activation: Activation,
    fingerprint: string,
    acquire: () => Kept<T> | Promise<Kept<T>>,
    exclusive: boolean,
  ): Promise<T> {
    const same = shelf.resources.find((resource) => resource.fingerprint === fingerprint);
    if (same !== undefined && activation.state !== 'gone') {
      same.holders.add(activation);
      return same.value as T;
    }
    if (activation.state === 'gone') throw goneWhile(activation, key(id));
    if (exclusive) await this.#displace(id, shelf, activation);
    const holders = new Set<Activation>();
    const { value, release } = await this.#owners.run(new Holder(holders, activation), async () => acquire());
    const resource: KeptResource = { fingerprint, value, release, holders };
    // Its plugin was given up meanwhile: nobody would ever release it.
    if (isGone(activation)) {
      await this.#release(id, resource, activation);
      throw goneWhile(activation, key(id));
    }
    holders.add(activation);
    shelf.resources = [...shelf.resources, resource];
    return value;
  }

  #clear(id: string, shelf: Shelf): void {
    if (shelf.resources.length === 0 && shelf.waiting === 0) this.#shelves.delete(id);
  }

  /** Takes what others of the plugin hold, so that the same port or file can be had anew. */
  async #displace(id: string, shelf: Shelf, by: Activation): Promise<void> {
    const displaced = shelf.resources;
    shelf.resources = [];
    for (const resource of displaced) {
      if (by.state === 'staged') for (const holder of resource.holders) if (holder !== by) this.#displaced.add(holder);
      await this.#release(id, resource, by);
    }
  }

  async #release(id: string, resource: KeptResource, activation: Activation): Promise<void> {
    try {
      await this.#owners.run({ activation }, async () => resource.release());
    } catch (error) {
      this.#journal.failure(activation.id, 'release_failed', `the release of ${key(id)}`, error);
    }
  }

  /** Activations that lost an exclusive resource to a change: after a failure they must be set up again. */
  takeDisplaced(): readonly Activation[] {
    const displaced = [...this.#displaced];
    this.#displaced.clear();
    return displaced;
  }

  /** What only it held is released. */
  async forget(activation: Activation): Promise<void> {
    this.#cells.delete(activation);
    for (const [id, shelf] of [...this.#shelves]) {
      const left = shelf.resources.filter(({ holders }) => holders.delete(activation) && holders.size === 0);
      if (left.length === 0) continue;
      shelf.resources = shelf.resources.filter((resource) => !left.includes(resource));
      this.#clear(id, shelf);
      for (const resource of left) await this.#release(id, resource, activation);
    }
  }

  /** How many resources are held, for tests and `doctor`. */
  get size(): number {
    return [...this.#shelves.values()].reduce((sum, { resources }) => sum + resources.length, 0);
  }
}

/** What a resource does later is booked on who holds it then: else it would keep the revision that acquired it in memory. */
class Holder implements Running {
  readonly #holders: ReadonlySet<Activation>;
  #first: Activation | undefined;

  constructor(holders: ReadonlySet<Activation>, first: Activation) {
    this.#holders = holders;
    this.#first = first;
  }

  get activation(): Activation | undefined {
    if (this.#holders.size === 0) return this.#first;
    this.#first = undefined;
    return [...this.#holders].at(-1);
  }
}

// A function, since TypeScript does not see that it changes while something is awaited.
const isGone = ({ state }: Activation): boolean => state === 'gone';

function ended({ controller: { signal } }: Activation): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const key = (id: string): string => id.slice(id.indexOf('\0') + 1);

const goneWhile = (activation: Activation, what: string): KernError =>
  new KernError('scope_disposed', `plugin ${activation.id} was unloaded while it waited for ${what}`);

/** A copy of plain data; what cannot be copied is handed over as it is. */
function copy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
