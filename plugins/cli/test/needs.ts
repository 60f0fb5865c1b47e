import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { addNote } from './notes.ts';

/** Whether tests that need a program have to be skipped, and what to add to their names. */
export interface Need {
  readonly skip: boolean;
  readonly name: string;
}

/**
 * A program that tests cannot do without. Where it is missing they are skipped by name, and in CI the run fails:
 * ```ts
 * const rg = needs('rg', 'ripgrep');
 * test.skipIf(rg.skip)(`finds a word in a thousand files${rg.name}`, …);
 * ```
 */
export function needs(program: string, debianPackage: string): Need {
  if (isOnPath(program)) return { skip: false, name: '' };
  addNote({ kind: 'missing', program, debianPackage, file: expect.getState().testPath ?? 'a test' });
  return { skip: true, name: ` (needs ${program}, Debian package ${debianPackage})` };
}

function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => isExecutable(path.join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not in this folder
  }
}
