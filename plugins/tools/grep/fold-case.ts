import { escaped, type Mode } from './reader.ts';

/** Makes of what stands for one character what stands for it in either case. */
export type FoldCase = (script: string, mode: Mode) => string;

/**
 * Of JavaScript's own two ways to leave case aside, the flag holds for all of a pattern, and a group for more than
 * itself: V8 lets `(?i:x?)[a-b]` with the flag v find `B`. So the letters are written out.
 */
export function createFoldCase(): FoldCase {
  let letters: string | undefined;
  return (script, { unicode }) => {
    if (unicode) letters ??= lettersWithCase();
    const of = unicode && letters !== undefined ? letters : asciiLetters;
    const exact = new Set(of.match(new RegExp(script, 'gv')));
    const either = new Set(of.match(new RegExp(script, 'giv')));
    const added = [...either].filter((letter) => !exact.has(letter));
    // `[^a]` in either case is not `A` either.
    const left = [...exact].filter((letter) => !either.has(letter));
    const less = left.length === 0 ? script : `[${script}--[${membersOf(left)}]]`;
    return added.length === 0 ? less : `[${less}${membersOf(added)}]`;
  };
}

const asciiLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Beyond these planes no letter has a case. */
const planes = 0x20000;

function lettersWithCase(): string {
  let all = '';
  for (let code = 0; code < planes; code += 1) if (code < 0xd800 || code > 0xdfff) all += String.fromCodePoint(code);
  return (all.match(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gv) ?? []).join('');
}

/** In order; what lies side by side is a range. */
function membersOf(letters: readonly string[]): string {
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0);
  const ranges: { from: number; to: number }[] = [];
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last?.to === code - 1) last.to = code;
    else ranges.push({ from: code, to: code });
  }
  const shown = (code: number): string => escaped(String.fromCodePoint(code));
  return ranges.map(({ from, to }) => (from === to ? shown(from) : `${shown(from)}-${shown(to)}`)).join('');
}
