import type { Activation, OfferRecord } from './activation.ts';
import type { Entry, Where } from './capability.ts';
import type { Cells } from './cells.ts';
import type { Clock } from './clock.ts';
import type { Pin } from './drain.ts';
import type { Ownership } from './owner.ts';
import type { Events, Handle, TrustGate, View } from './plugin.ts';
import type { Journal } from './report.ts';
import type { SettingsPort } from './settings.ts';
import type { Answer, Snapshot } from './snapshot.ts';

/** Whose an entry is: what a call into it is booked on. */
export interface Owned {
  readonly activation: Activation | undefined;
  readonly record: Pick<OfferRecord, 'fate' | 'forward'>;
}

/** What views and scopes need of the kernel. */
export interface Core {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly settings: SettingsPort;
  readonly trust: TrustGate;
  readonly where: Where;
  readonly cells: Cells;
  readonly events: Events;
  /** The view of whoever looks from nowhere in particular. */
  readonly outlook: View;
  /** `none` in tests only: guarding hooks do not ask for their keeper. */
  readonly keepers: 'enforced' | 'none';
  readonly freezeDeeply: boolean;
  readonly owned: WeakMap<Entry<unknown>, Owned>;
  snapshot(): Snapshot;
  /** What runs now of a plugin. */
  active(key: string): Activation | undefined;
  /** Wakes idle plugins that supply or declare a capability, as seen from a place. */
  wake(capability: string, where: Where, key?: string): Promise<void>;
  /** Asks those providers of a snapshot that have not answered for a place, each within its limit. */
  ask(
    capability: string,
    where: Where,
    signal: AbortSignal | undefined,
    from: Snapshot,
  ): Promise<ReadonlyMap<string, Answer>>;
  /** Those providers of a snapshot that have not answered for a place. */
  unanswered(capability: string, where: Where, from: Snapshot): readonly string[];
  /** An activation's taps, offers or providers changed while it was live. */
  changed(activation: Activation): void;
  /** Keeps the activations of a snapshot from being disposed. */
  pin(snapshot: Snapshot): Pin;
  settled(limitMs: number): Promise<void>;
  touched(paths: readonly string[]): void;
  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void, since?: number): Handle;
  /** Why a keeper is not there; undefined when the user lifted it. */
  missing(keeper: string): string | undefined;
  channel(plugin: string, name: string, line: string): void;
}
