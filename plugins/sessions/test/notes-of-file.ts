import { readFileSync } from 'node:fs';

/** The notes of a file, `name n id` each in its order, and how many of its lines are none that are whole. */
export function notesOfFile(file: string): { readonly notes: readonly string[]; readonly broken: number } {
  const notes: string[] = [];
  let broken = 0;
  const text = readFileSync(file, 'utf8');
  for (const line of text.replace(/\n$/, '').split('\n')) {
    try {
      const { customType, data, id } = JSON.parse(line);
      if (customType === 'note') notes.push(`${data.split(' ', 2).join(' ')} ${id}`);
    } catch {
      broken += 1;
    }
  }
  return { notes, broken };
}
