import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from 'kern/plugin';

const keptMs = 24 * 60 * 60 * 1000;

/**
 * The folder for long outputs of called tools. Every call is a run of its own, and its output is read when it has ended:
 * so it stays, and the next call knows it as `artifact://<number>`. What is a day old goes.
 */
export function outputFolder(home: string, now = Date.now()): string {
  const folder = path.join(home, 'cache', 'tool-calls');
  makeFolderSync(folder, 0o700);
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < now - keptMs) rmSync(file, { force: true });
  }
  return folder;
}
