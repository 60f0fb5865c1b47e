import type { OptionDescriptor } from 'kern/contracts';

/** A part of the command line. `at` is its place in argv. */
export type Word =
  | { readonly kind: 'word'; readonly text: string; readonly at: number; readonly afterEnd: boolean }
  | {
      readonly kind: 'option';
      readonly typed: string;
      readonly option: OptionDescriptor;
      readonly value: string | true;
      readonly at: number;
    }
  | { readonly kind: 'unknown'; readonly typed: string; readonly at: number }
  | { readonly kind: 'missing-value'; readonly typed: string; readonly option: OptionDescriptor; readonly at: number }
  | { readonly kind: 'needless-value'; readonly typed: string; readonly option: OptionDescriptor; readonly at: number };

/** How an option is typed: `-p`, `--model`, to what it is. */
export type OptionNames = ReadonlyMap<string, OptionDescriptor>;

/** Where two commands spell an option alike, the first one counts. */
export function namesOf(options: readonly OptionDescriptor[]): OptionNames {
  const names = new Map<string, OptionDescriptor>();
  for (const option of options) for (const name of option.names) if (!names.has(name)) names.set(name, option);
  return names;
}

/** Takes argv apart. `--` ends the options; `-` is a word. */
export function readWords(argv: readonly string[], names: OptionNames): readonly Word[] {
  const words: Word[] = [];
  let ended = false;
  for (let at = 0; at < argv.length; at++) {
    const text = argv[at] ?? '';
    // A number below zero is a value, where there is a command that may take one.
    const isNumber = words.some(({ kind }) => kind === 'word') && /^-\d+(\.\d+)?$/.test(text) && !names.has(text);
    if (ended || isNumber || text === '-' || !text.startsWith('-')) {
      words.push({ kind: 'word', text, at, afterEnd: ended });
      continue;
    }
    if (text === '--') {
      ended = true;
      continue;
    }
    const taken = readOption(text, argv[at + 1], at, names);
    words.push(...taken.words);
    if (taken.tookNext) at += 1;
  }
  return words;
}

interface Taken {
  readonly words: readonly Word[];
  readonly tookNext: boolean;
}

function readOption(text: string, next: string | undefined, at: number, names: OptionNames): Taken {
  const sign = text.indexOf('=');
  const typed = sign === -1 ? text : text.slice(0, sign);
  const option = names.get(typed);
  if (option === undefined) return { words: readBatch(text, at, names), tookNext: false };
  if (option.kind === 'boolean') {
    const word: Word =
      sign === -1 ? { kind: 'option', typed, option, value: true, at } : { kind: 'needless-value', typed, option, at };
    return { words: [word], tookNext: false };
  }
  if (sign !== -1) {
    return { words: [{ kind: 'option', typed, option, value: text.slice(sign + 1), at }], tookNext: false };
  }
  if (option.optional === true) return { words: [{ kind: 'option', typed, option, value: '', at }], tookNext: false };
  // A value may begin with a dash, but an option that we know, or the end of the options, is none.
  if (next === undefined || next === '--' || isKnown(next, names)) {
    return { words: [{ kind: 'missing-value', typed, option, at }], tookNext: false };
  }
  return { words: [{ kind: 'option', typed, option, value: next, at }], tookNext: true };
}

function isKnown(text: string, names: OptionNames): boolean {
  return text.startsWith('-') && names.has(text.split('=', 1)[0] ?? text);
}

/** `-pj` is `-p -j`, where both are switches. */
function readBatch(text: string, at: number, names: OptionNames): readonly Word[] {
  const letters = /^-([a-zA-Z]{2,})$/.exec(text)?.[1];
  const parts = [...(letters ?? '')].map((letter) => ({ typed: `-${letter}`, option: names.get(`-${letter}`) }));
  const words = parts.flatMap(({ typed, option }): Word[] =>
    option?.kind === 'boolean' ? [{ kind: 'option', typed, option, value: true, at }] : [],
  );
  if (parts.length > 0 && words.length === parts.length) return words;
  return [{ kind: 'unknown', typed: text.split('=', 1)[0] ?? text, at }];
}
