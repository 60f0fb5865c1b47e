import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KernError } from 'kern/plugin';
import { unpack } from '../tar.ts';

/** A tarball, unpacked for as long as it is looked at. */
export interface Unpacked extends AsyncDisposable {
  readonly folder: string;
  /** A path in the folder, or a text that names one, by the tarball: the folder is gone when it is read. */
  named(text: string): string;
}

export const isArchive = (file: string): boolean => /\.(?:tgz|tar\.gz|tar)$/i.test(file);

/** Unpacks a tarball into a folder of its own. Throws `usage` where it is none of a package. */
export async function unpacked(archive: string): Promise<Unpacked> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'kern-lint-')));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await unpack(await readFile(archive), folder, { strip: true });
  } catch (error) {
    await remove();
    if (!(error instanceof KernError)) throw error;
    throw new KernError('usage', `${archive}: ${error.message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
  return { folder, named: (text) => text.replaceAll(folder, archive), [Symbol.asyncDispose]: remove };
}
