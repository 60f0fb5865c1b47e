import { event } from './hook.ts';

/** A plugin took over, was kept, failed, went or was blocked. */
export interface PluginChange {
  readonly id: string;
  readonly state: 'live' | 'kept' | 'failed' | 'unloaded' | 'blocked';
  readonly revision: number;
  /** Of one that was kept, the last line is the next step. */
  readonly reason?: string;
  readonly file?: string;
}

/** What a new snapshot adds, changes and removes of one capability, by key. */
export interface CapabilityChange {
  readonly capability: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A plugin took over, was kept, failed, went or was blocked. */
export const pluginChanged = event<PluginChange>({ id: 'plugin.changed' });
/** Items of a capability were added, changed or removed. */
export const capabilityChanged = event<CapabilityChange>({ id: 'capability.changed' });
/** Settings changed. */
export const configChanged = event<{ readonly keys: readonly string[] }>({ id: 'config.changed' });
