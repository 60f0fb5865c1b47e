import type { Activation, OfferRecord } from './activation.ts';
import type { Capability } from './capability.ts';
import type { Core } from './core.ts';
import { type Declarations, declaredCapability, examine } from './declarations.ts';
import { KernError } from './error.ts';
import type { ContributeOptions } from './plugin.ts';

/** What an activation knows of the change it is made in. Emptied when that is through, so that no revision keeps the one before it. */
export interface Staging {
  /** The revision that this one is about to replace. */
  predecessor: Activation | undefined;
  /** Those of the snapshot it will be part of. */
  declarations: Declarations | undefined;
}

interface OpenGroup {
  replace(items: readonly unknown[]): void;
  end(): void;
}

/** Takes what one activation offers into its records. */
export class Offering {
  readonly #core: Core;
  readonly #activation: Activation;
  readonly #staging: Staging;

  constructor(core: Core, activation: Activation, staging: Staging) {
    this.#core = core;
    this.#activation = activation;
    this.#staging = staging;
  }

  group(capability: Capability<unknown>, name: string, options: ContributeOptions): OpenGroup {
    const activation = this.#activation;
    const rank = activation.next();
    let current: readonly OfferRecord[] = [];
    let isOpen = true;
    const replace = (items: readonly unknown[]): void => {
      if (!isOpen) {
        const text = `plugin ${activation.id} withdrew its group ${name} of ${capability.id}`;
        throw new KernError('group_withdrawn', text, { hint: 'offer a new one with ctx.offer' });
      }
      const known = new Map(current.map(({ offered, fate }) => [offered, fate]));
      const next = items.map((item, sequence): OfferRecord => {
        const fate = known.get(item) ?? { isWithdrawn: false };
        return { ...this.#record(capability, item, options), provider: name, rank, sequence, fate };
      });
      const before = current;
      current = next;
      this.#exchange(before, next);
    };
    const end = (): void => {
      isOpen = false;
      this.#exchange(current, []);
      current = [];
    };
    return { replace, end };
  }

  #record(capability: Capability<unknown>, offered: unknown, { priority, path }: ContributeOptions) {
    const activation = this.#activation;
    const { id, state, root } = activation;
    const declarations = this.#staging.declarations ?? this.#core.snapshot().declarations;
    const declared = declaredCapability(declarations, capability.id, root) ?? capability;
    const examined = examine(declared, offered);
    if (!examined.parsed.ok) {
      const issues = examined.parsed.issues.join('; ');
      const hint = `what ${capability.id} items look like: \`kern schema ${capability.id}\``;
      if (state === 'staged') throw new KernError('invalid_item', `${capability.id}: ${issues}`, { hint });
      this.#core.journal.add(id, 'error', 'invalid_item', `plugin ${id} offers an invalid ${capability.id}: ${issues}`);
    }
    return { activation, capability: declared, ...examined, priority, path };
  }

  #exchange(before: readonly OfferRecord[], after: readonly OfferRecord[]): void {
    const activation = this.#activation;
    const keys = new Set(after.map(({ key }) => key));
    const fates = new Set(after.map(({ fate }) => fate));
    // Who still holds an item that has a successor may use it to the end of the turn, like replaced code.
    for (const { fate, key } of before) {
      if (!fates.has(fate) && (key === undefined || !keys.has(key))) fate.isWithdrawn = true;
    }
    if (activation.state === 'gone') return;
    const gone = new Set(before);
    activation.offers = Object.freeze([...activation.offers.filter((offer) => !gone.has(offer)), ...after]);
    if (activation.state === 'live') this.#core.changed(activation);
  }
}
