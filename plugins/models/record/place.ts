import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { KernError } from 'kern/plugin';
import { firstWords } from './written.ts';

/** A recording may take the place of a recording, and of nothing else. */
export function assertFree(file: string, shown: string): void {
  if (shown.trim() === '') throw wrong('--record needs the name of a file');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    if (statSync(path.dirname(file), { throwIfNoEntry: false })?.isDirectory() === true) return;
    throw wrong(`--record ${shown}: the folder ${path.dirname(file)} is not there`);
  }
  if (!found.isFile()) throw wrong(`--record ${shown}: this is no file`);
  if (found.size > 0 && beginningOf(file) !== firstWords)
    throw wrong(
      `--record ${shown}: the file is there, and it is no recording`,
      'give another name, or remove it first',
    );
}

function beginningOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Buffer.byteLength(firstWords));
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(handle);
  }
}

function wrong(message: string, hint?: string): KernError {
  return new KernError('usage', message, hint === undefined ? {} : { hint });
}
