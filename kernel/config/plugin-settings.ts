import type { Level } from '../capability.ts';
import { messageOf } from '../error.ts';
import type { Schema, SchemaResult } from '../schema.ts';
import {
  byDefault,
  check,
  keptText,
  type LastGood,
  type Layer,
  originOf,
  sourceText,
  type ValueOrigin,
} from './layers.ts';
import { type ConfigNode, dig, emptyMap, type MapNode, plain, withNode } from './node.ts';
import type { ConfigProblem } from './places.ts';
import type { Row } from './settings.ts';

/** What config says to a plugin, before its own schema has seen it. */
export interface Spoken {
  readonly settings: Readonly<Record<string, unknown>>;
  /** By the path of each value, joined with dots. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** The values as they stand in their layers, by layer and path. */
  readonly nodes: LastGood;
}

/** What is left out, by layer and path; in the place of some there is what the layer said before. */
export type Without = ReadonlyMap<string, ConfigNode | undefined>;

/** Merges what the layers say to a plugin: maps key by key, everything else as a whole. `enabled` is the switch, not a setting. */
export function spokenTo(
  layers: readonly Layer[],
  id: string,
  level: Level,
  rows: readonly Row[],
  without: Without = new Map(),
): Spoken {
  const origins = new Map<string, ValueOrigin>();
  const nodes: LastGood = new Map();
  let merged: MapNode = emptyMap;
  const walk = (layer: Layer, node: ConfigNode, path: readonly string[]): void => {
    if (node.kind === 'map' && node.entries.size > 0) {
      for (const [name, child] of node.entries) walk(layer, child, [...path, name]);
      return;
    }
    const key = path.join('.');
    const place = `${layer.name} ${key}`;
    const counts = without.has(place) ? without.get(place) : node;
    if (counts === undefined) return;
    nodes.set(place, counts);
    for (const below of origins.keys())
      if (below.startsWith(`${key}.`) || key.startsWith(`${below}.`)) origins.delete(below);
    merged = withNode(merged, path, counts);
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
  return { settings: plain(merged) as Record<string, unknown>, origins, nodes };
}

/** The same without the values that the rows refuse, in whose place there is what their layer said before. */
export function soundly(rows: readonly Row[], speak: (without: Without) => Spoken, good: LastGood): Spoken {
  const leftOut = new LeftOut(good);
  for (;;) {
    const spoken = speak(leftOut.places);
    // The schema of a row may be one that is made when it is asked for.
    const bad = rows.filter((row) => {
      const [, , name = ''] = row.path;
      return Object.hasOwn(spoken.settings, name) && !check(row.schema, spoken.settings[name]).ok;
    });
    const hasMore = bad.map(({ path: [, , name = ''] }) => leftOut.add(spoken, [name]));
    if (!hasMore.includes(true)) return spoken;
  }
}

/** Values that a schema refused: first what was said before is tried in their place, then nothing. */
class LeftOut {
  readonly places = new Map<string, ConfigNode | undefined>();
  readonly #good: LastGood;

  constructor(good: LastGood) {
    this.#good = good;
  }

  /** Leaves out what was said at, above or below the path; whether that is more than before. */
  add({ origins }: Spoken, path: readonly string[]): boolean {
    let isMore = false;
    for (const [spoken, { layer }] of origins) {
      const place = `${layer} ${spoken}`;
      if (!isWithin(spoken, path) || (this.places.has(place) && this.places.get(place) === undefined)) continue;
      this.places.set(place, this.places.has(place) ? undefined : this.#good.get(place));
      isMore = true;
    }
    return isMore;
  }

  /** Whether something that was said before counts at the path. */
  isKept({ origins }: Spoken, path: readonly string[]): boolean {
    return Array.from(origins).some(
      ([spoken, { layer }]) => isWithin(spoken, path) && this.places.get(`${layer} ${spoken}`) !== undefined,
    );
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
 * Parses a plugin's settings by its schema. A bad value is named with its file and line and left out, so that what its
 * layer said before counts, else the next lower layer or the default; what cannot be saved so, and anything at all in a
 * keeper, fails the plugin. What turned out right is remembered in `good`.
 */
export function configure<T>(
  id: string,
  speak: (without: Without) => Spoken,
  schema: Schema<T>,
  keeper: boolean,
  good: LastGood = new Map(),
): Configured<T> {
  const problems = new Map<string, ConfigProblem>();
  const leftOut = new LeftOut(good);
  for (;;) {
    const spoken = speak(leftOut.places);
    const result = validate(schema, spoken.settings);
    if (result.issues === undefined) {
      good.clear();
      for (const [place, node] of spoken.nodes) good.set(place, node);
      return { ok: true, value: result.value, problems: Array.from(problems.values()) };
    }
    let hasMore = false;
    for (const issue of result.issues) {
      for (const path of culprits(issue)) {
        if (leftOut.add(spoken, path)) hasMore = true;
        const kept = leftOut.isKept(spoken, path) && !keeper ? keptText : '';
        const key = path.join('.');
        // What was said before is not right any more either: the first complaint is the one to tell.
        const { message = issue.message } = problems.get(key) ?? {};
        const text = message.replace(keptText, '');
        problems.set(key, problemAt(id, path, `${text}${kept}`, spoken.origins));
      }
    }
    if (keeper || !hasMore) return { ok: false, problems: Array.from(problems.values()) };
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
