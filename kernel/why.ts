import type { Activation, PluginUnit } from './activation.ts';
import type { Failure } from './change.ts';
import type { SettingsPort } from './settings.ts';
import { type IdlePlugin, type Snapshot, sleeperKey } from './snapshot.ts';

/** What a kernel knows of its plugins. */
export interface Standing {
  readonly known: readonly PluginUnit[];
  readonly sleeping: readonly IdlePlugin[];
  readonly failures: ReadonlyMap<string, Failure>;
  readonly settings: SettingsPort;
  active(key: string): Activation | undefined;
  snapshot(): Snapshot;
}

/** Why a plugin is not there, as far as anybody knows. */
export function whyNot(kernel: Standing, key: string): string | undefined {
  const failure = kernel.failures.get(key)?.message;
  if (failure !== undefined) return failure;
  if (kernel.sleeping.some((plugin) => sleeperKey(plugin) === key)) return 'it has not been woken';
  const unit = kernel.known.find((known) => known.key === key);
  if (unit === undefined) return undefined;
  const { off } = kernel.settings.plugin(unit.definition.id, unit.level);
  const missing = waitsFor(kernel, unit);
  return off ?? (missing === undefined ? undefined : `it requires ${missing}, which is not loaded`);
}

/** The plugin without which a known one does not run. */
export function waitsFor(kernel: Standing, unit: PluginUnit): string | undefined {
  if (kernel.active(unit.key) !== undefined) return undefined;
  const { activations, idle } = kernel.snapshot();
  const there = activations.flatMap(({ unit: { definition } }) => [definition.id, definition.replaces]);
  const ids = new Set([...there, ...idle.map(({ id }) => id)]);
  return unit.definition.requires?.find((id) => !ids.has(id));
}
