import type { Capability, Entry } from './capability.ts';
import { keyOf } from './declarations.ts';
import { KernError } from './error.ts';
import type { Group, Handle } from './plugin.ts';

export interface OwnGroup {
  readonly capability: Capability<unknown>;
  readonly name: string;
  readonly items: readonly unknown[];
  /** Of each item, so that one that stays through a replacement stays what it is. */
  readonly fates: readonly { isWithdrawn: boolean }[];
}

export interface Mask {
  readonly capability: string;
  readonly hide: (entry: Entry<never>) => string | undefined;
}

/** What one view offers and hides for itself. Nobody else sees it. */
export class OwnItems {
  #groups: readonly OwnGroup[] = [];
  #masks: readonly Mask[] = [];
  /** Grows with every change. */
  version = 0;

  get groups(): readonly OwnGroup[] {
    return this.#groups;
  }

  get masks(): readonly Mask[] {
    return this.#masks;
  }

  /** As it is now, for a view that is pinned. */
  copy(): OwnItems {
    const copy = new OwnItems();
    copy.#groups = this.#groups;
    copy.#masks = this.#masks;
    return copy;
  }

  offer<T>(capability: Capability<T>, name: string, items: readonly T[]): Group<T> {
    const make = (offered: readonly T[], before?: OwnGroup): OwnGroup => {
      const fates = offered.map((item) => before?.fates[before.items.indexOf(item)] ?? { isWithdrawn: false });
      return { capability: capability as unknown as Capability<unknown>, name, items: offered, fates };
    };
    let group = make(items);
    let isOpen = true;
    const replace = (next: readonly T[]): void => {
      if (!isOpen) {
        const text = `the group ${name} of ${capability.id} was withdrawn`;
        throw new KernError('group_withdrawn', text, { hint: 'offer a new one' });
      }
      const before = group;
      group = make(next, before);
      withdrawLost(before, next);
      this.#change(this.#groups.map((other) => (other === before ? group : other)));
    };
    const withdraw = (): void => {
      isOpen = false;
      withdrawLost(group, []);
      this.#change(this.#groups.filter((other) => other !== group));
    };
    this.#change([...this.#groups, group]);
    return { replace, withdraw, dispose: withdraw, [Symbol.dispose]: withdraw };
  }

  mask<T>(capability: Capability<T>, hide: (entry: Entry<T>) => string | undefined): Handle {
    // A capability's masks see its entries only.
    const mask: Mask = { capability: capability.id, hide: hide as Mask['hide'] };
    this.#masks = [...this.#masks, mask];
    this.version += 1;
    const dispose = (): void => {
      this.#masks = this.#masks.filter((other) => other !== mask);
      this.version += 1;
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  #change(groups: readonly OwnGroup[]): void {
    this.#groups = groups;
    this.version += 1;
  }
}

/** Who still holds an item that has a successor may use it to the end of the turn, like replaced code. */
function withdrawLost({ capability, items, fates }: OwnGroup, next: readonly unknown[]): void {
  const keys = new Set(next.map((item) => keyOf(capability, item)));
  for (const [at, item] of items.entries()) {
    const key = keyOf(capability, item);
    const fate = fates[at];
    if (fate !== undefined && !next.includes(item) && (key === undefined || !keys.has(key))) fate.isWithdrawn = true;
  }
}
