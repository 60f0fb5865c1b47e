import type { Activation } from './activation.ts';
import { KernError } from './error.ts';
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

/** What outlives a plugin's revision: its state cells and the resources it keeps. */
export class Cells {
  readonly #journal: Journal;
  readonly #cells = new Map<Activation, Map<string, Cell>>();
  readonly #kept = new Map<string, KeptResource>();
  /** Activations whose exclusive resource was taken from them by a change that is under way. */
  readonly #displaced = new Set<Activation>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** `setup` gets a copy of the predecessor's value; what counts is taken over at the swap. */
  state<T>(activation: Activation, predecessor: Activation | undefined, name: string, schema: Schema<T>, initial: () => T): State<T> {
    const cells = this.#cells.get(activation) ?? new Map<string, Cell>();
    this.#cells.set(activation, cells);
    if (cells.has(name)) throw new KernError('state_twice', `plugin ${activation.id} asks for the state ${name} twice`, { hint: 'ask once and share the cell' });
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
      const parsed = parse(cell.schema, before.value);
      if (parsed.ok) {
        cell.value = parsed.value;
        continue;
      }
      cell.value = cell.initial();
      this.#journal.add(to.id, 'warning', 'state_refused', `plugin ${to.id}: the new revision does not take the state ${name} (${parsed.issues.join('; ')}); it starts anew`);
    }
  }

  /** Hands over a live resource when the fingerprint is equal, else acquires it. */
  async keep<T>(activation: Activation, key: string, fingerprint: string, acquire: () => Kept<T> | Promise<Kept<T>>, exclusive: boolean): Promise<T> {
    const id = `${activation.unit.key}\0${key}`;
    const before = this.#kept.get(id);
    if (before?.fingerprint === fingerprint) {
      before.holders.add(activation);
      return before.value as T;
    }
    if (exclusive && before !== undefined) {
      for (const holder of before.holders) this.#displaced.add(holder);
      this.#kept.delete(id);
      await before.release();
    }
    const { value, release } = await acquire();
    const resource: KeptResource = { fingerprint, value, release, holders: new Set([activation]) };
    // Without `exclusive` the old one lives on under a name of its own until its holders are gone.
    if (before !== undefined && !exclusive) this.#kept.set(`${id}\0${before.fingerprint}`, before);
    this.#kept.set(id, resource);
    return value;
  }

  /** Activations that lost an exclusive resource to a change: after a failure they must be set up again. */
  takeDisplaced(): readonly Activation[] {
    const displaced = [...this.#displaced];
    this.#displaced.clear();
    return displaced;
  }

  async forget(activation: Activation): Promise<void> {
    this.#cells.delete(activation);
    for (const [id, resource] of [...this.#kept]) {
      if (!resource.holders.delete(activation) || resource.holders.size > 0) continue;
      this.#kept.delete(id);
      try {
        await resource.release();
      } catch (error) {
        this.#journal.failure(activation.id, 'release_failed', `the release of ${id.split('\0')[1]}`, error);
      }
    }
  }

  /** How many resources are held, for tests and `doctor`. */
  get size(): number {
    return this.#kept.size;
  }
}

/** A copy of plain data; what cannot be copied is handed over as it is. */
function copy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
