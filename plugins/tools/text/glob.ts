/**
 * The names that a pattern of .editorconfig or .gitattributes means, as a regular expression over paths below the
 * folder of that file. A pattern with so many stars that matching could take for ever means nothing.
 */
export function globMatcher(pattern: string, braces: boolean): RegExp | undefined {
  const plain = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  if (plain.length > 300 || plain.replaceAll(/\*+/g, '*').split('*').length > 8) return undefined;
  const anywhere = pattern.includes('/') ? '' : '(?:.*/)?';
  try {
    return new RegExp(`^${anywhere}${expression(plain, braces)}$`, 's');
  } catch {
    return undefined; // brackets that do not close, a range that runs backwards
  }
}

function expression(pattern: string, braces: boolean): string {
  let made = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    if (letter === '\\' && at + 1 < pattern.length) {
      at += 1;
      made += escaped(pattern[at] ?? '');
    } else if (letter === '*') {
      const isDeep = pattern[at + 1] === '*';
      while (pattern[at + 1] === '*') at += 1;
      if (isDeep && pattern[at + 1] === '/') {
        at += 1;
        made += '(?:.*/)?';
      } else made += isDeep ? '.*' : '[^/]*';
    } else if (letter === '?') {
      made += '[^/]';
    } else if (letter === '[' && pattern.indexOf(']', at + 2) !== -1) {
      const end = pattern.indexOf(']', at + 2);
      const inside = pattern
        .slice(at + 1, end)
        .replaceAll('\\', '\\\\')
        .replaceAll('[', '\\[');
      made += `[${inside.replace(/^[!^]/, '^')}]`;
      at = end;
    } else if (braces && letter === '{') {
      const numbers = /^\{([+-]?\d{1,9})\.\.([+-]?\d{1,9})\}/.exec(pattern.slice(at));
      if (numbers !== null) {
        made += '[+-]?\\d+';
        at += numbers[0].length - 1;
      } else if (hasAlternatives(pattern, at)) {
        depth += 1;
        made += '(?:';
      } else made += '\\{';
    } else if (depth > 0 && letter === ',') {
      made += '|';
    } else if (depth > 0 && letter === '}') {
      depth -= 1;
      made += ')';
    } else made += escaped(letter);
  }
  return made + ')'.repeat(depth);
}

/** `{single}` is no choice but a name with braces. */
function hasAlternatives(pattern: string, start: number): boolean {
  const end = pattern.indexOf('}', start);
  return end !== -1 && pattern.slice(start, end).includes(',');
}

const escaped = (letter: string): string => letter.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
