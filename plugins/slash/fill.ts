import { asWords, isClearShell, isPlainText, quotesAt } from './shell-words.ts';
import { wordsOf } from './words.ts';

/** Those of discovered texts; the contracts stand on this file, so it does not ask them. */
type TextDialect = 'kern' | 'claude' | 'pi' | 'codex' | 'gemini' | 'opencode';

/**
 * A text with the arguments put in, as its dialect writes their places. Everything is put in once: what arguments hold is
 * never read as a place. A text without a place for them is followed by them.
 */
export function filledIn(text: string, args: string, dialect: TextDialect = 'kern'): string {
  return followedBy(args, text, placedIn(text, args, dialect), dialect);
}

/** The same of a part of a text. */
export function placedIn(text: string, args: string, dialect: TextDialect = 'kern'): string {
  const given = givenOf(args);
  return text.replace(places[dialect], (...found) => {
    return askedFor(found.at(-1) as Groups, given, dialect)?.text ?? String(found[0]);
  });
}

/** What was made of a text, with the arguments behind it where that has no place for them. */
export function followedBy(args: string, text: string, made: string, dialect: TextDialect = 'kern'): string {
  const given = givenOf(args);
  return given.line === '' || isPlaced(text, given, dialect) ? made : `${made.trimEnd()}\n\n${given.line}`;
}

/**
 * A line for a shell with the arguments put in, as words and never as syntax; undefined where that cannot be told for sure.
 * What the line says itself, in place of arguments that are not there too, is its author's and stays as it is.
 */
export function placedInShell(line: string, args: string, dialect: TextDialect = 'kern'): string | undefined {
  const given = givenOf(args);
  // Where the quotes of the line stand is seen without what is put in: that never changes them.
  const isClear = isClearShell(line.replace(places[dialect], 'x'));
  let isSure = true;
  const placed = line.replace(places[dialect], (...found) => {
    const put = askedFor(found.at(-1) as Groups, given, dialect);
    if (put === undefined || put.isAuthors === true) return put?.text ?? String(found[0]);
    if (isPlainText(put.text)) return put.text;
    const quotes = isClear ? quotesAt(line, Number(found.at(-3))) : undefined;
    if (quotes === undefined) isSure = false;
    // One word for Gemini CLI, several for the others, as many as were given.
    return quotes === undefined ? '' : asWords(dialect === 'gemini' ? [put.text] : put.words, put.text, quotes);
  });
  return isSure ? placed : undefined;
}

/** Whether a text has places for arguments. */
export function hasPlaces(text: string, dialect: TextDialect = 'kern'): boolean {
  return isPlaced(text, givenOf(''), dialect);
}

function isPlaced(text: string, given: Given, dialect: TextDialect): boolean {
  return Array.from(text.matchAll(places[dialect])).some(
    ({ groups = {} }) => groups.literal === undefined && askedFor(groups, given, dialect) !== undefined,
  );
}

interface Given {
  readonly line: string;
  readonly words: readonly string[];
}

const givenOf = (args: string): Given => ({ line: args.trim(), words: wordsOf(args) });

/** What comes into a place. */
interface Put {
  readonly text: string;
  readonly words: readonly string[];
  /** It stands in the text itself, and is nothing that was given. */
  readonly isAuthors?: true;
}

const word = (text: string | undefined = ''): Put => ({ text, words: text === '' ? [] : [text] });
const authors = (text: string): Put => ({ ...word(text), isAuthors: true });

/** What a place asks for. */
type Groups = Readonly<
  Partial<
    Record<'all' | 'number' | 'numbered' | 'orNumber' | 'or' | 'from' | 'count' | 'index' | 'name' | 'literal', string>
  >
>;

const shellLike =
  /\$(?<all>ARGUMENTS(?!\w)(?!\[)|@)|\$(?<number>\d+)|\$\{(?:(?<numbered>ARGUMENTS|@|\d+)|(?<orNumber>ARGUMENTS|@|\d+):-(?<or>[^}]*)|@:(?<from>\d+)(?::(?<count>\d+))?)\}|\$ARGUMENTS\[(?<index>\d+)\]/g;
const places: Readonly<Record<TextDialect, RegExp>> = {
  kern: shellLike,
  pi: shellLike,
  opencode: shellLike,
  claude: shellLike,
  codex: /(?<literal>\$\$)|\$(?<all>ARGUMENTS\b)|\$(?<number>[1-9])(?!\d)|\$(?<name>[A-Z][A-Z0-9_]*)/g,
  gemini: /\{\{\s*(?<all>args)\s*\}\}/g,
};

function askedFor(groups: Groups, { line, words }: Given, dialect: TextDialect): Put | undefined {
  const { all, number, numbered, orNumber, or, from, count, index, name, literal } = groups;
  const whole: Put = { text: line, words };
  const at = (place: string): Put => (/^\d+$/.test(place) ? word(words[Number(place) - 1]) : whole);
  if (literal !== undefined) return authors('$');
  if (all !== undefined) return whole;
  if (index !== undefined) return word(words[Number(index)]);
  if (from !== undefined) {
    const first = Math.max(0, Number(from) - 1);
    const rest = words.slice(first, count === undefined ? undefined : first + Number(count));
    return { text: rest.join(' '), words: rest };
  }
  if (orNumber !== undefined) return at(orNumber).text === '' ? authors(or ?? '') : at(orNumber);
  if (name !== undefined) {
    const value = named(name, words);
    return value === undefined ? undefined : word(value);
  }
  const place = number ?? numbered;
  if (place === undefined) return undefined;
  // Claude Code counts from 0 where a text says so.
  if (place === '0') return dialect === 'claude' ? word(words[0]) : undefined;
  return at(place);
}

/** `FILE=src/a.ts` among the words; undefined where nobody gave it: the text may speak of a variable. */
function named(name: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}
