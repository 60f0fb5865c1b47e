import type { SessionDiagnosis, SessionStorage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { ResolveBlob } from '../read/blob-references.ts';
import { SessionTree } from '../read/session-tree.ts';
import { diagnoseFile } from './diagnose.ts';

/**
 * Writes a sound copy of a file, which itself is not touched, and answers with what is to be said of the copy. What is
 * whole stays byte for byte; what is broken is kept in entries of its own. Throws `session_exists`, `session_unreadable`.
 */
export async function repairFile(
  storage: SessionStorage,
  file: string,
  to: string,
  options: { readonly resolveBlob?: ResolveBlob | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<SessionDiagnosis> {
  if ((await storage.size(to)) !== undefined) {
    throw new KernError('session_exists', `${to} is there already, and is not written over`, {
      hint: 'name a file that does not exist yet',
    });
  }
  const tree = await SessionTree.open(storage, file, { signal: options.signal, isThorough: true });
  await storage.replace(to, tree.mended());
  return diagnoseFile(storage, to, options);
}
