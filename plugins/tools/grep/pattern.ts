import { searching } from 'kern/contracts';
import {
  characterPiece,
  lineEnd,
  lineStart,
  type Piece,
  places,
  readClass,
  readEscape,
  rustOf,
  withinLine,
} from './classes.ts';
import { createFoldCase, type FoldCase } from './fold-case.ts';
import { escaped, type Mode, PatternError, Reader } from './reader.ts';

/** A regular expression as ripgrep knows them, for ripgrep and for JavaScript. */
export interface Pattern {
  /** In the syntax of every ripgrep in use. */
  readonly rust: string;
  /** In the syntax of JavaScript, for the flag v. */
  readonly script: (mode: Mode) => string;
  /** A line feed is in it, or it says that `.` is one: it is to be found across lines. */
  readonly hasLineFeed: boolean;
  /** It may stand for characters beyond ASCII, which are other bytes in other charsets. */
  readonly reachesBeyondAscii: boolean;
  /** It looks around or refers back, which ripgrep's engine does not do. */
  readonly needsScript: boolean;
  /** What of it only ripgrep knows. */
  readonly needsRipgrep: string | undefined;
  /** It says itself where case counts: its script is for a search that does not leave case aside. */
  readonly foldsCase: boolean;
}

export interface ReadOptions {
  /** `.` is also a line feed. */
  readonly dotAll: boolean;
}

/** Whether a pattern is understood. `shown` is the place, under the pattern. */
export type ReadPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly why: string; readonly shown: string };

/** In ripgrep's form of a pattern, without escaped signs. */
const beyondAscii = /[^\0-\x7f]|\.|\[\^|\[:\^|\\[wWdDsSpPB]/;
const anyLineEnd = '(?:\\r?\\n)';

/** Text that means itself. */
export function literalPattern(text: string): Pattern {
  const characters = [...text.replaceAll('\r\n', '\n')];
  return {
    rust: characters.map((one) => (one === '\n' ? anyLineEnd : rustOf(one))).join(''),
    script: () => characters.map(escaped).join(''),
    hasLineFeed: text.includes('\n'),
    reachesBeyondAscii: beyondAscii.test(text),
    needsScript: false,
    needsRipgrep: undefined,
    foldsCase: false,
  };
}

/**
 * Reads a pattern. It is more lenient than ripgrep with what has only one meaning: `{` that begins no repetition, a
 * backslash before a sign that needs none.
 */
export function readPattern(text: string, options: ReadOptions): ReadPattern {
  const state: State = {
    groups: 0,
    names: new Set(),
    references: [],
    hasLineFeed: false,
    needsScript: false,
    foldsCase: false,
    foldCase: createFoldCase(),
  };
  try {
    const reader = new Reader(text);
    const piece = readAlternatives(reader, state, { dotAll: options.dotAll, ignoreCase: undefined });
    if (!reader.isAtEnd) throw new PatternError(reader.at, 'this ) closes no group');
    checkReferences(state);
    const { hasLineFeed, needsScript, needsRipgrep, foldsCase } = state;
    const reachesBeyondAscii = beyondAscii.test(piece.rust.replaceAll(/\\[^\p{L}\p{N}]/gu, ''));
    return { ok: true, pattern: { ...piece, hasLineFeed, reachesBeyondAscii, needsScript, needsRipgrep, foldsCase } };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { ok: false, why: error.message, shown: searching.markedAt(text, error.at) };
  }
}

/** What was seen so far. */
interface State {
  groups: number;
  readonly names: Set<string>;
  readonly references: { readonly at: number; readonly to: string | number }[];
  hasLineFeed: boolean;
  needsScript: boolean;
  needsRipgrep?: string | undefined;
  foldsCase: boolean;
  readonly foldCase: FoldCase;
}

interface Flags {
  dotAll: boolean;
  /** Undefined: as the search says. */
  ignoreCase: boolean | undefined;
}

/** Up to the end, or the `)` of the group; flags set within hold until there. */
function readAlternatives(reader: Reader, state: State, outer: Flags): Piece {
  const flags = { ...outer };
  const alternatives: Piece[] = [];
  let pieces: Piece[] = [];
  while (!reader.isAtEnd && !reader.ahead(/^\)/)) {
    if (reader.skip('|')) {
      alternatives.push(sequence(pieces));
      pieces = [];
      continue;
    }
    pieces.push(readFlags(reader, state, flags) ?? readRepetition(reader, readPiece(reader, state, flags)));
  }
  alternatives.push(sequence(pieces));
  return {
    rust: alternatives.map(({ rust }) => rust).join('|'),
    script: (mode) => alternatives.map(({ script }) => script(mode)).join('|'),
  };
}

const nothing: Piece = { rust: '', script: () => '' };

function sequence(pieces: readonly Piece[]): Piece {
  return {
    rust: pieces.map(({ rust }) => rust).join(''),
    script: (mode) => pieces.map(({ script }) => script(mode)).join(''),
  };
}

/** One thing that can be repeated. */
function readPiece(reader: Reader, state: State, flags: Flags): Piece {
  const at = reader.at;
  if (reader.skip('(')) return readGroup(reader, state, flags, at);
  if (reader.skip('[')) return cased(withinLine(readBrackets(reader, state, at)), state, flags);
  if (reader.skip('\\')) return readBackslash(reader, state, flags);
  if (reader.skip('^')) return { rust: '^', script: lineStart };
  if (reader.skip('$')) return { rust: '$', script: lineEnd };
  if (reader.skip('.')) {
    const { dotAll } = flags;
    return { rust: '.', script: ({ text }) => (dotAll && text !== 'lines' ? '[^]' : '[^\\n]') };
  }
  if (reader.ahead(/^[*+?]/) || reader.ahead(repetition))
    throw new PatternError(at, `there is nothing before this ${reader.text[at]} that could be repeated`);
  const character = reader.take() ?? '';
  return character === '\n' ? lineFeed(state) : cased(characterPiece(character), state, flags);
}

/** A class that names the line feed, or is all there is, is meant across lines. */
function readBrackets(reader: Reader, state: State, at: number): Piece {
  if (reader.ahead(/^(?:\\s\\S|\\S\\s|\\w\\W|\\W\\w|\\d\\D|\\D\\d)\]/)) state.hasLineFeed = true;
  const { rust, script, hasLineFeed } = readClass(reader, at);
  if (!hasLineFeed) return { rust, script };
  state.hasLineFeed = true;
  return { rust: `(?:${rust}|\\r\\n)`, script };
}

/** A line may end with CR LF; without ripgrep those are read as LF. */
function lineFeed(state: State): Piece {
  state.hasLineFeed = true;
  return { rust: anyLineEnd, script: () => '\\n' };
}

/** ripgrep takes the flag where it stands; in JavaScript each thing that stands for a character is written out. */
function cased({ rust, script }: Piece, state: State, flags: Flags): Piece {
  const leavesCase = caseLeft(state, flags);
  return { rust, script: (mode) => (leavesCase(mode) ? state.foldCase(script(mode), mode) : script(mode)) };
}

/** Whether case is left aside at this place, by the flags as they are now. */
function caseLeft(state: State, { ignoreCase }: Flags): (mode: Mode) => boolean {
  return (mode) => state.foldsCase && (ignoreCase ?? mode.ignoreCase);
}

function readBackslash(reader: Reader, state: State, flags: Flags): Piece {
  const at = reader.at - 1;
  const edge = reader.match(/^b\{(?:start|end|start-half|end-half)\}/)?.[0];
  if (edge !== undefined) {
    state.needsRipgrep = `\\${edge}`;
    return { rust: `\\${edge}`, script: () => '' };
  }
  const place = reader.match(/^[<>AzZbB]/)?.[0];
  if (place !== undefined) return places[place] ?? nothing;
  // Wherever lines end with CR LF they are meant, and where they do not as well.
  if (reader.match(/^r\??\\n/) !== undefined) return lineFeed(state);
  const reference = reader.match(/^(?:([1-9]\d?)|k<(\w+)>)/);
  if (reference !== undefined) {
    const [, number, name] = reference;
    const to = name ?? Number(number);
    state.references.push({ at, to });
    state.needsScript = true;
    const script = typeof to === 'string' ? `\\k<${to}>` : `\\${to}`;
    const leavesCase = caseLeft(state, flags);
    // What it will refer to cannot be written out.
    return { rust: '', script: (mode) => `(?${leavesCase(mode) ? 'i' : ''}:${script})` };
  }
  const piece = readEscape(reader);
  if (piece.character === '\n') return lineFeed(state);
  return cased(piece.character === undefined ? withinLine(piece) : piece, state, flags);
}

function checkReferences({ references, groups, names }: State): void {
  for (const { at, to } of references) {
    if (typeof to === 'number' ? to <= groups : names.has(to)) continue;
    throw new PatternError(at, `there is no group ${to} that it could refer to`);
  }
}

// --- Groups ------------------------------------------------------------------------------------------------------

function readGroup(reader: Reader, state: State, flags: Flags, at: number): Piece {
  const around = reader.match(/^\?(?:=|!|<=|<!)/)?.[0];
  if (around !== undefined) {
    state.needsScript = true;
    const within = readWithin(reader, state, flags, at);
    return { rust: '', script: (mode) => `(${around}${within.script(mode)})` };
  }
  const name = reader.match(/^\?P?<([A-Za-z_]\w*)>/)?.[1];
  if (name !== undefined) {
    if (state.names.has(name)) throw new PatternError(at, `there are two groups named ${name}`);
    state.names.add(name);
    state.groups += 1;
    const within = readWithin(reader, state, flags, at);
    return { rust: `(?P<${name}>${within.rust})`, script: (mode) => `(?<${name}>${within.script(mode)})` };
  }
  const own = reader.match(/^\?([a-zA-Z]*)(?:-([a-zA-Z]+))?:/);
  if (own !== undefined) {
    const within = readWithin(reader, state, flagged(state, flags, at, own), at);
    return { rust: `(${own[0]}${within.rust})`, script: (mode) => `(?:${within.script(mode)})` };
  }
  if (reader.ahead(/^\?/)) throw new PatternError(at, 'this kind of group is not known');
  state.groups += 1;
  const within = readWithin(reader, state, flags, at);
  return { rust: `(${within.rust})`, script: (mode) => `(${within.script(mode)})` };
}

function readWithin(reader: Reader, state: State, flags: Flags, at: number): Piece {
  const within = readAlternatives(reader, state, flags);
  if (!reader.skip(')')) throw new PatternError(at, 'this group is not closed by )');
  return within;
}

/** `(?i)`: it holds from here to the end of the group. */
function readFlags(reader: Reader, state: State, flags: Flags): Piece | undefined {
  const at = reader.at;
  const given = reader.match(/^\(\?(?=[a-zA-Z-])([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/);
  if (given === undefined) return undefined;
  Object.assign(flags, flagged(state, flags, at, given));
  return { rust: given[0], script: () => '' };
}

function flagged(state: State, flags: Flags, at: number, [, on = '', off = '']: RegExpMatchArray): Flags {
  for (const flag of `${on}${off}`) {
    if (!/[imsuUxR]/.test(flag)) throw new PatternError(at, `there is no flag ${flag}`);
    // How the rest is to be read would be another matter.
    if (flag === 'x')
      throw new PatternError(at, 'the flag x is not known here: write the pattern without blanks and comments');
    if (flag === 'i') state.foldsCase = true;
    if (flag === 's' && on.includes('s')) state.hasLineFeed = true;
    if (/[uUR]/.test(flag)) state.needsRipgrep = `the flag ${flag}`;
  }
  return {
    dotAll: on.includes('s') || (flags.dotAll && !off.includes('s')),
    ignoreCase: on.includes('i') ? true : off.includes('i') ? false : flags.ignoreCase,
  };
}

// --- Repetition --------------------------------------------------------------------------------------------------

/** `{}` and `{,}` are none: braces like any other sign. */
const repetition = /^\{(?:(\d+)(,?)(\d*)|,(\d+))\}/;
/** Where either engine would need much memory for the pattern alone. */
const mostTimes = 1_000;

function readRepetition(reader: Reader, once: Piece): Piece {
  let piece = once;
  for (;;) {
    const times = reader.match(/^[*+?]/)?.[0] ?? readCount(reader);
    if (times === undefined) return piece;
    const lazy = reader.skip('?') ? '?' : '';
    const inner = piece;
    piece = {
      // In ripgrep's words `\\b{` begins something else.
      rust: `${inner === once && !/^\\[bB]$/.test(inner.rust) ? inner.rust : `(?:${inner.rust})`}${times}${lazy}`,
      script: (mode) => `(?:${inner.script(mode)})${times}${lazy}`,
    };
  }
}

function readCount(reader: Reader): string | undefined {
  const at = reader.at;
  const found = reader.match(repetition);
  if (found === undefined) return undefined;
  const [, least = '0', comma = ',', most = found[4] ?? ''] = found;
  if (Math.max(Number(least), Number(most)) > mostTimes)
    throw new PatternError(at, `more than ${mostTimes} repetitions are too many`);
  if (most !== '' && Number(least) > Number(most))
    throw new PatternError(at, `{${least},${most}} is the wrong way round`);
  return `{${least}${comma}${most}}`;
}
