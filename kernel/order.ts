import type { PluginUnit } from './activation.ts';
import type { Level } from './capability.ts';
import { Refusal } from './refusal.ts';

const levelPriorities: Readonly<Record<Level, number>> = { session: 400, project: 300, user: 200, builtin: 100 };

export const priorityOf = (level: Level): number => levelPriorities[level];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A project's plugin sees its own project's; nothing else sees a project's. */
export function isVisibleTo(unit: PluginUnit, other: PluginUnit): boolean {
  return other.level !== 'project' || (unit.level === 'project' && unit.root === other.root);
}

/** The ids it answers to: one that replaces a built-in also satisfies who requires that. */
const idsOf = ({ level, definition: { id, replaces } }: PluginUnit): readonly string[] =>
  level === 'builtin' || replaces === undefined || replaces === id ? [id] : [id, replaces];

/**
 * Required and `after` plugins first, then by id; the order in which they came decides nothing.
 * Throws `requirement_missing` or `requirement_cycle`, naming the plugin.
 */
export function inPluginOrder(units: readonly PluginUnit[]): readonly PluginUnit[] {
  const sorted = [...units].sort((a, b) => compareText(a.definition.id, b.definition.id) || compareText(a.key, b.key));
  const before = new Map<PluginUnit, ReadonlySet<PluginUnit>>();
  const byId = byEveryId(sorted);
  for (const unit of sorted) {
    const found = new Set<PluginUnit>();
    for (const id of unit.definition.requires ?? []) {
      const others = (byId.get(id) ?? []).filter((other) => other !== unit && isVisibleTo(unit, other));
      if (others.length === 0) throw requirementMissing(unit, id);
      for (const other of others) found.add(other);
    }
    for (const id of unit.definition.after ?? []) {
      for (const other of byId.get(id) ?? []) if (other !== unit && isVisibleTo(unit, other)) found.add(other);
    }
    before.set(unit, found);
  }
  const ordered: PluginUnit[] = [];
  const done = new Set<PluginUnit>();
  const isReady = (unit: PluginUnit): boolean => isSubset(before.get(unit), done);
  const put = (unit: PluginUnit): void => {
    ordered.push(unit);
    done.add(unit);
  };
  // Few wait for others: whoever does comes as soon as it can, before those behind it.
  const blocked: PluginUnit[] = [];
  const unblock = (): void => {
    for (let at = blocked.findIndex(isReady); at !== -1; at = blocked.findIndex(isReady))
      for (const unit of blocked.splice(at, 1)) put(unit);
  };
  for (const unit of sorted) {
    unblock();
    if (isReady(unit)) put(unit);
    else blocked.push(unit);
  }
  unblock();
  if (blocked.length > 0) throw cycle(blocked, before);
  return ordered;
}

function isSubset(part: ReadonlySet<PluginUnit> | undefined, whole: ReadonlySet<PluginUnit>): boolean {
  return part === undefined || part.isSubsetOf(whole);
}

function requirementMissing(unit: PluginUnit, id: string): Refusal {
  const hint = `load ${id}, or switch ${unit.definition.id} off with plugins: { ${JSON.stringify(unit.definition.id)}: false }`;
  return new Refusal(
    [unit],
    'requirement_missing',
    `plugin ${unit.definition.id} requires ${id}, which is not loaded`,
    hint,
  );
}

/** Of those that cannot be ordered, one circle: not those that only come after it. */
function cycle(waiting: readonly PluginUnit[], before: ReadonlyMap<PluginUnit, ReadonlySet<PluginUnit>>): Refusal {
  const trail: PluginUnit[] = [];
  let unit = waiting[0];
  while (unit !== undefined && !trail.includes(unit)) {
    trail.push(unit);
    const needs: ReadonlySet<PluginUnit> = before.get(unit) ?? new Set();
    unit = waiting.find((other) => needs.has(other));
  }
  const circle = unit === undefined ? trail : trail.slice(trail.indexOf(unit));
  const ids = circle.map(({ definition }) => definition.id);
  return new Refusal(
    circle,
    'requirement_cycle',
    `plugins require each other in a circle: ${ids.join(', ')}`,
    'take one of the requires or after entries away',
  );
}

/** The units that cannot be without `key`, the nearest first. */
export function dependentsOf(units: readonly PluginUnit[], gone: ReadonlySet<string>): readonly PluginUnit[] {
  const lost = new Set(gone);
  const dependents: PluginUnit[] = [];
  const suppliers = byEveryId(units);
  const needy = units.filter(({ definition }) => (definition.requires?.length ?? 0) > 0);
  const supplies = (id: string, unit: PluginUnit): boolean =>
    (suppliers.get(id) ?? []).some((other) => other !== unit && !lost.has(other.key) && isVisibleTo(unit, other));
  for (let grew = true; grew; ) {
    grew = false;
    for (const unit of needy) {
      if (lost.has(unit.key) || (unit.definition.requires ?? []).every((id) => supplies(id, unit))) continue;
      lost.add(unit.key);
      dependents.push(unit);
      grew = true;
    }
  }
  return dependents;
}

function byEveryId(units: readonly PluginUnit[]): ReadonlyMap<string, readonly PluginUnit[]> {
  const found = new Map<string, PluginUnit[]>();
  for (const unit of units) {
    for (const id of idsOf(unit)) {
      const others = found.get(id);
      if (others === undefined) found.set(id, [unit]);
      else others.push(unit);
    }
  }
  return found;
}
