/** A parsed config file: maps with the line of each entry. Maps, not objects: no key of a file can be a prototype. */
export type ConfigNode = MapNode | ValueNode;

export interface MapNode {
  readonly kind: 'map';
  readonly line: number | undefined;
  readonly entries: ReadonlyMap<string, ConfigNode>;
}

/** A scalar, or a list with all that is in it. */
export interface ValueNode {
  readonly kind: 'value';
  readonly line: number | undefined;
  readonly value: unknown;
}

export const emptyMap: MapNode = { kind: 'map', line: undefined, entries: new Map() };

/** The node at the end of a path. `blocked` says how far the path leads when something other than a map is in the way. */
export function dig(
  root: ConfigNode,
  path: readonly string[],
): { node?: ConfigNode; blocked?: { node: ValueNode; depth: number } } {
  let node: ConfigNode = root;
  for (const [depth, name] of path.entries()) {
    if (node.kind === 'value') return node.value === null ? {} : { blocked: { node, depth } };
    const next = node.entries.get(name);
    if (next === undefined) return {};
    node = next;
  }
  // `model:` with nothing behind it says nothing.
  return node.kind === 'value' && node.value === null ? {} : { node };
}

/** The value as plain data. */
export function plain(node: ConfigNode): unknown {
  if (node.kind === 'value') return node.value;
  return Object.fromEntries(Array.from(node.entries, ([name, child]) => [name, plain(child)]));
}

/** Data that did not come from a file, as a node: flags, values of the environment. */
export function nodeOf(value: unknown, line?: number): ConfigNode {
  if (!isPlainObject(value)) return { kind: 'value', line, value };
  return {
    kind: 'map',
    line,
    entries: new Map(Object.entries(value).map(([name, child]) => [name, nodeOf(child, line)])),
  };
}

/** A copy of the map that holds `child` at the path. */
export function withNode(root: MapNode, path: readonly string[], child: ConfigNode): MapNode {
  const [name, ...rest] = path;
  if (name === undefined) return child.kind === 'map' ? child : root;
  const old = root.entries.get(name);
  const next = rest.length === 0 ? child : withNode(old?.kind === 'map' ? old : emptyMap, rest, child);
  return { ...root, entries: new Map(root.entries).set(name, next) };
}

/** A copy of the map without what is at the path, and without maps that are empty then. */
export function withoutNode(root: MapNode, path: readonly string[]): MapNode {
  const [name, ...rest] = path;
  const old = name === undefined ? undefined : root.entries.get(name);
  if (name === undefined || old === undefined) return root;
  const entries = new Map(root.entries);
  const left = rest.length === 0 ? undefined : old.kind === 'map' ? withoutNode(old, rest) : old;
  if (left === undefined || (left.kind === 'map' && left.entries.size === 0)) entries.delete(name);
  else entries.set(name, left);
  return { ...root, entries };
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
