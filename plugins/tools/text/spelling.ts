import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The path of what is there, where its name is spelled with other characters that look the same: accents as letters of
 * their own (macOS), typographic quotes, the narrow space before AM and PM in names of screenshots. Otherwise `path`.
 */
export function spelledAs(path: string): string {
  if (isThere(path)) return path;
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = spelledAs(parent);
  const name = basename(path);
  if (isThere(join(folder, name))) return join(folder, name);
  const same = namesIn(folder).filter((other) => plain(other) === plain(name));
  // Two that look the same: then nobody knows which was meant.
  return same.length === 1 && same[0] !== undefined ? join(folder, same[0]) : path;
}

const plain = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(/[\u201c\u201d]/g, '"')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, or not a folder
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a part of it is a file, or too long
  }
}
