/** In which quotes of a shell a place of a line stands. */
type Quotes = 'none' | 'single' | 'double';

const reserved: ReadonlySet<string> = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc eval exec'.split(' '),
);

/** It means itself to any shell, wherever it stands. */
export const isPlainText = (text: string): boolean => /^[\w./:@%+,-]*$/.test(text) && !reserved.has(text);

/**
 * Whether it can be told what is quoted in a line, and nothing in it takes a word for syntax once more: another shell that
 * is given a text, arithmetic, a text that begins with `<<`.
 */
export function isClearShell(line: string): boolean {
  return !unclear.some((part) => part.test(line));
}

const start = String.raw`(?:^|[;&|({\n])\s*(?:(?:\w+=\S*|command|builtin|exec|env|sudo|nohup|time|then|do|else|if|while|until|!)\s+)*`;

const unclear: readonly RegExp[] = [
  // Commands in backticks, here-documents, other kinds of quotes, variables that are more than a name.
  /`|<<|\$['"]|\$\{(?!\w+\})/,
  // Arithmetic and conditions look for commands in what they are given.
  /\(\(|\[\[|\$\[|(?:\[|\btest)\s[^\]]*-v\s/,
  // A comment ends where a word has a line of its own.
  /(?:^|[\s;&|()])#/,
  // They read a text as commands, or a name with what stands in brackets behind it.
  new RegExp(
    `${start}(?:eval|let|declare|typeset|local|readonly|export|trap|source|\\.|alias|unset|read|printf\\s+-v|ssh|su|xargs|parallel|watch)(?:\\s|$)`,
  ),
  /(?:^|[\s;&|()/])(?:ba|z|da|k|a|c|tc|fi)?sh\s+(?:\S+\s+)*?-\w*c\b/,
  /\b(?:python[\d.]*|node|perl|ruby|php)\s+(?:\S+\s+)*?-\w*[cerp]\b/,
];

/** The quotes around a place; undefined where that is not sure. */
export function quotesAt(line: string, place: number): Quotes | undefined {
  let quotes: Quotes = 'none';
  for (let at = 0; at < place; at += 1) {
    const one = line.charAt(at);
    if (quotes === 'single') {
      if (one === "'") quotes = 'none';
    } else if (one === '\\') {
      at += 1;
      // A backslash before the place would take the quote that is put there.
      if (at >= place) return undefined;
    } else if (one === '"') {
      quotes = quotes === 'double' ? 'none' : 'double';
    } else if (quotes === 'double') {
      // What stands in `$(…)` has quotes of its own.
      if (one === '$' && line.charAt(at + 1) === '(') return undefined;
    } else if (one === "'") {
      quotes = 'single';
    }
  }
  // `$'…'` is another kind of quotes.
  return quotes === 'none' && line.charAt(place - 1) === '$' ? undefined : quotes;
}

/** What is put into a line: several words, or where that is within quotes their one text. */
export function asWords(words: readonly string[], text: string, quotes: Quotes): string {
  if (quotes === 'none') return words.map(quoted).join(' ');
  return quotes === 'single' ? escaped(text) : `"${quoted(text)}"`;
}

const escaped = (text: string): string => text.replaceAll("'", "'\\''");
const quoted = (text: string): string => (isPlainText(text) && text !== '' ? text : `'${escaped(text)}'`);
