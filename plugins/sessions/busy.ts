import type { SessionBusy, SessionLock, SessionOwner, SessionStorage } from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';

/** What came of asking for a session: a lock, another owner, or neither, where nothing can be written. */
export interface Asked {
  readonly lock?: SessionLock;
  readonly owner?: SessionOwner;
  /** It was taken over from this one. */
  readonly from?: SessionOwner;
}

/** Where nothing can be written there is no lock: the session is opened, and what is said in it is told to be in memory only. */
export async function askFor(storage: SessionStorage, path: string): Promise<Asked> {
  if (storage.lock === undefined) return {};
  try {
    const taken = await storage.lock(path);
    return taken.lock === undefined ? { owner: taken.owner } : taken;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return {};
    throw error;
  }
}

/** How a store tells of it. */
export function told({ owner, from }: Asked): { readonly busy?: SessionBusy; readonly readonly?: string } {
  if (owner !== undefined) return { busy: { owner, as: 'readonly' }, readonly: `${whoIs(owner)} has it open` };
  return from === undefined ? {} : { busy: { owner: from, as: 'takeover' } };
}

export function busyError(path: string, owner: SessionOwner): KernError {
  return new KernError('session_busy', `${path} is open: ${whoIs(owner)} writes it`, {
    hint: 'end that one, or go on in a copy: kern --fork',
  });
}

const whoIs = ({ pid, host, since }: SessionOwner): string =>
  pid > 0 ? `process ${pid} on ${host} (since ${since})` : `a process that has just begun (${since})`;
