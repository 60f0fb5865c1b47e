/** The words of a line as a shell would part them: quotes hold together, a backslash takes the next one as it is. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const one = line.charAt(at);
    if (one === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== '') {
      if (one === quote) quote = '';
      else word = (word ?? '') + one;
    } else if (one === '"' || one === "'") {
      quote = one;
      word ??= '';
    } else if (/\s/.test(one)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + one;
  }
  return word === undefined ? words : [...words, word];
}
