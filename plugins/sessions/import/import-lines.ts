import type { ForeignEntry, ImportedEntry, ImportedSession, NewEntry, SessionEntry } from 'kern/contracts';
import type { Blobs } from '../blobs.ts';
import { headerLine, json, written } from '../dialect.ts';
import { entryId } from '../names.ts';

/** What was written. */
export interface Count {
  /** Of people and models. */
  messages: number;
  /** Of the latest entry. */
  latest: string;
}

export interface LinesParts {
  readonly id: string;
  readonly cwd: string;
  readonly origin: { readonly source: string; readonly id: string; readonly file: string };
  readonly blobs: Blobs;
  readonly inlineLimit: number;
}

type Unplaced = ImportedEntry['entry'];

/** The lines of a session file: the entries with ids of ours, and at the leaf an entry that says where they are from. */
export async function* importLines(
  session: ImportedSession,
  { id, cwd, origin, blobs, inlineLimit }: LinesParts,
  count: Count,
): AsyncGenerator<string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const { timestamp } = session;
  let last: string | null = null;
  const place = (name: string | undefined): string => {
    const isOurs = name !== undefined && /^[0-9a-f]{8}$/.test(name) && !taken.has(name);
    const made = isOurs ? name : entryId((one) => taken.has(one));
    taken.add(made);
    if (name !== undefined) ids.set(name, made);
    return made;
  };
  async function* lines(entry: SessionEntry | ForeignEntry): AsyncGenerator<string> {
    const { line, blobs: needed } = blobs.lighten(json(written(entry)), inlineLimit);
    for (const blob of needed) await blobs.write(blob);
    yield `${line}\n`;
  }
  yield headerLine({ type: 'session', version: 3, id, timestamp, cwd });
  count.latest = timestamp;
  for (const { id: name, after, timestamp: at, entry } of session.entries) {
    const parentId: string | null = after === undefined ? last : after === null ? null : (ids.get(after) ?? last);
    const time = Number.isNaN(Date.parse(at)) ? count.latest : at;
    const referring = withIds(entry, ids);
    last = place(name);
    if (Date.parse(time) > Date.parse(count.latest)) count.latest = time;
    if (isSaid(entry)) count.messages += 1;
    yield* lines(placed(referring, { id: last, parentId, timestamp: time }));
  }
  const parentId = (session.leaf === undefined ? undefined : ids.get(session.leaf)) ?? last;
  const data = { customType: 'kern.imported', data: origin };
  yield* lines({ type: 'custom', id: place(undefined), parentId, timestamp: count.latest, ...data });
}

function isSaid(entry: Unplaced): boolean {
  return entry.type === 'message' && (entry.message.role === 'user' || entry.message.role === 'assistant');
}

/** The keys in the order in which programs write them. */
function placed(
  entry: Unplaced,
  place: { readonly id: string; readonly parentId: string | null; readonly timestamp: string },
): SessionEntry | ForeignEntry {
  const { type, ...rest } = entry;
  // The union is kept by taking it apart and together again, which TypeScript does not follow.
  return { type, ...place, ...rest } as SessionEntry | ForeignEntry;
}

/** What names other entries names them by the ids that they got. */
function withIds(entry: Unplaced, ids: ReadonlyMap<string, string>): Unplaced {
  const meant = (id: string): string => ids.get(id) ?? id;
  switch (entry.type) {
    case 'compaction':
      return { ...entry, firstKeptEntryId: meant(entry.firstKeptEntryId) };
    case 'branch_summary':
      return { ...entry, fromId: meant(entry.fromId) };
    case 'context_edit':
    case 'label':
      return { ...entry, targetId: meant(entry.targetId) } satisfies NewEntry;
    default:
      return entry;
  }
}
