const longest = 80;

/** A text as the name of a session: one line, at most 80 characters, nothing that a terminal obeys; undefined when nothing is left. */
export function asTitle(text: string): string | undefined {
  const said = text.toWellFormed().replace(/<think(ing)?>[\s\S]*?<\/think(ing)?>/g, '');
  const line = said.split(/[\r\n\u2028\u2029]+/).find((part) => plain(part) !== '');
  const title = plain(line ?? '');
  return title === '' ? undefined : shortened(title);
}

/** Most titles are this, and the sets of all signs of Unicode take a moment to be made. */
const isSimple = /^[ -~]*$/;

function plain(line: string): string {
  return (isSimple.test(line) ? line : line.replace(obeyed(), ' '))
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('**', '')
    .replace(/^(#+ |title: ?|[-*] )+/i, '')
    .replace(/^["'`*_“”‘’«»\s]+|["'`*_“”‘’«»\s]+$/gu, '')
    .replace(/(?<!\.)\.$/, '')
    .trim();
}

/** What a terminal obeys, or does not show. */
function obeyed(): RegExp {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)?|\p{Cc}|(?!\u200d)\p{Cf}/gu;
}

/** Cut between words where that leaves most of it, never inside a character. */
function shortened(title: string): string {
  const characters = Array.from(title);
  if (characters.length <= longest) return title;
  const cut = characters.slice(0, longest - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
