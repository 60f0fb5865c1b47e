import type { LineEdit } from './hash-lines.ts';
import { tagOf } from './hash-lines.ts';
import type { Run } from './seen.ts';

const named = /^\s*[+>]*\s*(\d+)\s*#\s*([ZPMQVRWSNKTXJBYH]{2}):/;

/**
 * An edit whose new lines all begin with what looks like names of lines. If one of them is the name of a line that was
 * shown, they were copied, and go. If none is, nobody can tell whether they are part of the text: that is asked, in the
 * answer, instead of guessed.
 */
export function withoutNames(edit: LineEdit, runs: readonly Run[]): LineEdit | string {
  const filled = edit.lines.filter((line) => line.trim() !== '');
  const names = filled.flatMap((line) => {
    const found = named.exec(line);
    return found === null ? [] : [{ line: Number(found[1]), tag: found[2] }];
  });
  const [first] = names;
  if (first === undefined || names.length < filled.length) return edit;
  const wasShown = names.some(({ line, tag }) => {
    const run = runs.find(({ from, lines }) => line >= from && line < from + lines.length);
    return run !== undefined && tag === tagOf(run.lines[line - run.from] ?? '', line);
  });
  if (wasShown) return { ...edit, lines: edit.lines.map((line) => line.replace(named, '')) };
  return `content begins with ${first.line}#${first.tag}:, which looks like the name of a line and is none that was shown. Give the lines without names; if it is part of the text, edit with {oldText, newText} in the place of {loc, content}.`;
}
