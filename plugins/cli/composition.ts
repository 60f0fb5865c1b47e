import type { Kernel, View } from 'kern/plugin';
import type { SharedOptions } from './contract.ts';

/** What the house is put together from. */
export interface ComposeOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command line says of every command. */
  readonly shared: Omit<SharedOptions, 'cwd' | 'json'>;
  /** Settings given by flags, by key: `{ model: 'script/a.yml' }`. The highest layer. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/**
 * The house, in two steps: `compose` makes the kernel, in which built-ins wake as they are used: all that `--help` and a
 * part of the commands need. `extend` loads those that are never idle, and what the user, the project and `-e` add.
 */
export interface Composition {
  readonly kernel: Kernel;
  readonly view: View;
  /** The person has extensions, by `-e` or in the home: they may bring options and commands. */
  readonly hasExtensions: boolean;
  /**
   * Loads what taps hooks, and user, project and explicit extensions. A second call waits for the first. `asFarAsPossible`:
   * a built-in that does not load is on record and no error, so that its settings can be mended.
   */
  extend(options?: { readonly asFarAsPossible?: boolean }): Promise<void>;
  /** Starts watching files: after the first model request has left, so that no start pays for it. */
  watch(): void;
  /** Everything ends, in order. */
  shutdown(): Promise<void>;
}
