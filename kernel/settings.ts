import type { Level } from './capability.ts';

/** What the kernel asks of the settings. `by` names who switched a thing off: a key with its file and line. */
export interface SettingsPort {
  /** Grows with every change, so that tables know when to be made anew. */
  readonly version: number;
  get(key: string): unknown;
  /** With `failure` it must not run on defaults: it guards, and what the person wrote for it cannot be read. */
  plugin(id: string, level: Level): { readonly off: string | undefined; readonly settings: Readonly<Record<string, unknown>>; readonly failure?: string };
  /** A discovery provider at one level. */
  provider(id: string, level: Level): { readonly off: string | undefined; readonly priority: number | undefined };
  /** `tool:read`: who switched the item off. */
  item(capability: string, key: string, level: Level): string | undefined;
}

/** Everything on, nothing set. */
export const noSettings: SettingsPort = {
  version: 0,
  get: () => undefined,
  plugin: () => ({ off: undefined, settings: {} }),
  provider: () => ({ off: undefined, priority: undefined }),
  item: () => undefined,
};
