import type { PluginUnit } from './activation.ts';
import { codeOf, KernError, messageOf } from './error.ts';
import type { PluginChange } from './events.ts';
import type { IdlePlugin } from './snapshot.ts';

export interface Change {
  readonly put?: readonly PluginUnit[];
  /** Keys of plugins that go. */
  readonly drop?: readonly string[];
  /** Idle plugins that wake with it. */
  readonly wake?: readonly IdlePlugin[];
  /** For each step of each plugin, in ms. Default 3000. */
  readonly limitMs?: number;
}

/** `live` are those that were set up, `unloaded` those that went; a plugin that is switched off is in neither. */
export type ChangeResult =
  | { readonly ok: true; readonly live: readonly string[]; readonly unloaded: readonly string[] }
  | {
      readonly ok: false;
      readonly plugin: string;
      readonly code: string;
      readonly message: string;
      readonly error: unknown;
    };

export interface Failure {
  readonly unit: Pick<PluginUnit, 'key' | 'level' | 'source' | 'revision' | 'stake'> & { readonly id: string };
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export function failed(plugin: string, error: unknown): ChangeResult {
  return { ok: false, plugin, code: codeOf(error) ?? 'plugin_failed', message: messageOf(error), error };
}

/** The plugin would wait for itself. */
export function changeInChange(plugin: string): ChangeResult {
  const text = `plugin ${plugin} asks for a change of plugins while one is under way, and would wait for itself`;
  const hint = 'ask for it after the start, from a hook or a timer';
  return failed(plugin, new KernError('change_in_change', text, { hint }));
}

export const closed = (): ChangeResult => failed('kern', new KernError('kernel_closed', 'kern is shutting down'));

/** The first failure, else all that went well. */
export function together(results: readonly ChangeResult[]): ChangeResult {
  const went = results.flatMap((result) => (result.ok ? [result] : []));
  const live = went.flatMap((result) => result.live);
  const unloaded = went.flatMap((result) => result.unloaded);
  return results.find((result) => !result.ok) ?? { ok: true, live, unloaded };
}

/** What is told of a plugin that took over, or went. */
export const changeOf = (
  { definition: { id }, revision, source }: PluginUnit,
  state: 'live' | 'unloaded',
): PluginChange => ({ id, state, revision, file: source });
