import { isRaw } from './message.ts';

type Raw = Readonly<Record<string, unknown>>;

/**
 * An entry as the current version writes it. The first version counted lines in place of ids: `idOf` gives the id of
 * the entry that stood `nth` in the file, the header being 0.
 */
export function migrated(raw: Raw, version: number, idOf: (nth: number) => string | undefined): Raw {
  let entry = raw;
  if (version < 2 && entry.type === 'compaction' && 'firstKeptEntryIndex' in entry) {
    const { firstKeptEntryIndex: index, ...rest } = entry;
    const firstKeptEntryId = typeof index === 'number' ? idOf(index) : undefined;
    entry = firstKeptEntryId === undefined ? rest : { ...rest, firstKeptEntryId };
  }
  if (version < 3 && isRaw(entry.message) && entry.message.role === 'hookMessage')
    entry = { ...entry, message: { ...entry.message, role: 'custom' } };
  return entry;
}
