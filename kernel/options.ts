import type { Where } from './capability.ts';
import type { Clock } from './clock.ts';
import type { Handle, TrustGate } from './plugin.ts';
import type { Ui } from './session.ts';
import type { SettingsPort } from './settings.ts';

export interface WatchPort {
  /** `since`: when what they hold was read (ms); what changed between then and now is told as well. */
  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void, since?: number): Handle;
  touched(paths: readonly string[]): void;
  /** Debounce windows that are open. */
  pending(): Promise<void>;
}

/** Looks for files on behalf of plugins that sleep. */
export interface PresencePort {
  /** Whether one of the paths is there, written as `looksFor` of a manifest has them. Never rejects; in doubt it is. */
  look(paths: readonly string[], where: Where): Promise<Presence>;
}

export interface Presence {
  readonly isThere: boolean;
  /** What to watch for the one that is missing, as for an answer of a provider. */
  readonly watch: readonly string[];
}

export interface KernelOptions {
  readonly where: Where;
  readonly settings?: SettingsPort;
  readonly trust?: TrustGate;
  readonly watch?: WatchPort;
  /** Default: everything is there. */
  readonly presence?: PresencePort;
  readonly clock?: Clock;
  readonly ui?: Ui;
  /** `none` in tests of single plugins, and where a program calls tools by itself. */
  readonly keepers?: 'enforced' | 'none';
  /** Hook inputs are frozen all the way down: for tests. */
  readonly freezeDeeply?: boolean;
}

/** For a kernel that lives as long as what it reads stays as it is. */
export const noWatch: WatchPort = {
  watch: () => ({ dispose: () => {}, [Symbol.dispose]: () => {} }),
  touched: () => {},
  pending: async () => {},
};

/** For a kernel that takes every manifest at its word: what might be there is there. */
export const allPresent: PresencePort = { look: async () => ({ isThere: true, watch: [] }) };
