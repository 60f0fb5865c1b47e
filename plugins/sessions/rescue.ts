import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SessionStore } from 'kern/contracts';
import { entryLine, headerLine } from './dialect.ts';
import { replaceFile } from './file-storage.ts';

/** Writes all of a session to a place where there is room for it; undefined where there is none. What lay in blobs is in it. */
export async function rescueCopy(
  store: Pick<SessionStore, 'header' | 'nodes' | 'entry'>,
  file: string,
  home: string,
): Promise<string | undefined> {
  const folders = [() => join(home, 'rescue'), () => mkdtempSync(join(tmpdir(), 'kern-rescue-'))];
  for (const folder of folders) {
    try {
      const copy = join(folder(), basename(file));
      await replaceFile(copy, linesOf(store));
      return copy;
    } catch {
      // There is no room here either.
    }
  }
  return undefined;
}

function* linesOf(store: Pick<SessionStore, 'header' | 'nodes' | 'entry'>): Generator<string> {
  yield headerLine(store.header);
  for (const { id } of store.nodes()) {
    const kept = readable(() => store.entry(id));
    if (kept !== undefined) yield entryLine(kept);
  }
}

/** An entry whose file is gone is lost; the others need not be. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
