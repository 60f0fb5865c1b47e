import { headerLine, type SessionStore, sessionEntryLine } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** The whole tree as a session file: what was damaged is mended, what lay beside is put back in. */
export function* jsonl(store: Pick<SessionStore, 'header' | 'nodes' | 'entry' | 'repairs'>): Generator<string> {
  const unknown = store.repairs.find(({ kind }) => kind === 'unknown-version');
  if (unknown !== undefined)
    throw new KernError('session_unreadable', `the session cannot be written as version 3: ${unknown.message}`, {
      hint: 'copy the file itself',
    });
  yield headerLine(store.header);
  for (const { id } of store.nodes()) {
    const entry = store.entry(id);
    if (entry !== undefined) yield sessionEntryLine(entry);
  }
}
