import { opendir } from 'node:fs/promises';
import { realPath, textResult } from 'kern/contracts';
import { type PageWanted, pageOf, type ReadResult } from './result.ts';

/** The names in a folder, sorted as people sort them. */
export async function readFolder(folder: string, wanted: PageWanted): Promise<ReadResult> {
  const names: string[] = [];
  for await (const entry of await opendir(folder))
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name);
  names.sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : a < b ? -1 : 1,
  );
  const details = { path: realPath(folder), kind: 'folder', size: names.length } as const;
  if (names.length === 0) return textResult('(empty folder)', { ...details, totalLines: 0, truncated: false });
  // A name may hold a newline; the list has to stay a list.
  const list = names.map((name) => name.replaceAll('\n', '\\n')).join('\n');
  return pageOf(list, { path: folder }, details, wanted, ['entry', 'entries']);
}
