import type { TextDialect } from './contract.ts';

/** Lines that other agents run before the model reads a text: `` !`git status` ``, blocks that begin with ```` ```! ````, Gemini's `!{…}`. */
export function shellLines(text: string, dialect: TextDialect = 'claude'): readonly string[] {
  // Codex and pi have no such thing; what looks like it may be an example.
  if (dialect === 'codex' || dialect === 'pi') return [];
  if (dialect === 'gemini') return braced(text);
  const blocks = Array.from(text.matchAll(/^[ \t]*```!([^\n]*)\n([\s\S]*?)^[ \t]*```/gm), ([, first = '', rest = '']) =>
    `${first}\n${rest}`.trim(),
  );
  const marked = Array.from(text.matchAll(/(?:^|[\s(>|:*-])!`([^`\n]+)`/gm), ([, line = '']) => line.trim());
  return [...marked, ...blocks].filter((line) => line !== '');
}

/** `!{…}` ends at the brace that closes it, others inside it counted. */
function braced(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf('!{'); at !== -1; at = text.indexOf('!{', at + 2)) {
    let open = 1;
    let end = at + 2;
    for (; end < text.length && open > 0; end += 1) {
      if (text[end] === '{') open += 1;
      else if (text[end] === '}') open -= 1;
    }
    const line = text.slice(at + 2, open === 0 ? end - 1 : end).trim();
    if (line !== '') found.push(line);
  }
  return found;
}
