import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ForeignEntry, ImportedEntry, ImportedSession, NewEntry, SessionEntry } from 'kern/contracts';
import { fileStorage } from '../file-storage.ts';
import { SessionTree } from '../read/session-tree.ts';

/** A session of pi or oh-my-pi with all its branches, whatever is damaged in it. */
export async function readPi(file: string, signal: AbortSignal): Promise<ImportedSession> {
  const tree = await SessionTree.open(fileStorage(new Map()), file, {
    signal,
    resolveBlob: (sha256) => blobBeside(file, sha256),
  });
  const { id, cwd, timestamp } = tree.header;
  const artifacts = file.replace(/\.jsonl$/, '');
  const hasArtifacts = artifacts !== file && statSync(artifacts, { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    id,
    cwd,
    timestamp,
    ...(tree.name === undefined ? {} : { name: tree.name }),
    entries: entriesOf(tree),
    ...(tree.leaf === null ? {} : { leaf: tree.leaf }),
    ...(hasArtifacts ? { artifacts } : {}),
    warnings: tree.repairs.map(({ line, message }) => `line ${line}: ${message}`),
  };
}

function* entriesOf(tree: SessionTree): Generator<ImportedEntry> {
  for (const { id } of tree.nodes()) {
    const entry = tree.entry(id);
    if (entry !== undefined) yield { id, after: entry.parentId, timestamp: entry.timestamp, entry: unplaced(entry) };
  }
}

function unplaced(entry: SessionEntry | ForeignEntry): NewEntry | Omit<ForeignEntry, 'id' | 'parentId' | 'timestamp'> {
  const { id: _, parentId: _parent, timestamp: _time, ...rest } = entry;
  return rest;
}

/** oh-my-pi keeps images beside its sessions: `<agent>/sessions/<cwd>/<file>`, `<agent>/blobs/<hash>`. */
function blobBeside(file: string, sha256: string): Uint8Array | undefined {
  try {
    return readFileSync(join(dirname(file), '..', '..', 'blobs', sha256));
  } catch {
    // The reference stays, and is told.
    return undefined;
  }
}
