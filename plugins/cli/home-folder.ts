import { mkdtempSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { View } from 'kern/plugin';

/**
 * The home folder holds everything a person has: an agent does not work there by accident. Answers with the temporary
 * folder that takes its place, and says so; undefined where kern stays.
 */
export function placeOutsideHome(
  cwd: string,
  view: View,
  outside: { readonly stderr: NodeJS.WriteStream; readonly env: Readonly<Record<string, string | undefined>> },
): string | undefined {
  if (view.setting('startup.autoChdir') === false) return undefined;
  if (real(cwd) !== real(outside.env.HOME ?? homedir())) return undefined;
  const place = mkdtempSync(path.join(realpathSync(tmpdir()), 'kern-'));
  outside.stderr.write(
    `kern: ${cwd} is your home folder, so this runs in ${place}.\n` +
      '  To work in the home folder: --allow-home, --cwd, or `kern config set startup.autoChdir false`.\n',
  );
  return place;
}

function real(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder); // not there: its name is all there is
  }
}
