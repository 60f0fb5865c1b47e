import type { ForeignEntry, SessionEntry } from 'kern/contracts';
import { fileMentionType, holeType } from './entry-index.ts';
import { isRaw, mentionOf, messageOf } from './message.ts';

type Raw = Readonly<Record<string, unknown>>;

/** The place of an entry in the tree, which need not be what is written. */
export interface EntryPlace {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const hook = (raw: Raw): { readonly fromHook?: boolean } =>
  raw.fromHook === true || raw.fromExtension === true ? { fromHook: true } : {};

/**
 * An entry in the shape of the contract, whoever wrote it, whatever is missing of it. `meant` gives the id of the entry
 * that one means which was written here.
 */
export function entryOf(
  raw: Raw,
  place: EntryPlace,
  meant: (writtenId: string) => string,
): SessionEntry | ForeignEntry {
  const read = readers.get(textOf(raw.type))?.(raw, place, meant);
  return read ?? foreign(textOf(raw.type), raw, place);
}

/** Stands for an entry whose line is broken. */
export function holeOf(data: object, place: EntryPlace): SessionEntry {
  return { type: 'custom', ...place, customType: holeType, data };
}

function foreign(foreignType: string, raw: Raw, { id, parentId, timestamp }: EntryPlace): ForeignEntry {
  return { type: 'foreign', id, parentId, timestamp, foreignType, raw };
}

type Read = (raw: Raw, place: EntryPlace, meant: (id: string) => string) => SessionEntry | undefined;

const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  [
    'message',
    (raw, place) => {
      const message = isRaw(raw.message) ? messageOf(raw.message, timeOf(place)) : undefined;
      return message === undefined ? undefined : { ...raw, type: 'message', ...place, message };
    },
  ],
  [
    'model_change',
    (raw, place) => {
      const { model, role, ...rest } = raw;
      const named = textOf(model);
      const slash = named.indexOf('/');
      return {
        ...rest,
        type: 'model_change',
        ...place,
        provider: textOf(raw.provider) || (slash === -1 ? '' : named.slice(0, slash)),
        modelId: textOf(raw.modelId) || named.slice(slash + 1),
        ...(typeof role === 'string' && role !== '' ? { role } : {}),
      };
    },
  ],
  [
    'thinking_level_change',
    (raw, place) => ({
      ...raw,
      type: 'thinking_level_change',
      ...place,
      thinkingLevel: textOf(raw.thinkingLevel) || 'off',
    }),
  ],
  [
    'compaction',
    ({ shortSummary, fromExtension: _, firstKeptEntryIndex: _index, ...raw }, place, meant) => ({
      ...raw,
      type: 'compaction',
      ...place,
      summary: textOf(raw.summary),
      ...(typeof shortSummary === 'string' ? { shortSummary } : {}),
      // Its own: it keeps nothing of what was before it.
      firstKeptEntryId: typeof raw.firstKeptEntryId === 'string' ? meant(raw.firstKeptEntryId) : place.id,
      tokensBefore: typeof raw.tokensBefore === 'number' ? raw.tokensBefore : 0,
      ...hook({ ...raw, fromExtension: _ }),
    }),
  ],
  [
    'branch_summary',
    ({ fromExtension, ...raw }, place, meant) => ({
      ...raw,
      type: 'branch_summary',
      ...place,
      fromId: typeof raw.fromId === 'string' ? meant(raw.fromId) : 'root',
      summary: textOf(raw.summary),
      ...hook({ ...raw, fromExtension }),
    }),
  ],
  [
    'context_edit',
    (raw, place, meant) => {
      if (typeof raw.targetId !== 'string') return undefined;
      const isHidden = raw.replacement === null;
      const replacement = isRaw(raw.replacement) ? messageOf(raw.replacement, timeOf(place)) : undefined;
      if (replacement === undefined && !isHidden) return undefined;
      return {
        ...raw,
        type: 'context_edit',
        ...place,
        targetId: meant(raw.targetId),
        replacement: replacement ?? null,
      };
    },
  ],
  [
    'custom',
    (raw, place) => ownOf(raw, place) ?? { ...raw, type: 'custom', ...place, customType: textOf(raw.customType) },
  ],
  [
    'custom_message',
    (raw, place) => {
      const customType = textOf(raw.customType);
      if (customType === fileMentionType && isRaw(raw.details) && Array.isArray(raw.details.files)) {
        const { timestamp, ...details } = raw.details;
        const time = typeof timestamp === 'number' ? timestamp : timeOf(place);
        return { type: 'message', ...place, message: mentionOf(details, time) };
      }
      return {
        ...raw,
        type: 'custom_message',
        ...place,
        customType,
        content: raw.content ?? [],
        display: raw.display !== false,
      };
    },
  ],
  [
    'label',
    ({ label, ...raw }, place, meant) =>
      typeof raw.targetId === 'string'
        ? {
            ...raw,
            type: 'label',
            ...place,
            targetId: meant(raw.targetId),
            ...(typeof label === 'string' && label !== '' ? { label } : {}),
          }
        : undefined,
  ],
  ['session_info', (raw, place) => ({ ...raw, type: 'session_info', ...place, name: textOf(raw.name) })],
  [
    'title_change',
    ({ title, ...raw }, place) =>
      typeof title === 'string' ? { ...raw, type: 'session_info', ...place, name: title } : undefined,
  ],
  ['mode_change', (raw, place) => ({ ...raw, type: 'mode_change', ...place, mode: textOf(raw.mode) || 'none' })],
  [
    'ttsr_injection',
    (raw, place) => ({ ...raw, type: 'ttsr_injection', ...place, injectedRules: textsOf(raw.injectedRules) }),
  ],
  [
    'session_init',
    (raw, place) => ({
      ...raw,
      type: 'session_init',
      ...place,
      systemPrompt: textOf(raw.systemPrompt),
      task: textOf(raw.task),
      tools: textsOf(raw.tools),
    }),
  ],
]);

/** What pi does not know kern writes as a custom entry of this name: `kern.mode_change`. */
function ownOf(raw: Raw, place: EntryPlace): SessionEntry | undefined {
  const customType = textOf(raw.customType);
  if (!own.has(customType) || !isRaw(raw.data)) return undefined;
  const type = customType.slice('kern.'.length);
  return readers.get(type)?.({ ...raw.data, type }, place, (id) => id);
}

const own: ReadonlySet<string> = new Set(['kern.mode_change', 'kern.ttsr_injection', 'kern.session_init']);

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function timeOf({ timestamp }: EntryPlace): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
