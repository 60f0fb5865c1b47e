import type { Level } from '../capability.ts';
import { messageOf } from '../error.ts';
import type { Schema, SchemaResult } from '../schema.ts';
import { byDefault, check, type Layer, originOf, sourceText, type ValueOrigin } from './layers.ts';
import { type ConfigNode, dig, emptyMap, type MapNode, plain, withNode } from './node.ts';
import type { ConfigProblem } from './places.ts';
import type { Row } from './settings.ts';

/** What config says to a plugin, before its own schema has seen it. */
export interface Spoken {
  readonly settings: Readonly<Record<string, unknown>>;
  /** By the path of each value, joined with dots. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
}

/** Merges what the layers say to a plugin: maps key by key, everything else as a whole. `enabled` is the switch, not a setting. */
export function spokenTo(
  layers: readonly Layer[],
  id: string,
  level: Level,
  rows: readonly Row[],
  without: ReadonlySet<string> = new Set(),
): Spoken {
  const origins = new Map<string, ValueOrigin>();
  let merged: MapNode = emptyMap;
  const walk = (layer: Layer, node: ConfigNode, path: readonly string[]): void => {
    if (node.kind === 'map' && node.entries.size > 0) {
      for (const [name, child] of node.entries) walk(layer, child, [...path, name]);
      return;
    }
    const key = path.join('.');
    if (without.has(`${layer.name} ${key}`)) return;
    for (const below of origins.keys())
      if (below.startsWith(`${key}.`) || key.startsWith(`${below}.`)) origins.delete(below);
    merged = withNode(merged, path, node);
    origins.set(key, originOf(layer, node));
  };
  for (const layer of layers) {
    const { node } = dig(layer.root, ['plugins', id]);
    if (node?.kind !== 'map') continue;
    for (const [name, child] of node.entries) {
      if (name === 'enabled' || (child.kind === 'value' && child.value === null)) continue;
      if (
        layer.name === 'project' &&
        level !== 'project' &&
        !rows.some((row) => row.project === true && row.path[2] === name)
      )
        continue;
      walk(layer, child, [name]);
    }
  }
  return { settings: plain(merged) as Record<string, unknown>, origins };
}

/** The same without the values that the rows refuse: for each of them the next lower layer speaks. */
export function soundly(rows: readonly Row[], speak: (without: ReadonlySet<string>) => Spoken): Spoken {
  const without = new Set<string>();
  for (;;) {
    const spoken = speak(without);
    const before = without.size;
    for (const { path, schema } of rows) {
      const name = path[2] ?? '';
      if (!Object.hasOwn(spoken.settings, name) || check(schema, spoken.settings[name]).ok) continue;
      for (const [key, origin] of spoken.origins) if (isWithin(key, [name])) without.add(`${origin.layer} ${key}`);
    }
    if (without.size === before) return spoken;
  }
}

/** What a project says to a plugin that is not its own, where it may not. */
export function outOfPlace(layer: Layer, id: string, rows: readonly Row[]): readonly ConfigProblem[] {
  const { node } = dig(layer.root, ['plugins', id]);
  if (node === undefined) return [];
  const names = node.kind === 'map' ? Array.from(node.entries) : [['', node] as const];
  return names
    .filter(([name]) => !rows.some((row) => row.project === true && row.path[2] === name))
    .map(([name, child]) => {
      const origin = originOf(layer, child);
      return {
        ...(origin.file === undefined ? {} : { file: origin.file }),
        ...(origin.line === undefined ? {} : { line: origin.line }),
        key: `plugins.${id}${name === '' ? '' : `.${name}`}`,
        message: 'is not for a project to set; it is left out',
      };
    });
}

export type Configured<T> =
  | { readonly ok: true; readonly value: T; readonly problems: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * Parses a plugin's settings by its schema. A bad value is named with its file and line and left out, so that the
 * next lower layer or the default counts; what cannot be saved so, and anything at all in a keeper, fails the plugin.
 */
export function configure<T>(
  id: string,
  speak: (without: ReadonlySet<string>) => Spoken,
  schema: Schema<T>,
  keeper: boolean,
): Configured<T> {
  const problems: ConfigProblem[] = [];
  const without = new Set<string>();
  for (;;) {
    const { settings, origins } = speak(without);
    const result = validate(schema, settings);
    if (result.issues === undefined) return { ok: true, value: result.value, problems };
    const before = without.size;
    for (const issue of result.issues) {
      for (const path of culprits(issue)) {
        problems.push(problemAt(id, path, issue.message, origins));
        for (const [spoken, origin] of origins) if (isWithin(spoken, path)) without.add(`${origin.layer} ${spoken}`);
      }
    }
    if (keeper || without.size === before) return { ok: false, problems };
  }
}

/** Where an issue lies. A strict schema names the keys it does not know beside the path. */
function culprits(issue: {
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}): readonly (readonly string[])[] {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  const extra = (issue as { keys?: unknown }).keys;
  return Array.isArray(extra) && extra.length > 0 ? extra.map((name) => [...path, String(name)]) : [path];
}

/** A value that was given at, above (a list, of which one entry is bad) or below the path. */
function isWithin(spoken: string, path: readonly string[]): boolean {
  const key = path.join('.');
  return key !== '' && (spoken === key || key.startsWith(`${spoken}.`) || spoken.startsWith(`${key}.`));
}

function validate<T>(schema: Schema<T>, value: unknown): SchemaResult<T> {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return result;
    result.catch(() => undefined); // nobody waits for it
    return { issues: [{ message: 'the schema is asynchronous; only synchronous ones are supported here' }] };
  } catch (thrown) {
    return { issues: [{ message: messageOf(thrown) }] };
  }
}

function problemAt(
  id: string,
  path: readonly string[],
  message: string,
  origins: ReadonlyMap<string, ValueOrigin>,
): ConfigProblem {
  let origin = byDefault;
  for (let length = path.length; length > 0 && origin === byDefault; length--)
    origin = origins.get(path.slice(0, length).join('.')) ?? byDefault;
  const key = ['plugins', id, ...path].join('.');
  if (origin.file === undefined)
    return { key, message: origin === byDefault ? message : `${message} (${sourceText(origin)})` };
  return { file: origin.file, ...(origin.line === undefined ? {} : { line: origin.line }), key, message };
}
