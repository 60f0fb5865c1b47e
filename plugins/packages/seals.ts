import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, writePrivate } from 'kern/plugin';
import { marksIn } from './content.ts';
import { isMap, type Locked, machine } from './lock.ts';

// Reading every file of every package at each start would take long. What the file system said of them when they were last
// read is kept in the cache of the person, where nobody else writes: while it says the same, they are the same.

const fileOf = (home: string): string => path.join(home, 'cache', 'packages.json');

export const modulesOf = ({ modules }: Locked): string | undefined => modules?.[machine];

const sealOf = (locked: Locked, marks: string): string => [locked.content, modulesOf(locked), marks].join(' ');

function known(home: string): Readonly<Record<string, unknown>> {
  try {
    if (lstatSync(fileOf(home)).size > 4 * 1_048_576) return {};
    const content: unknown = JSON.parse(readFileSync(fileOf(home), 'utf8'));
    return isMap(content) ? content : {};
  } catch {
    return {}; // not there, or half a file: everything is read once
  }
}

/** Whether its files are those that were read once, as far as the file system can tell. */
export async function isKnown(home: string, folder: string, locked: Locked): Promise<boolean> {
  const seal = known(home)[folder];
  return seal !== undefined && seal === sealOf(locked, await marksIn(folder));
}

/** Its files have been read, and are what the lock says. */
export async function remember(home: string, folder: string, locked: Locked): Promise<void> {
  const { [folder]: _, ...others } = known(home);
  const seal = sealOf(locked, await marksIn(folder));
  await makeFolder(path.dirname(fileOf(home)), 0o700);
  const kept = Object.entries(others).slice(-500);
  await writePrivate(fileOf(home), JSON.stringify(Object.fromEntries([...kept, [folder, seal]])));
}
