import { appendFileSync, readFileSync, rmSync } from 'node:fs';

/** What a test file has to tell the reporter, which runs in another process. */
export type Note =
  | { readonly kind: 'missing'; readonly program: string; readonly debianPackage: string; readonly file: string }
  | { readonly kind: 'seed'; readonly file: string };

const variable = 'KERN_TEST_NOTES';

export function addNote(note: Note): void {
  const file = process.env[variable];
  if (file) appendFileSync(file, `${JSON.stringify(note)}\n`);
}

/** The notes of a run, each once; the file goes away. */
export function takeNotes(file: string): readonly Note[] {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // nobody wrote any
  }
  rmSync(file);
  const lines = new Set(text.split('\n').filter((line) => line !== ''));
  return [...lines].map((line) => JSON.parse(line) as Note);
}
