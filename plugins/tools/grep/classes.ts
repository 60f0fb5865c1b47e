import { escaped, type Mode, PatternError, type Reader } from './reader.ts';

/** Of a class in brackets: as ripgrep and as JavaScript (flag v) take it. */
export interface Piece {
  readonly rust: string;
  readonly script: (mode: Mode) => string;
}

const wordClass = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

const shorthands: Readonly<Record<string, (mode: Mode) => string>> = {
  d: (mode) => (mode.unicode ? '\\p{Nd}' : '[0-9]'),
  D: (mode) => (mode.unicode ? '\\P{Nd}' : '[^0-9]'),
  w: (mode) => (mode.unicode ? wordClass : '\\w'),
  W: (mode) => (mode.unicode ? `[^${wordClass}]` : '\\W'),
  s: (mode) => (mode.unicode ? '\\p{White_Space}' : '[\\t-\\r\\u{20}]'),
  S: (mode) => (mode.unicode ? '\\P{White_Space}' : '[^\\t-\\r\\u{20}]'),
};

const wordEdge = (mode: Mode): string =>
  mode.unicode ? `(?:(?<=${wordClass})(?!${wordClass})|(?<!${wordClass})(?=${wordClass}))` : '\\b';
const noWordEdge = (mode: Mode): string =>
  mode.unicode ? `(?:(?<=${wordClass})(?=${wordClass})|(?<!${wordClass})(?!${wordClass}))` : '\\B';

/** `\b` and its like, which stand for a place and not for a character. */
export const places: Readonly<Record<string, Piece>> = {
  b: { rust: '\\b', script: wordEdge },
  B: { rust: '\\B', script: noWordEdge },
  '<': { rust: '\\b', script: wordEdge },
  '>': { rust: '\\b', script: wordEdge },
  A: { rust: '^', script: lineStart },
  z: { rust: '$', script: lineEnd },
  Z: { rust: '$', script: lineEnd },
};

/**
 * Where a text of many lines is searched, an anchor of JavaScript would mean its ends, or know other line ends. What
 * must not be there is no way to say it: between the halves of a pair V8 finds nothing on either side.
 */
export function lineStart({ text }: Mode): string {
  return text === 'line' ? '^' : '(?<=^|\\n)';
}
export function lineEnd({ text }: Mode): string {
  return text === 'line' ? '$' : '(?=\\n|$)';
}

/** What is a class in brackets, or stands for one: among lines it is never their end. */
export function withinLine({ rust, script }: Piece): Piece {
  return { rust, script: (mode) => (mode.text === 'lines' ? `[${script(mode)}--[\\n]]` : script(mode)) };
}

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 };

/** What follows a backslash and stands for one character, or for a class of them. The backslash is behind us. */
export function readEscape(reader: Reader): Piece & { readonly character?: string } {
  const at = reader.at - 1;
  const letter = reader.take();
  if (letter === undefined) throw new PatternError(at, 'nothing follows the backslash');
  const shorthand = shorthands[letter];
  if (shorthand !== undefined) return { rust: `\\${letter}`, script: shorthand };
  const control = controls[letter];
  if (control !== undefined) return characterPiece(String.fromCharCode(control));
  if (letter === 'x' || letter === 'u' || letter === 'U') return characterPiece(readHex(reader, letter, at));
  if (letter === 'p' || letter === 'P') return readProperty(reader, letter, at);
  if (/[\p{L}\p{N}]/u.test(letter)) throw new PatternError(at, `\\${letter} means nothing`);
  return characterPiece(letter);
}

export function characterPiece(character: string): Piece & { readonly character: string } {
  const script = escaped(character);
  return { rust: rustOf(character), script: () => script, character };
}

/** A line feed in the argument itself would separate two patterns. */
export function rustOf(character: string): string {
  if (character === '\n') return '\\n';
  return /[\\.+*?()|[\]{}^$#&~-]/.test(character) ? `\\${character}` : character;
}

function readHex(reader: Reader, letter: 'x' | 'u' | 'U', at: number): string {
  const digits = reader.match(/^\{([0-9a-fA-F]{1,8})\}/)?.[1] ?? reader.match(hexOf[letter])?.[0];
  const code = digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
  if (!(code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000))
    throw new PatternError(at, `\\${letter} needs the number of a character, like \\${letter}{41}`);
  return String.fromCodePoint(code);
}
const hexOf = { x: /^[0-9a-fA-F]{2}/, u: /^[0-9a-fA-F]{4}/, U: /^[0-9a-fA-F]{8}/ };

function readProperty(reader: Reader, letter: 'p' | 'P', at: number): Piece {
  const name = reader.match(/^\{(\^?[\w =:-]{1,60})\}/)?.[1] ?? reader.take() ?? '';
  const isNegative = name.startsWith('^') !== (letter === 'P');
  const plain = name.replace(/^\^/, '').replace(':', '=').trim();
  for (const candidate of [plain, `Script=${plain}`, plain.replace(/^sc=/i, 'Script=')]) {
    const script = `\\${isNegative ? 'P' : 'p'}{${candidate}}`;
    if (isValid(script)) return { rust: `\\${isNegative ? 'P' : 'p'}{${plain}}`, script: () => script };
  }
  throw new PatternError(at, `there is no property ${JSON.stringify(plain)} of characters`);
}

function isValid(script: string): boolean {
  try {
    return new RegExp(script, 'v').source !== '';
  } catch {
    return false;
  }
}

// --- Classes in brackets -----------------------------------------------------------------------------------------

const named: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\u{0}-\\u{7f}',
  blank: '\\t\\u{20}',
  cntrl: '\\u{0}-\\u{1f}\\u{7f}',
  digit: '0-9',
  graph: '\\u{21}-\\u{7e}',
  lower: 'a-z',
  print: '\\u{20}-\\u{7e}',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\t-\\r\\u{20}',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** A class in brackets; the first bracket is behind us, at `from`. */
export function readClass(reader: Reader, from: number): Piece & { readonly hasLineFeed: boolean } {
  const isNegative = reader.skip('^');
  let operands: ReturnType<typeof readMember>[] = [];
  let whole: Piece | undefined;
  let operator: string | undefined;
  const close = (next: string | undefined): void => {
    const operand = joined(operands);
    whole = whole === undefined || operator === undefined ? operand : combined(whole, operator, operand);
    operands = [];
    operator = next;
  };
  for (let isFirst = true; ; isFirst = false) {
    if (reader.isAtEnd) throw new PatternError(from, 'this class is not closed by ]');
    if (!isFirst && reader.skip(']')) break;
    const operation = isFirst ? undefined : reader.match(/^(?:&&|--|~~)/)?.[0];
    if (operation !== undefined) close(operation);
    else operands.push(readMember(reader));
  }
  // What is cut from others, or left out, is no wish for it.
  const hasLineFeed = !isNegative && whole === undefined && operands.some(({ character }) => character === '\n');
  close(undefined);
  const { rust, script } = whole ?? joined([]);
  const sign = isNegative ? '^' : '';
  return { rust: `[${sign}${rust}]`, script: (mode) => `[${sign}${script(mode)}]`, hasLineFeed };
}

function joined(pieces: readonly Piece[]): Piece {
  return {
    rust: pieces.map(({ rust }) => rust).join(''),
    script: (mode) => pieces.map(({ script }) => script(mode)).join(''),
  };
}

function combined(left: Piece, operator: string, right: Piece): Piece {
  const rust = `[${left.rust}]${operator}[${right.rust}]`;
  if (operator !== '~~') return { rust, script: (mode) => `[${left.script(mode)}]${operator}[${right.script(mode)}]` };
  return {
    rust,
    script(mode) {
      const [a, b] = [`[${left.script(mode)}]`, `[${right.script(mode)}]`];
      return `[${a}--${b}][${b}--${a}]`;
    },
  };
}

/** A character, a range, a named class or a class within. */
function readMember(reader: Reader): Piece & { readonly character?: string } {
  const at = reader.at;
  if (reader.skip('[')) {
    const name = reader.match(/^:(\^?)([a-z]+):\]/);
    if (name === undefined) return readClass(reader, at);
    const [, not = '', kind = ''] = name;
    const members = named[kind];
    if (members === undefined) throw new PatternError(at, `there is no class [:${kind}:]`);
    return { rust: `[:${not}${kind}:]`, script: () => `[${not}${members}]` };
  }
  const from = readCharacter(reader);
  if (from.character === undefined || !reader.ahead(/^-(?![-\]])/)) return from;
  reader.skip('-');
  const to = readCharacter(reader);
  if (to.character === undefined) throw new PatternError(at, 'a range ends with a class, not with a character');
  if ((from.character.codePointAt(0) ?? 0) > (to.character.codePointAt(0) ?? 0))
    throw new PatternError(at, `the range ${from.character}-${to.character} is the wrong way round`);
  return { rust: `${from.rust}-${to.rust}`, script: (mode) => `${from.script(mode)}-${to.script(mode)}` };
}

function readCharacter(reader: Reader): Piece & { readonly character?: string } {
  if (!reader.skip('\\')) return characterPiece(reader.take() ?? '');
  // Within brackets it is the character backspace, which nobody searches for: more likely a slip.
  return readEscape(reader);
}
