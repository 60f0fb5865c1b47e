import type { PluginUnit } from './activation.ts';
import { dependentsOf, inPluginOrder } from './order.ts';
import { idTaken, Refusal } from './refusal.ts';

export interface PlanInput {
  /** What is known now and may run: live, waiting for another, or stood in for by a plugin that replaces it. */
  readonly known: readonly PluginUnit[];
  readonly put: readonly PluginUnit[];
  /** What runs has been checked. */
  readonly isLive: (unit: PluginUnit) => boolean;
  readonly drop: ReadonlySet<string>;
  /** Sleeping plugins, as the units they will be. One satisfies a requirement as it is: it wakes when it is used. */
  readonly sleeping: readonly PluginUnit[];
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
  /** Like `effective`, with what sleeps. */
  readonly order: readonly PluginUnit[];
}

/** What a change would make of the plugins. Throws a Refusal that says why it cannot be. */
export function plan({ known: before, put, isLive, drop, sleeping, keepers, reserved }: PlanInput): Plan {
  const keys = new Set(put.map((unit) => unit.key));
  const known = [...before.filter((unit) => !drop.has(unit.key) && !keys.has(unit.key)), ...put];
  for (const unit of known) if (!isLive(unit)) checkId(unit, before, put, drop, keepers, reserved);
  const isPut = (unit: PluginUnit): boolean => put.includes(unit);
  // What is put in the place of what is dropped, from another file, is not lost.
  const gone = drop.difference(keys);
  // What waits itself stands in for nobody.
  const all = [...known, ...sleeping];
  const live = without(
    all,
    dependentsOf(all, gone).filter((unit) => !isPut(unit)),
  );
  const candidates = withoutReplaced(live);
  const waiting = dependentsOf(candidates, gone).filter((unit) => !isPut(unit));
  const order = inPluginOrder(without(candidates, waiting));
  return { known, order, effective: without(order, sleeping) };
}

function without(units: readonly PluginUnit[], others: readonly PluginUnit[]): readonly PluginUnit[] {
  if (others.length === 0) return units;
  const out = new Set(others);
  return units.filter((unit) => !out.has(unit));
}

function withoutReplaced(units: readonly PluginUnit[]): readonly PluginUnit[] {
  const replaced = new Set(
    units.flatMap(({ level, definition }) => (level === 'builtin' ? [] : (definition.replaces ?? []))),
  );
  return units.filter((unit) => unit.level !== 'builtin' || !replaced.has(unit.definition.id));
}

function checkId(
  unit: PluginUnit,
  known: readonly PluginUnit[],
  put: readonly PluginUnit[],
  drop: ReadonlySet<string>,
  keepers: ReadonlySet<string>,
  reserved: ReadonlySet<string>,
): void {
  const { id, replaces } = unit.definition;
  const { level, source } = unit;
  if (replaces !== undefined && level !== 'builtin') {
    if (keepers.has(replaces)) {
      throw new Refusal(
        [unit],
        'keeper_not_replaced',
        `plugin ${id} (${source}) wants to replace ${replaces}, which guards others`,
        `a keeper is never replaced; switch it off in your own config with plugins: { ${replaces}: false } if you must`,
      );
    }
    if (level !== 'user' && level !== 'session') {
      throw new Refusal(
        [unit],
        'id_taken',
        `plugin ${id} (${source}) wants to replace ${replaces}`,
        'a project replaces nothing; put it into your own extensions folder',
      );
    }
  }
  if (level !== 'builtin' && (reserved.has(id) || keepers.has(id)) && replaces !== id) {
    const hint = keepers.has(id)
      ? 'choose another id'
      : `choose another id, or, in your own extensions, say replaces: ${JSON.stringify(id)}`;
    throw idTaken(unit, hint);
  }
  if (level === 'builtin') return;
  // The key is level, root and id: another file with the same key is a second plugin, not a new revision.
  const twin = [...known.filter((other) => !drop.has(other.key)), ...put].find(
    (other) => other.key === unit.key && other.source !== source,
  );
  if (twin !== undefined)
    throw new Refusal(
      [unit],
      'id_taken',
      `the id ${id} (${source}) is taken by ${twin.source}`,
      'two plugins of one level need two ids',
    );
}
