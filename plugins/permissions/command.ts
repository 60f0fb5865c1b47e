/**
 * The words of a command line that is one plain command; undefined for everything else. Whatever a shell would expand,
 * chain, redirect or assign is not plain: a rule that allows must know every word that will run.
 */
export function plainWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      if (end === -1) return undefined;
      const inner = line.slice(at + 1, end);
      if (char === '"' && /[$`\\!]/.test(inner)) return undefined;
      word = (word ?? '') + inner;
      at = end;
    } else if (plain.test(char)) {
      word = (word ?? '') + char;
    } else {
      return undefined;
    }
  }
  if (word !== undefined) words.push(word);
  // `A=b command` runs the command in another environment.
  return words.length === 0 || words[0]?.includes('=') ? undefined : words;
}

const plain = /^[\p{L}\p{N}_./:@%+=,^-]$/u;

/**
 * Everything in a line that may be a command, as text, for rules that ask or deny: split wherever a shell could start
 * one, quotes and escapes taken away, words that only lead to another command left out. Too much rather than too little.
 */
export function possibleCommands(line: string): readonly string[] {
  const found = new Set<string>();
  for (const part of [line, ...line.split(/[;&|\n\r(){}`]|\$\(|[<>]\(/)]) {
    for (const text of [part, part.replace(/["'\\]/g, '')]) {
      let rest = text.replace(/\s+/g, ' ').trim();
      for (;;) {
        found.add(rest);
        const stripped = rest.replace(leading, '');
        if (stripped === rest) break;
        rest = stripped;
      }
    }
  }
  found.delete('');
  return [...found];
}

const leading =
  /^(?:[A-Za-z_]\w*=\S*|!|if|then|else|elif|while|until|do|time|exec|command|builtin|eval|nohup|sudo|doas|env|xargs|nice|setsid|stdbuf|timeout|-\S+|\d+[smh]?|(?:\S*\/)?(?:ba|z|da|k|a)?sh)(?: |$)/;
