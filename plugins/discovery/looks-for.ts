import type { PlacesTable } from './contract.ts';

/** What a provider's manifest says of its places, so that a provider with nothing to read is not even loaded. By kind. */
export function looksForOf({ places, folders = {} }: PlacesTable): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  for (const { kind, path } of places) {
    const paths = found.get(kind) ?? new Set();
    for (const name of [path].flat()) {
      paths.add(name);
      for (const [variable, folder] of Object.entries(folders))
        if (name.startsWith(`${folder}/`)) paths.add(`$${variable}`);
    }
    found.set(kind, paths);
  }
  return Object.fromEntries([...found].map(([kind, paths]) => [kind, [...paths]]));
}

/** The file in which the manifests have it: provider, kind, paths. */
export function looksForText(tables: readonly PlacesTable[]): string {
  const sorted = tables.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted.map((table) => [table.id, looksForOf(table)])), undefined, 2)}\n`;
}
