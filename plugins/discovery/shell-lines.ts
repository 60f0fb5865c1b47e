import type { TextDialect } from './contract.ts';

/** A line of a text that other agents run before the model reads it, and where it stands with its marks. */
export interface ShellLine {
  readonly start: number;
  readonly end: number;
  readonly line: string;
  /** Its end is not there: nobody can tell what it was to be. */
  readonly isOpen?: true;
}

/** What of a text would run: `` !`git status` ``, blocks that begin with ```` ```! ````, Gemini's `!{…}`; as it is written there. */
export function shellLines(text: string, dialect?: TextDialect): readonly string[] {
  return shellLinesIn(text, dialect).map(({ line }) => line);
}

/** The same with their places, in no order. */
export function shellLinesIn(text: string, dialect: TextDialect = 'claude'): readonly ShellLine[] {
  // Codex and pi have no such thing; what looks like it may be an example.
  if (dialect === 'codex' || dialect === 'pi') return [];
  if (dialect === 'gemini') return braced(text);
  const blocks = Array.from(text.matchAll(/^[ \t]*```!([^\n]*)\n([\s\S]*?)^[ \t]*```/gm), (found): ShellLine => {
    const [whole, first = '', rest = ''] = found;
    return { start: found.index, end: found.index + whole.length, line: `${first}\n${rest}`.trim() };
  });
  const marked = Array.from(text.matchAll(/(?:^|[\s(>|:*-])!`([^`\n]+)`/gm), (found): ShellLine => {
    const [whole, line = ''] = found;
    const end = found.index + whole.length;
    return { start: end - line.length - 3, end, line: line.trim() };
  });
  // What stands in a block is a part of it.
  const alone = marked.filter((one) => !blocks.some(({ start, end }) => one.start >= start && one.end <= end));
  return [...alone, ...blocks].filter(({ line }) => line !== '');
}

/** `!{…}` ends at the brace that closes it, others inside it counted. */
function braced(text: string): readonly ShellLine[] {
  const found: ShellLine[] = [];
  let end = 0;
  for (let start = text.indexOf('!{'); start !== -1; start = text.indexOf('!{', end)) {
    let open = 1;
    for (end = start + 2; end < text.length && open > 0; end += 1) {
      if (text[end] === '{') open += 1;
      else if (text[end] === '}') open -= 1;
    }
    const line = text.slice(start + 2, open === 0 ? end - 1 : end).trim();
    if (line !== '') found.push({ start, end, line, ...(open === 0 ? {} : { isOpen: true }) });
  }
  return found;
}
