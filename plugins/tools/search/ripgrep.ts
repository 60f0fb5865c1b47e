import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, normalize } from 'node:path';

/**
 * A ripgrep to search with, never one that has to be fetched first: the one a setting names, else the one in PATH,
 * else the one that came with kern's packages. `false`: none of them.
 */
export async function findRipgrep(setting?: string | false): Promise<string | undefined> {
  if (setting === false) return undefined;
  if (setting !== undefined && isProgram(setting)) return setting;
  return inPath(process.env.PATH ?? '') ?? (await inPackages());
}

/** Whether a setting names a program: a wrong one is passed over, and whoever owns the setting is told. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isAbsolute(path) && statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a project may have put in PATH, by a relative folder or its own node_modules, is not run. */
function inPath(path: string): string | undefined {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin$/.test(normalize(join(folder, '.'))))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

async function inPackages(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return isProgram(rgPath) ? rgPath : undefined;
  } catch {
    // The package has no binary for this system.
    return undefined;
  }
}
