import { wordsOf } from './words.ts';

/** Those of discovered texts; the contracts stand on this file, so it does not ask them. */
type TextDialect = 'kern' | 'claude' | 'pi' | 'codex' | 'gemini' | 'opencode';

/**
 * A text with the arguments put in, as its dialect writes their places. Everything is put in once: what arguments hold is
 * never read as a place. A text without a place for them is followed by them.
 */
export function filledIn(text: string, args: string, dialect: TextDialect = 'kern'): string {
  const given = { line: args.trim(), words: wordsOf(args) };
  const filled = text.replace(places[dialect], (...found) => {
    return askedFor(found.at(-1) as Groups, given, dialect) ?? String(found[0]);
  });
  return given.line === '' || isPlaced(text, given, dialect) ? filled : `${filled.trimEnd()}\n\n${given.line}`;
}

/** Whether a text has places for arguments. */
export function hasPlaces(text: string, dialect: TextDialect = 'kern'): boolean {
  return isPlaced(text, { line: '', words: [] }, dialect);
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

function askedFor(groups: Groups, { line, words }: Given, dialect: TextDialect): string | undefined {
  const { all, number, numbered, orNumber, or, from, count, index, name, literal } = groups;
  const at = (place: string): string => (/^\d+$/.test(place) ? (words[Number(place) - 1] ?? '') : line);
  if (literal !== undefined) return '$';
  if (all !== undefined) return line;
  if (index !== undefined) return words[Number(index)] ?? '';
  if (from !== undefined) {
    const first = Math.max(0, Number(from) - 1);
    return words.slice(first, count === undefined ? undefined : first + Number(count)).join(' ');
  }
  if (orNumber !== undefined) return at(orNumber) || (or ?? '');
  if (name !== undefined) return named(name, words);
  const place = number ?? numbered;
  if (place === undefined) return undefined;
  // Claude Code counts from 0 where a text says so.
  if (place === '0') return dialect === 'claude' ? (words[0] ?? '') : undefined;
  return at(place);
}

/** `FILE=src/a.ts` among the words; undefined where nobody gave it: the text may speak of a variable. */
function named(name: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}
