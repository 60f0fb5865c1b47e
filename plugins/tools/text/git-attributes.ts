import { lstatSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { globMatcher } from './glob.ts';
import { smallFile } from './small-file.ts';

/** The line end that .gitattributes files of the repository demand of a file. */
export async function gitLineEnd(path: string): Promise<'\n' | '\r\n' | undefined> {
  const folders = foldersOfRepository(path);
  const attributes = new Map<string, string>();
  for (const folder of folders) {
    const text = await smallFile(join(folder, '.gitattributes'));
    if (text === undefined) continue;
    const name = relative(folder, path).split(sep).join('/');
    for (const line of text.split(/\r?\n/)) apply(line.trim(), name, attributes);
  }
  if (attributes.get('text') === 'false') return undefined;
  const eol = attributes.get('eol');
  return eol === 'crlf' ? '\r\n' : eol === 'lf' ? '\n' : undefined;
}

/** Later lines, and folders further down, have the last word. */
function apply(line: string, name: string, attributes: Map<string, string>): void {
  if (line === '' || line.startsWith('#') || line.startsWith('[')) return;
  const parts = /^(?:"((?:[^"\\]|\\.)*)"|(\S+))\s+(.*)$/.exec(line);
  const pattern = parts?.[1] ?? parts?.[2];
  if (pattern === undefined || globMatcher(pattern, false)?.test(name) !== true) return;
  for (const word of (parts?.[3] ?? '').split(/\s+/)) {
    const [, mark = '', key = '', value] = /^([-!]?)([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    if (mark === '!') attributes.delete(key);
    else attributes.set(key, mark === '-' ? 'false' : (value ?? 'true'));
    if (key === 'binary' && mark === '') attributes.set('text', 'false');
  }
}

/** From the top of the repository down to the folder of the file; none outside of one. */
function foldersOfRepository(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (isThere(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [];
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a part of it is not ours to look into
  }
}
