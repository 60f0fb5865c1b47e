import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type FileStore, missingFolders, removeFolders } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';
import type { Staged } from './stage.ts';

/** Writes what was staged: all files, or, if one cannot be written, none. Answers with the paths that were written. */
export async function commit(
  staged: readonly Staged[],
  files: FileStore,
  checkAbort: () => void,
): Promise<readonly string[]> {
  const undo: { readonly what: string; run(): Promise<unknown> }[] = [];
  const written: string[] = [];
  const gone: string[] = [];
  try {
    // What can be put back most easily comes first, and what is lost only at the very end.
    for (const file of [...staged].sort((a, b) => order[a.op] - order[b.op])) {
      checkAbort();
      await (file.op === 'delete' ? setAside(file) : put(file));
    }
  } catch (error) {
    const left = await undone(undo);
    if (left.length === 0 && staged.length === 1) throw error;
    throw new KernError(
      'edit_not_written',
      `${messageOf(error)}. ${left.length === 0 ? 'No file was changed' : `These could not be put back as they were: ${left.join('; ')}`}`,
      { cause: error, hint: left.length === 0 ? 'Everything is as it was.' : 'Look at them before anything else.' },
    );
  }
  for (const path of gone) await files.remove(path);
  return written;

  async function put({ op, path, absolute, moveTo, before, after }: Staged): Promise<void> {
    const target = moveTo?.absolute ?? absolute;
    const folders = missingFolders(target);
    undo.push({ what: `folders made for ${path}`, run: () => removeFolders(folders) });
    if (moveTo !== undefined) {
      await files.move(absolute, moveTo.absolute);
      undo.push({ what: `${moveTo.path} is still renamed`, run: () => files.move(moveTo.absolute, absolute) });
      written.push(absolute);
    }
    if (after !== undefined && (before === undefined || !after.equals(before))) {
      const done = await files.replace(target, after);
      undo.push({
        what: `${path} ${op === 'create' ? 'was made' : 'is still changed'}`,
        run: () => (before === undefined ? files.remove(target) : files.replace(target, before)),
      });
      written.push(done.path);
    }
    written.push(target);
  }

  /** Its name goes at once, itself only when nothing can fail any more. */
  async function setAside({ path, absolute }: Staged): Promise<void> {
    const aside = join(
      dirname(absolute),
      `.${basename(absolute).slice(0, 80)}.${randomBytes(4).toString('hex')}.kern-tmp`,
    );
    await files.move(absolute, aside);
    undo.push({ what: `${path} is at ${aside}`, run: () => files.move(aside, absolute) });
    gone.push(aside);
    written.push(absolute);
  }
}

const order = { update: 0, create: 1, delete: 2 } as const;

/** Puts everything back, last first; answers with what could not be. */
async function undone(
  steps: readonly { readonly what: string; run(): Promise<unknown> }[],
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { what, run } of steps.toReversed()) {
    try {
      await run();
    } catch (error) {
      left.push(`${what} (${messageOf(error)})`);
    }
  }
  return left;
}
