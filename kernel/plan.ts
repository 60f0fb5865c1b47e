import type { PluginUnit } from './activation.ts';
import { KernError } from './error.ts';
import { dependentsOf, inPluginOrder } from './order.ts';
import type { IdlePlugin } from './snapshot.ts';

export interface PlanInput {
  /** What is known now: live, or stood in for by a plugin that replaces it. */
  readonly known: readonly PluginUnit[];
  readonly put: readonly PluginUnit[];
  readonly drop: readonly string[];
  readonly idle: readonly IdlePlugin[];
  /** Ids that guard: nobody takes their place. */
  readonly keepers: ReadonlySet<string>;
  /** Every id a built-in has, idle ones too. */
  readonly reserved: ReadonlySet<string>;
}

export interface Plan {
  /** Also those that wait for a plugin they require. */
  readonly known: readonly PluginUnit[];
  /** In plugin order, without what is replaced and what waits. */
  readonly effective: readonly PluginUnit[];
}

/** What a change would make of the plugins. Throws a KernError that says why it cannot be. */
export function plan(input: PlanInput): Plan {
  const drop = new Set(input.drop);
  const put = new Map(input.put.map((unit) => [unit.key, unit]));
  for (const unit of input.put) checkId(unit, drop, input);
  const known = [...input.known.filter((unit) => !drop.has(unit.key) && !put.has(unit.key)), ...input.put];
  // An idle plugin satisfies a requirement as it stands: it wakes when it is used.
  const idle = input.idle.map(standIn);
  const candidates = [...withoutReplaced(known), ...idle];
  const waiting = new Set(dependentsOf(candidates, drop).filter((unit) => !input.put.includes(unit)));
  const effective = inPluginOrder(candidates.filter((unit) => !waiting.has(unit))).filter((unit) => !idle.includes(unit));
  return { known, effective };
}

function standIn(plugin: IdlePlugin): PluginUnit {
  return { key: `idle:${plugin.id}`, level: 'builtin', source: 'built-in', definition: { id: plugin.id, setup: () => undefined }, revision: 0 };
}

function withoutReplaced(units: readonly PluginUnit[]): readonly PluginUnit[] {
  const replaced = new Set(units.flatMap((unit) => unit.definition.replaces ?? []));
  return units.filter((unit) => unit.level !== 'builtin' || !replaced.has(unit.definition.id));
}

function checkId(unit: PluginUnit, drop: ReadonlySet<string>, { known, put, keepers, reserved }: PlanInput): void {
  const { id, replaces } = unit.definition;
  const { level, source } = unit;
  if (replaces !== undefined && level !== 'builtin') {
    if (keepers.has(replaces)) throw new KernError('keeper_not_replaced', `plugin ${id} (${source}) wants to replace ${replaces}, which guards others`, { hint: `a keeper is never replaced; switch it off in your own config with plugins: { ${replaces}: false } if you must` });
    if (level !== 'user' && level !== 'session') throw new KernError('id_taken', `plugin ${id} (${source}) wants to replace ${replaces}`, { hint: 'a project replaces nothing; put it into your own extensions folder' });
  }
  if (level !== 'builtin' && reserved.has(id) && replaces !== id) {
    throw new KernError('id_taken', `the id ${id} (${source}) is taken by a built-in plugin`, { hint: keepers.has(id) ? 'choose another id' : `choose another id, or, in your own extensions, say replaces: ${JSON.stringify(id)}` });
  }
  // The key is level, root and id: another file with the same key is a second plugin, not a new revision.
  const twin = [...known.filter((other) => !drop.has(other.key)), ...put].find((other) => other.key === unit.key && other.source !== source);
  if (twin !== undefined) throw new KernError('id_taken', `the id ${id} (${source}) is taken by ${twin.source}`, { hint: 'two plugins of one level need two ids' });
}
