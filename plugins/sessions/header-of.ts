import type { SessionStorage } from 'kern/contracts';

/** Enough for what programs write before the first entry. */
const headBytes = 16 * 1024;

/** Id and working directory of a session, from the beginning of its file; undefined for what does not say. */
export function headerOf(
  storage: Pick<SessionStorage, 'readSync'>,
  path: string,
): { readonly id: string; readonly cwd: string } | undefined {
  for (const line of linesOf(storage, path)) {
    try {
      const { type, id, cwd } = JSON.parse(line);
      if (type === 'session' && typeof id === 'string') return { id, cwd: typeof cwd === 'string' ? cwd : '' };
    } catch {
      // Not a whole line, or not one of ours.
    }
  }
  return undefined;
}

function linesOf(storage: Pick<SessionStorage, 'readSync'>, path: string): readonly string[] {
  try {
    const bytes = storage.readSync(path, 0, headBytes);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').split('\n');
  } catch {
    // Gone meanwhile, or another user's.
    return [];
  }
}
