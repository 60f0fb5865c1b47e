/** What is wrong with a glob, at which place of it, and what may have been meant. */
export interface GlobError {
  readonly at: number;
  readonly why: string;
  readonly instead: string;
}

/** So many globs may be written as one, by braces. */
const mostAlternatives = 500;

/** Looks at every sign: what is not well-formed would fit nothing, which looks like an answer. */
export function globError(glob: string): GlobError | undefined {
  const braces: { readonly at: number; isEmpty: boolean }[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const sign = glob[at];
    const open = braces.at(-1);
    if (open !== undefined && at > open.at && sign !== '}') open.isEmpty = false;
    if (sign === '\\') {
      if (at + 1 === glob.length) return wrong(at, 'nothing follows this \\', 'Write \\\\ for the sign itself');
      if (glob[at + 1] === '/') return wrong(at, 'a / needs no \\', 'Leave it out');
      at += 1;
    } else if (sign === '[') {
      const read = readBrackets(glob, at);
      if ('why' in read) return read;
      at = read.end - 1;
    } else if (sign === '{') {
      braces.push({ at, isEmpty: true });
    } else if (sign === '}') {
      if (open === undefined) return wrong(at, 'this } closes nothing', 'Write \\} for the sign itself');
      if (open.isEmpty)
        return wrong(open.at, 'there is nothing in these braces', 'Write \\{\\} for the signs themselves');
      braces.pop();
    } else if (sign === '|') {
      return wrong(at, 'no glob has a |', 'Write {a,b} for alternatives, \\| for the sign itself');
    } else if (/^[@!?*+]\([^()]*\)/.test(glob.slice(at))) {
      return wrong(at, `${sign}(…) is not known here`, 'Write {a,b} for alternatives, \\( for the sign itself');
    } else if (at === 0 && sign === '!') {
      return wrong(at, 'a ! in front means nothing here', 'Write \\! for the sign itself');
    }
  }
  const open = braces[0];
  if (open !== undefined)
    return wrong(open.at, 'this { is not closed by }', 'Write \\{ for the sign itself, {a,b} for alternatives');
  return (expandBraces(glob) ?? []).length === 0
    ? wrong(glob.indexOf('{'), `this is more than ${mostAlternatives} globs`, 'Write fewer alternatives')
    : undefined;
}

const wrong = (at: number, why: string, instead: string): GlobError => ({ at, why, instead });

// --- Alternatives ------------------------------------------------------------------------------------------------

/** All globs that one with braces stands for; undefined where they are too many. */
export function expandBraces(glob: string): readonly string[] | undefined {
  const found = firstBraces(glob);
  if (found === undefined) return [glob];
  const { from, to, parts } = found;
  const rests = expandBraces(glob.slice(to));
  const middles = parts.map(expandBraces);
  if (rests === undefined || middles.includes(undefined)) return undefined;
  const inner = middles.flatMap((one) => one ?? []);
  if (inner.length * rests.length > mostAlternatives) return undefined;
  const start = glob.slice(0, from);
  return inner.flatMap((one) => rests.map((rest) => `${start}${one}${rest}`));
}

function firstBraces(glob: string): { from: number; to: number; parts: readonly string[] } | undefined {
  const from = nextOf(glob, 0, '{');
  if (from === undefined) return undefined;
  let depth = 0;
  let start = from + 1;
  const parts: string[] = [];
  for (let at: number | undefined = from; at !== undefined; at = nextOf(glob, at + 1, '{},')) {
    if (glob[at] === '{') depth += 1;
    if (glob[at] === '}') depth -= 1;
    if (depth > 1 || (depth === 1 && glob[at] !== ',')) continue;
    parts.push(glob.slice(start, at));
    start = at + 1;
    if (depth === 0) return { from, to: start, parts: parts.length === 1 ? rangeOf(parts[0] ?? '') : parts };
  }
  return undefined;
}

/** `1..10`, `a..f`. */
function rangeOf(text: string): readonly string[] {
  const found = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/.exec(text);
  if (found === null) return [text];
  const [, fromNumber, toNumber, ...letters] = found;
  const [fromLetter = '', toLetter = ''] = letters.filter((letter) => letter !== undefined);
  const isNumber = fromNumber !== undefined;
  const from = isNumber ? Number(fromNumber) : fromLetter.charCodeAt(0);
  const to = isNumber ? Number(toNumber) : toLetter.charCodeAt(0);
  const count = Math.min(Math.abs(to - from), mostAlternatives) + 1;
  const step = Math.sign(to - from);
  const padded = /^0\d/.test(fromNumber ?? '') ? (fromNumber ?? '').length : 0;
  const shown = (value: number): string =>
    isNumber ? String(value).padStart(padded, '0') : String.fromCharCode(value);
  return Array.from({ length: count }, (_, at) => shown(from + at * step));
}

/** A list of globs with commas between them; a comma within braces or brackets is none of those. */
export function splitGlobs(text: string): readonly string[] {
  const globs: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = nextOf(text, 0, '{},'); at !== undefined; at = nextOf(text, at + 1, '{},')) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (depth <= 0) {
      globs.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...globs, text.slice(start)]
    .map((glob, at) => (at === 0 ? glob : glob.trimStart()))
    .filter((glob) => glob !== '');
}

/** Where one of the signs stands next and means something: not after a backslash, not within brackets. */
function nextOf(glob: string, from: number, signs: string): number | undefined {
  for (let at = from; at < glob.length; at += 1) {
    if (glob[at] === '\\') at += 1;
    else if (glob[at] === '[') {
      const read = readBrackets(glob, at);
      if ('end' in read) at = read.end - 1;
    } else if (signs.includes(glob[at] ?? '')) return at;
  }
  return undefined;
}

// --- As an expression --------------------------------------------------------------------------------------------

/**
 * A glob without errors as a regular expression, for the flag u. What a star, or two, passes over ends at the first
 * place from which the glob can go on and is never looked at again: so no glob can be made to take for ever.
 */
export function globSource(glob: string): string {
  let groups = 0;
  const once = (before: string, rest: string): string => {
    groups += 1;
    return `(?=(?<g${groups}>${before}${rest}))\\k<g${groups}>`;
  };
  const part = (text: string): string => {
    // One star or several, within a part they are the same.
    const [first = '', ...others] = signsOf(text);
    const last = others.pop();
    if (last === undefined) return first;
    return `${first}${others.map((rest) => once('[^/]*?', rest)).join('')}[^/]*${last}`;
  };
  const path = (text: string): string => {
    const runs = text.split(/(?:^|(?<=\/))\*\*(?:\/\*\*)*(?:\/|$)/);
    const made = (run: string): string => run.replace(/\/$/, '').split('/').map(part).join('/');
    const [first = '', ...others] = runs;
    const last = others.pop();
    if (last === undefined) return made(first);
    const start = first === '' ? '' : `${made(first)}/`;
    const middle = others.map((run) => once('(?:[^/]+/)*?', `${made(run)}/`)).join('');
    return `${start}${middle}${last === '' ? '.+' : `(?:[^/]+/)*${made(last)}`}`;
  };
  const alternatives = (expandBraces(glob) ?? []).map(path);
  return `^(?:${alternatives.join('|')})$`;
}

/** Between the stars of a part, what has to be there. */
function signsOf(text: string): readonly string[] {
  const pieces = [''];
  const add = (expression: string): void => {
    pieces.push(`${pieces.pop() ?? ''}${expression}`);
  };
  for (let at = 0; at < text.length; ) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (sign === '*') {
      while (text[at + 1] === '*') at += 1;
      pieces.push('');
    } else if (sign === '[') {
      const read = readBrackets(text, at);
      if ('end' in read) {
        add(read.source);
        at = read.end;
        continue;
      }
    } else if (sign === '\\') {
      at += 1;
      const meant = String.fromCodePoint(text.codePointAt(at) ?? 0);
      add(escaped(meant));
      at += meant.length;
      continue;
    } else add(sign === '?' ? '[^/]' : escaped(sign));
    at += sign.length;
  }
  return pieces;
}

const classes: Readonly<Record<string, string>> = {
  alnum: '\\p{L}\\p{Nd}',
  alpha: '\\p{L}',
  blank: ' \\t',
  digit: '0-9',
  lower: '\\p{Ll}',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\s',
  upper: '\\p{Lu}',
  word: '\\p{L}\\p{Nd}_',
  xdigit: '0-9A-Fa-f',
};

type Brackets = { readonly end: number; readonly source: string };

/** One character of several, `[a-z]`. A `]` in front is one of them. A slash it never is. */
function readBrackets(glob: string, from: number): Brackets | GlobError {
  const isNegative = glob[from + 1] === '!' || glob[from + 1] === '^';
  const start = from + (isNegative ? 2 : 1);
  let source = '';
  let at = start;
  const take = (): string => {
    if (glob[at] === '\\') at += 1;
    const character = String.fromCodePoint(glob.codePointAt(at) ?? 0);
    at += character.length;
    return character;
  };
  while (at < glob.length && glob[at] !== '/') {
    if (glob[at] === ']' && at > start)
      return { end: at + 1, source: isNegative ? `[^\\/${source}]` : `(?!\\/)[${source}]` };
    const named = /^\[:(\w*):\]/.exec(glob.slice(at));
    if (named !== null) {
      const members = classes[named[1] ?? ''];
      if (members === undefined)
        return wrong(at, `there is no class ${named[0]}`, `Known are ${Object.keys(classes).join(', ')}`);
      source += members;
      at += named[0].length;
      continue;
    }
    const place = at;
    const first = take();
    if (glob[at] !== '-' || at + 1 >= glob.length || glob[at + 1] === ']') {
      source += member(first);
      continue;
    }
    at += 1;
    const last = take();
    if ((first.codePointAt(0) ?? 0) > (last.codePointAt(0) ?? 0))
      return wrong(place, `the range ${first}-${last} is the wrong way round`, `Write ${last}-${first}`);
    source += `${member(first)}-${member(last)}`;
  }
  return wrong(from, 'this [ is not closed by ]', 'Write \\[ for the sign itself');
}

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
const member = (character: string): string => (character === '-' ? '\\-' : escaped(character));
