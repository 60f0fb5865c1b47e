import type { ForeignEntry, ImageContent, PinnedText, SessionEntry, Usage } from 'kern/contracts';
import { type FileLists, noFiles } from './files.ts';

/** What the person asked for in a run that a compaction divides: told again word for word until the run is over. */
export interface Requests {
  readonly texts: readonly string[];
  readonly images: readonly ImageContent[];
}

export const noRequests: Requests = { texts: [], images: [] };

/**
 * What kern keeps beside the summary of an entry, under `details.kern`: enough to go on from it at the next compaction,
 * and to undo it. The text of the entry itself is the summary with all that is pinned, so that pi reads that too; only
 * the images of `requests` are read from here.
 */
export interface KeptDetails {
  readonly strategy: string;
  /** Without what is pinned: the next summary goes on from this. */
  readonly summary: string;
  readonly pins: readonly PinnedText[];
  readonly requests: Requests;
  /** Edits of the context that belong to it. */
  readonly edits: readonly string[];
  /** What the summary took. */
  readonly usage: Usage;
}

/** In a `custom` entry: old results were left out, which was enough. */
export const prunedType = 'kern.pruned';
export interface PrunedData {
  readonly edits: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** With pi's names for the files, so that pi goes on from them; what a strategy or a plugin wants to keep stands beside. */
export function detailsOf(files: FileLists, kern: KeptDetails, more: unknown): object {
  return { ...(isRecord(more) ? more : {}), readFiles: files.read, modifiedFiles: files.changed, kern };
}

export interface Previous {
  readonly summary: string | undefined;
  readonly files: FileLists;
  readonly requests: Requests;
}

export const noPrevious: Previous = { summary: undefined, files: noFiles, requests: noRequests };

/** What the compaction that is in force says, whoever wrote it. A file may hold anything: each thing is looked at. */
export function previousOf(entry: SessionEntry | ForeignEntry | undefined): Previous {
  if (entry?.type !== 'compaction') return noPrevious;
  const details = isRecord(entry.details) ? entry.details : {};
  const own = isRecord(details.kern) ? details.kern : {};
  const asked = isRecord(own.requests) ? own.requests : {};
  return {
    summary: typeof own.summary === 'string' ? own.summary : entry.summary,
    files: { read: texts(details.readFiles), changed: texts(details.modifiedFiles) },
    requests: { texts: texts(asked.texts), images: Array.isArray(asked.images) ? asked.images.filter(isImage) : [] },
  };
}

/** The edits of the context that belong to a compaction. */
export function editsIn(details: unknown): readonly string[] {
  return isRecord(details) && isRecord(details.kern) ? texts(details.kern.edits) : [];
}

export function prunedIn(data: unknown): readonly string[] {
  return isRecord(data) ? texts(data.edits) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isImage(value: unknown): value is ImageContent {
  return (
    isRecord(value) && value.type === 'image' && typeof value.data === 'string' && typeof value.mimeType === 'string'
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
