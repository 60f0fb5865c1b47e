import { dirname, join, relative, sep } from 'node:path';
import { globMatcher } from './glob.ts';
import { smallFile } from './small-file.ts';

/** What .editorconfig files say about a file, the nearest last word first. Only what matters for writing one. */
export async function editorConfigOf(path: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const text = await smallFile(join(folder, '.editorconfig'));
    const own = text === undefined ? undefined : parsed(text, relative(folder, path).split(sep).join('/'));
    for (const [key, value] of own?.values ?? []) if (!found.has(key)) found.set(key, value);
    if (own?.isRoot === true || dirname(folder) === folder) break;
  }
  for (const [key, value] of found) if (value === 'unset') found.delete(key);
  return found;
}

function parsed(
  text: string,
  name: string,
): { readonly isRoot: boolean; readonly values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>();
  let isRoot = false;
  let applies: boolean | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const section = /^\s*\[(.+)\]\s*(?:[#;].*)?$/.exec(line)?.[1];
    if (section !== undefined) {
      applies = globMatcher(section, true)?.test(name) ?? false;
      continue;
    }
    const pair = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*(?:\s[#;].*)?$/.exec(line);
    const [key, value] = [pair?.[1]?.toLowerCase(), pair?.[2]?.toLowerCase()];
    if (key === undefined || value === undefined) continue;
    if (applies === undefined) isRoot ||= key === 'root' && value === 'true';
    else if (applies) values.set(key, value);
  }
  return { isRoot, values };
}
