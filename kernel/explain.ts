import type { Activation } from './activation.ts';
import type { Entry, Level, Verdict, Where } from './capability.ts';
import type { Failure } from './change.ts';
import type { Owned } from './core.ts';
import { KernError } from './error.ts';
import type { View } from './plugin.ts';
import { type IdlePlugin, sleeperUnit } from './snapshot.ts';
import { type Standing, waitsFor } from './why.ts';

/** What one plugin supplies under one key. `idle`: nothing of it has run, so nobody has compared it. */
export interface Contribution {
  readonly capability: string;
  /** `*`: only running it can tell. Missing: the item has no key. */
  readonly key?: string;
  readonly verdict: Verdict | { readonly state: 'idle' };
}

/** A plugin as `kern plugins --why` shows it. */
export interface PluginStatus {
  readonly id: string;
  readonly level: Level;
  /** `blocked` is the caller's: what is not trusted never comes as far as the kernel. */
  readonly state: 'active' | 'idle' | 'off' | 'blocked' | 'failed' | 'draining';
  readonly revision: number;
  readonly source: string;
  readonly contributes: readonly Contribution[];
  readonly taps: readonly string[];
  /** What it took to load its code, and to set it up. */
  readonly loadMs: number;
  readonly startMs: number;
  readonly hookMs: number;
  /** Its last one; an active plugin keeps its old revision since. */
  readonly failure?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** Who switched it off. */
  readonly by?: string;
}

/** What is asked of a kernel to explain it. */
export interface Explained extends Standing {
  readonly where: Where;
  readonly draining: readonly Activation[];
  readonly owned: WeakMap<Entry<unknown>, Owned>;
  view(where: Partial<Where>): View;
}

const nothing = { contributes: [], taps: [], loadMs: 0, startMs: 0, hookMs: 0 } as const;

/** Every plugin the kernel knows, in the order of their ids; of one id the nearest level first. */
export function explain(kernel: Explained): readonly PluginStatus[] {
  const { activations } = kernel.snapshot();
  const live = contributionsOf(kernel);
  const statuses = [
    ...activations.map((activation) => running(kernel, activation, 'active', live.get(activation) ?? [])),
    ...kernel.draining.map((activation) => running(kernel, activation, 'draining', [])),
    ...resting(kernel),
    ...kernel.sleeping.map((plugin) => sleeping(kernel, plugin)),
    ...failed(kernel),
  ];
  return statuses.sort(
    (a, b) => compare(a.id, b.id) || levels.indexOf(a.level) - levels.indexOf(b.level) || b.revision - a.revision,
  );
}

const levels: readonly Level[] = ['session', 'project', 'user', 'builtin'];
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function running(
  kernel: Explained,
  activation: Activation,
  state: 'active' | 'draining',
  contributes: readonly Contribution[],
): PluginStatus {
  const { id, level, unit, taps, startMs, hookMs } = activation;
  const failure = state === 'active' ? kernel.failures.get(unit.key) : undefined;
  return {
    id,
    level,
    state,
    revision: unit.revision,
    source: unit.source,
    contributes,
    taps: [...new Set(taps.map(({ hook }) => hook.id))].sort(compare),
    loadMs: tenths(unit.loadMs ?? 0),
    startMs: tenths(startMs),
    hookMs: tenths(hookMs),
    ...failureIn(failure),
  };
}

/** Known, and not running: switched off, replaced, waiting for another, or failed when it was to come back. */
function resting(kernel: Explained): readonly PluginStatus[] {
  const { activations } = kernel.snapshot();
  return kernel.known.flatMap((unit): PluginStatus[] => {
    if (kernel.active(unit.key) !== undefined) return [];
    const { level, source, revision } = unit;
    const { id } = unit.definition;
    const base = { id, level, revision, source, ...nothing };
    const { off } = kernel.settings.plugin(id, level);
    if (off !== undefined) return [{ ...base, state: 'off', by: off }];
    const other = activations.find(
      ({ unit: { definition, level: theirs } }) =>
        level === 'builtin' && theirs !== 'builtin' && definition.replaces === id,
    );
    if (other !== undefined) return [{ ...base, state: 'off', by: `replaced by ${other.id} (${other.unit.source})` }];
    const failure = kernel.failures.get(unit.key);
    if (failure !== undefined) return [{ ...base, state: 'failed', ...failureIn(failure) }];
    const missing = waitsFor(kernel, unit) ?? 'another plugin';
    const error = new KernError('requirement_missing', `plugin ${id} requires ${missing}, which is not loaded`, {
      hint: `it comes back when ${missing} does`,
    });
    return [
      { ...base, state: 'failed', failure: { code: error.code, message: error.message, hint: error.hint ?? '' } },
    ];
  });
}

function sleeping(kernel: Explained, plugin: IdlePlugin): PluginStatus {
  const { level, source, revision } = sleeperUnit(plugin);
  const base = { id: plugin.id, level, revision, source, ...nothing, taps: plugin.taps ?? [] };
  const contributes = Object.entries(plugin.contributes).flatMap(([capability, keys]) =>
    (keys === '*' ? ['*'] : keys).map((key): Contribution => ({ capability, key, verdict: { state: 'idle' } })),
  );
  const { off } = kernel.settings.plugin(plugin.id, level);
  const isReplaced = off === undefined && !kernel.snapshot().idle.includes(plugin);
  if (off !== undefined || isReplaced)
    return { ...base, contributes, state: 'off', by: off ?? 'replaced by another plugin' };
  return { ...base, contributes, state: 'idle' };
}

/** Those of which there is nothing but a failure. */
function failed(kernel: Explained): readonly PluginStatus[] {
  const sleepers = new Set(kernel.sleeping.map((plugin) => sleeperUnit(plugin).key));
  return [...kernel.failures.values()].flatMap((failure): PluginStatus[] => {
    const { key, id, level, revision, source } = failure.unit;
    if (kernel.active(key) !== undefined || sleepers.has(key) || kernel.known.some((unit) => unit.key === key))
      return [];
    return [{ id, level, state: 'failed', revision, source, ...nothing, ...failureIn(failure) }];
  });
}

function failureIn(failure: Failure | undefined): Pick<PluginStatus, 'failure'> {
  if (failure === undefined) return {};
  const { code, message, hint } = failure;
  return { failure: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** What each offers, with what came of it, as seen from the project it belongs to. */
function contributionsOf(kernel: Explained): ReadonlyMap<Activation, readonly Contribution[]> {
  const { activations, offers, answers } = kernel.snapshot();
  const contributions = new Map<Activation, Contribution[]>();
  const roots = new Set([kernel.where.root, ...activations.flatMap(({ root }) => root ?? [])]);
  const capabilities = new Map(
    [...offers, ...[...answers.values()].map(({ record }) => record)].map(({ capability }) => [
      capability.id,
      capability,
    ]),
  );
  for (const root of roots) {
    const view = root === kernel.where.root ? kernel.view({}) : kernel.view({ root, cwd: root });
    for (const [capability, token] of capabilities) {
      for (const entry of view.use(token).entries()) {
        const activation = kernel.owned.get(entry)?.activation;
        // Seen from each root; told once: from its own, or else from the kernel's.
        if (activation === undefined || (activation.root ?? kernel.where.root) !== root) continue;
        const { key, verdict } = entry;
        const told = contributions.get(activation) ?? [];
        told.push({ capability, ...(key === undefined ? {} : { key }), verdict });
        contributions.set(activation, told);
      }
    }
  }
  return contributions;
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
