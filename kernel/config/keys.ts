import type { MapNode } from './node.ts';
import { dig } from './node.ts';
import { providerSwitches, type Settings, switchKeys } from './settings.ts';

/** What a key is about. */
export type Target =
  | { readonly kind: 'setting' | 'group' | 'unknown'; readonly path: readonly string[] }
  | {
      readonly kind: 'plugin' | 'provider';
      readonly id: string;
      readonly path: readonly string[];
      readonly rest: readonly string[];
    }
  | { readonly kind: 'plugins' | 'providers' | 'list'; readonly path: readonly string[] };

/** A key as a person writes it, or its parts: ids may hold dots. */
export type Key = string | readonly string[];

export function keyText(key: Key): string {
  return typeof key === 'string' ? key : key.join('.');
}

/** Works out a key. Of the plugin ids that are known the longest that fits is meant. */
export function targetOf(key: Key, settings: Settings, ids: () => Iterable<string>): Target {
  const parts = typeof key === 'string' ? split(key, ids) : key;
  const [first, id, ...rest] = parts;
  if (first === 'plugins' || first === 'providers') {
    if (id === undefined) return { kind: first, path: parts };
    return { kind: first === 'plugins' ? 'plugin' : 'provider', id, path: parts, rest };
  }
  if (first !== undefined && Object.hasOwn(switchKeys, first))
    return parts.length === 1 ? { kind: 'list', path: parts } : { kind: 'unknown', path: parts };
  if (settings.around(parts) !== undefined) return { kind: 'setting', path: parts };
  return { kind: settings.below(parts).length > 0 ? 'group' : 'unknown', path: parts };
}

function split(key: string, ids: () => Iterable<string>): readonly string[] {
  const parts = key.split('.');
  const [first, ...rest] = parts;
  if (first === 'plugins' && rest.length > 0) {
    const text = rest.join('.');
    const fits = Array.from(ids()).filter((id) => text === id || text.startsWith(`${id}.`));
    const id = fits.toSorted((a, b) => b.length - a.length)[0] ?? text;
    return ['plugins', id, ...(text === id ? [] : text.slice(id.length + 1).split('.'))];
  }
  if (first === 'providers' && rest.length > 0) {
    const last = rest.at(-1) ?? '';
    const named = rest.length > 1 && providerSwitches.some((name) => name === last);
    return named ? ['providers', rest.slice(0, -1).join('.'), last] : ['providers', rest.join('.')];
  }
  return parts;
}

/** The ids under `plugins` or `providers` of a file. */
export function idsIn(root: MapNode, key: 'plugins' | 'providers'): readonly string[] {
  const { node } = dig(root, [key]);
  return node?.kind === 'map' ? Array.from(node.entries.keys()) : [];
}
