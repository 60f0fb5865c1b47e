import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from 'kern/plugin';

/** A new file for a long output, open for writing. Whoever asked for it closes it. */
export interface Artifact {
  /** Its number in the folder. */
  readonly id: string;
  readonly path: string;
  readonly fd: number;
}

/** Makes the next file of a folder of artifacts: `3.bash.log`. */
export function newArtifact(folder: string, kind: string): Artifact {
  const numbers = readdirSync(folder).flatMap((name) => (/^\d+\./.test(name) ? [Number.parseInt(name, 10)] : []));
  for (let number = Math.max(0, ...numbers) + 1; ; number += 1) {
    const path = join(folder, `${number}.${kind}`);
    try {
      return { id: String(number), path, fd: openSync(path, 'wx', 0o600) };
    } catch (error) {
      // Another call of the same batch was quicker: the next number is ours.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Keeps a text, or bytes, that is too long for a result: the next file of a folder of artifacts. */
export function saveArtifact(folder: string, kind: string, content: string | Uint8Array): Omit<Artifact, 'fd'> {
  const { fd, ...saved } = newArtifact(folder, kind);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
  return saved;
}
