import type { PluginUnit } from './activation.ts';
import type { Level } from './capability.ts';
import { KernError } from './error.ts';

const levelPriorities: Readonly<Record<Level, number>> = { session: 400, project: 300, user: 200, builtin: 100 };

export const priorityOf = (level: Level): number => levelPriorities[level];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A project's plugin sees its own project's; nothing else sees a project's. */
export function isVisibleTo(unit: PluginUnit, other: PluginUnit): boolean {
  return other.level !== 'project' || (unit.level === 'project' && unit.root === other.root);
}

/**
 * Required and `after` plugins first, then by id; the order in which they came decides nothing.
 * Throws `requirement_missing` or `requirement_cycle`, naming the plugin.
 */
export function inPluginOrder(units: readonly PluginUnit[]): readonly PluginUnit[] {
  const sorted = [...units].sort((a, b) => compareText(a.definition.id, b.definition.id) || compareText(a.key, b.key));
  const before = new Map<PluginUnit, ReadonlySet<PluginUnit>>();
  const byId = Map.groupBy(sorted, (unit) => unit.definition.id);
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
  let waiting = sorted;
  while (waiting.length > 0) {
    const ready = waiting.find((unit) => isSubset(before.get(unit), done));
    if (ready === undefined) throw cycle(waiting);
    ordered.push(ready);
    done.add(ready);
    waiting = waiting.filter((unit) => unit !== ready);
  }
  return ordered;
}

function isSubset(part: ReadonlySet<PluginUnit> | undefined, whole: ReadonlySet<PluginUnit>): boolean {
  return part === undefined || part.isSubsetOf(whole);
}

function requirementMissing(unit: PluginUnit, id: string): KernError {
  return new KernError('requirement_missing', `plugin ${unit.definition.id} requires ${id}, which is not loaded`, {
    hint: `load ${id}, or switch ${unit.definition.id} off with plugins: { ${JSON.stringify(unit.definition.id)}: false }`,
  });
}

function cycle(waiting: readonly PluginUnit[]): KernError {
  const ids = waiting.map((unit) => unit.definition.id);
  return new KernError('requirement_cycle', `plugins require each other in a circle: ${ids.join(', ')}`, { hint: 'take one of the requires or after entries away' });
}

/** The units that cannot be without `key`, the nearest first. */
export function dependentsOf(units: readonly PluginUnit[], gone: ReadonlySet<string>): readonly PluginUnit[] {
  const lost = new Set(gone);
  const dependents: PluginUnit[] = [];
  for (let grew = true; grew; ) {
    grew = false;
    for (const unit of units) {
      if (lost.has(unit.key)) continue;
      const broken = (unit.definition.requires ?? []).some((id) => !units.some((other) => other.definition.id === id && other !== unit && !lost.has(other.key) && isVisibleTo(unit, other)));
      if (!broken) continue;
      lost.add(unit.key);
      dependents.push(unit);
      grew = true;
    }
  }
  return dependents;
}
