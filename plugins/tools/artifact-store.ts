import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from 'kern/plugin';
import type { ArtifactStore } from './contract.ts';

/** Folders for long outputs: beside a session's file, where they stay; without a session in `cache`, until `clear`. */
export function createArtifactStore(cache: () => string): ArtifactStore & { clear(): void } {
  let own: string | undefined;
  return {
    async folder(sessionFile) {
      if (sessionFile !== undefined) {
        const folder = sessionFile.replace(/\.[^./\\]+$/, '');
        makeFolderSync(folder, 0o700);
        return folder;
      }
      if (own === undefined) {
        makeFolderSync(cache(), 0o700);
        own = mkdtempSync(join(cache(), 'artifacts-'));
      }
      return own;
    },
    clear() {
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
      own = undefined;
    },
  };
}
