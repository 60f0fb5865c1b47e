import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The full path of a program, so that a session that breaks its PATH still has a shell. Undefined where there is none. */
export function programOnPath(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const names = process.platform === 'win32' ? [name, `${name}.exe`] : [name];
  const folders = isAbsolute(name) ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
