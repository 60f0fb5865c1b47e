import type { At, FormatName, FoundItems, FoundKind } from './places.ts';

/** The items of a file or folder, read as one of the formats that places have: for formats that say where such places are. */
export async function readAs<K extends FoundKind>(
  at: At,
  kind: K,
  format: FormatName,
): Promise<readonly FoundItems[K][]> {
  const { formats } = await import('./files/formats.ts');
  // Each makes the items of the kind it is asked for.
  return (await formats[format](at, kind)) as readonly FoundItems[K][];
}
