import type { Where } from './capability.ts';
import type { Clock } from './clock.ts';
import type { Handle, TrustGate } from './plugin.ts';
import type { Ui } from './session.ts';
import type { SettingsPort } from './settings.ts';

export interface WatchPort {
  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void): Handle;
  touched(paths: readonly string[]): void;
  /** Debounce windows that are open. */
  pending(): Promise<void>;
}

export interface KernelOptions {
  readonly where: Where;
  readonly settings?: SettingsPort;
  readonly trust?: TrustGate;
  readonly watch?: WatchPort;
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
