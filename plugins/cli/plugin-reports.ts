import { type AnyTool, faceOf, type PluginReport } from 'kern/contracts';
import type { Capability, Kernel, Level, TrustItem, TrustState, View } from 'kern/plugin';
import { costOf, type RunCosts } from './run-costs.ts';

/** An extension as the host found it. */
export interface FoundPlace {
  readonly place: {
    readonly entry: string;
    readonly level: Level;
    readonly name: string;
    readonly bound?: Pick<TrustItem, 'definition' | 'files'>;
    readonly isHollow?: true;
  };
  readonly status:
    | { readonly state: 'new' | 'loaded' | 'failed' }
    | { readonly state: 'blocked'; readonly trust: Exclude<TrustState, 'trusted'>; readonly wasLive: boolean };
  readonly revision: number;
}

type Activation = ReturnType<Kernel['snapshot']>['activations'][number];
type Contribution = PluginReport['contributes'][number];

/** Every plugin that is known, whatever became of it. Nothing is woken for it. */
export function pluginReports(
  kernel: Kernel,
  view: View,
  places: readonly FoundPlace[],
  lastRun: RunCosts = {},
): readonly PluginReport[] {
  const isLive = (key: string): boolean => kernel.active(key) !== undefined;
  const live = kernel.snapshot().activations.map((activation): PluginReport => {
    const { [activation.unit.key]: before } = lastRun;
    return {
      ...ofActivation(kernel, view, activation, 'active'),
      ...(before === undefined ? {} : { lastRun: before }),
    };
  });
  const draining = kernel.draining.map((activation) => ofActivation(kernel, view, activation, 'draining'));
  const failures = [...kernel.failures.values()];
  // What did not wake for want of another is still asleep, so that it wakes when that one comes.
  const hasFailed = ({ id, level = 'builtin' }: (typeof kernel.sleeping)[number]): boolean =>
    failures.some(({ unit }) => unit.id === id && unit.level === level);
  const sleeping = kernel.sleeping.filter((plugin) => !hasFailed(plugin));
  const asleep = sleeping.map((plugin): PluginReport => {
    const { level = 'builtin', source = 'built-in' } = plugin;
    const successor =
      level === 'builtin'
        ? kernel.known.find(({ key, definition }) => definition.replaces === plugin.id && isLive(key))
        : undefined;
    const off = kernel.settings.plugin(plugin.id, level).off ?? (successor && `replaced by ${successor.source}`);
    return {
      ...nothingYet(plugin.id, level, source),
      state: off === undefined ? 'idle' : 'off',
      contributes: Object.entries(plugin.contributes).flatMap(([capability, keys]) =>
        (keys === '*' ? [null] : keys).map((key): Contribution => ({ capability, key, verdict: 'unknown' })),
      ),
      taps: plugin.taps ?? [],
      ...(off === undefined ? {} : { by: off }),
      ...(plugin.description === undefined ? {} : { description: plugin.description }),
    };
  });
  const off = kernel.known
    .filter(({ key }) => !isLive(key))
    .flatMap((unit): PluginReport[] => {
      const { off: by } = kernel.settings.plugin(unit.definition.id, unit.level);
      if (by === undefined) return [];
      return [
        { ...nothingYet(unit.definition.id, unit.level, unit.source), revision: unit.revision, state: 'off', by },
      ];
    });
  const failed = failures
    .filter(({ unit }) => !isLive(unit.key))
    .map(
      ({ unit, code, message, hint }): PluginReport => ({
        ...nothingYet(unit.id, unit.level, unit.source),
        revision: unit.revision,
        state: 'failed',
        failure: { code, message, ...(hint === undefined ? {} : { hint }) },
      }),
    );
  const blocked = places.flatMap(({ place, status, revision }): PluginReport[] =>
    status.state === 'blocked' && !status.wasLive
      ? [
          {
            ...nothingYet(place.name, place.level, place.entry),
            revision,
            state: 'blocked',
            by: whyBlocked(status.trust),
          },
        ]
      : [],
  );
  return [...live, ...asleep, ...off, ...failed, ...blocked, ...draining].sort(byLevelThenId);
}

export const whyBlocked = (trust: 'untrusted' | 'changed'): string =>
  trust === 'changed' ? 'it changed since it was trusted' : 'nobody has trusted it';

function ofActivation(kernel: Kernel, view: View, activation: Activation, state: 'active' | 'draining'): PluginReport {
  const { id, level, unit } = activation;
  const failure = state === 'active' ? kernel.failures.get(unit.key) : undefined;
  const { description } = unit.definition;
  const last = state === 'active' ? kernel.journal.faults(id) : undefined;
  return {
    id,
    level,
    state,
    revision: unit.revision,
    source: unit.source,
    contributes: contributionsOf(kernel, view, activation),
    taps: [...new Set(activation.taps.map(({ hook }) => hook.id))],
    loadMs: round(unit.loadMs ?? 0),
    startMs: round(activation.startMs),
    hookMs: round(activation.hookMs),
    hooks: costOf(kernel, activation).hooks,
    promptTokens: promptTokensOf(activation),
    ...(failure === undefined
      ? {}
      : {
          failure: {
            code: failure.code,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
          },
        }),
    ...(last === undefined
      ? {}
      : { errors: { count: last.count, last: { code: last.last.code, message: last.last.message } } }),
    ...(description === undefined ? {} : { description }),
  };
}

/** What it offers, with what became of each: the tables know the verdict, the kernel whose an entry is. */
function contributionsOf(kernel: Kernel, view: View, activation: Activation): readonly Contribution[] {
  const capabilities = new Map<string, Capability<unknown>>();
  for (const { capability } of [...activation.offers, ...activation.providers])
    capabilities.set(capability.id, capability);
  return [...capabilities.values()].flatMap((capability) => {
    const own = view
      .use(capability)
      .entries()
      .filter((entry) => kernel.owned.get(entry)?.activation === activation);
    if (own.length > 0)
      return own.map(
        ({ key, verdict }): Contribution => ({ capability: capability.id, key: key ?? null, verdict: verdict.state }),
      );
    return [{ capability: capability.id, key: null, verdict: 'unknown' as const }];
  });
}

/** Four characters are a token, more or less; what counts is which plugin is dear. */
function promptTokensOf(activation: Activation): number {
  const offers = activation.offers.filter(({ capability, parsed }) => capability.id === 'tool' && parsed.ok);
  const tools = offers
    .map(({ item }) => item as AnyTool)
    .filter(({ hidden, defaultActive }) => hidden !== true && defaultActive !== false);
  return tools.reduce((sum, tool) => sum + Math.ceil(JSON.stringify(faceOf(tool)).length / 4), 0);
}

const costsNothing = { loadMs: 0, startMs: 0, hookMs: 0, hooks: [], promptTokens: 0 } as const;

function nothingYet(id: string, level: PluginReport['level'], source: string): Omit<PluginReport, 'state'> {
  return { id, level, source, revision: 0, contributes: [], taps: [], ...costsNothing };
}

const round = (ms: number): number => Math.round(ms * 100) / 100;

const levels = ['builtin', 'user', 'project', 'session'];

/** Names of one level in the order of code units: the same on every machine. */
function byLevelThenId(a: PluginReport, b: PluginReport): number {
  return (
    levels.indexOf(a.level) - levels.indexOf(b.level) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) ||
    b.revision - a.revision
  );
}
