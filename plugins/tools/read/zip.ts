import { formatBytes } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** The files of an Office document, none of them unpacked yet. */
export interface Zip {
  readonly names: readonly string[];
  /** A file of it as text, undefined if it is not there. */
  text(name: string): string | undefined;
  /** The same archive with only what `keep` names, unpacked and packed again: no part can be larger than it says. */
  only(keep: (name: string) => boolean): Uint8Array;
}

/** What may come out of an archive: a small one may hold terabytes of nothing. */
const unpackedLimit = 100 * 1024 * 1024;
const entriesLimit = 20_000;

/** Looks into a zip archive. What it unpacks is bounded, whatever the archive claims. */
export async function openZip(bytes: Uint8Array): Promise<Zip> {
  const { unzipSync, zipSync, strFromU8 } = await import('fflate');
  const sizes = new Map<string, number>();
  let unpacked = 0;
  /** An entry never gets more room than it says it needs, and what all say is counted. */
  const unpack = (keep: (name: string) => boolean): Record<string, Uint8Array> => {
    for (const [name, size] of sizes) if (keep(name)) unpacked += size;
    if (unpacked > unpackedLimit)
      throw new KernError('document_too_large', `it would unpack to more than ${formatBytes(unpackedLimit)}`);
    return guarded(() => unzipSync(bytes, { filter: ({ name }) => keep(name) }));
  };
  guarded(() =>
    unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (sizes.size >= entriesLimit)
          throw new KernError('document_too_large', `it holds more than ${entriesLimit} files`);
        sizes.set(name, originalSize);
        return false;
      },
    }),
  );
  return {
    names: [...sizes.keys()],
    text(name) {
      const found = sizes.has(name) ? unpack((other) => other === name)[name] : undefined;
      return found === undefined ? undefined : strFromU8(found);
    },
    only: (keep) => zipSync(unpack(keep), { level: 0 }),
  };
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof KernError) throw error;
    throw new KernError('document_damaged', 'its zip archive is damaged', { cause: error });
  }
}
