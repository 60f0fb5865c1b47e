import type { Command } from 'kern/contracts';
import { nearNames } from 'kern/plugin';
import type { Word } from './words.ts';

/** What the first words mean. */
export type Match =
  /** A command, and which of the words are its name. */
  | { readonly kind: 'command'; readonly command: Command; readonly path: readonly Word[] }
  /** `kern tool`: the first word of commands, but no command itself. */
  | { readonly kind: 'family'; readonly words: readonly string[]; readonly commands: readonly Command[] }
  /** `kern tool lst`: no such command in that family. */
  | {
      readonly kind: 'stray';
      readonly words: readonly string[];
      readonly stray: string;
      readonly near: readonly string[];
    }
  /** `kern plugin`: a bare word that looks like a slip of the keys. */
  | { readonly kind: 'slip'; readonly word: string; readonly near: readonly string[] }
  /** `kern help`, `kern help tool`: what is asked about. */
  | { readonly kind: 'help'; readonly about: Match }
  | { readonly kind: 'prompt' }
  | { readonly kind: 'nothing' };

export interface MatchOptions {
  /** Options that only `kern [message…]` takes: one before the first word says that it is a prompt. */
  readonly launchOnly: ReadonlySet<string>;
}

/** A known command wins, then a slip is told, and everything else is a prompt. */
export function match(words: readonly Word[], commands: readonly Command[], { launchOnly }: MatchOptions): Match {
  const bare = words.filter((word) => word.kind === 'word');
  const [first] = bare;
  if (first === undefined) return { kind: 'nothing' };
  if (first.afterEnd || isPromptAlready(words, first, launchOnly)) return { kind: 'prompt' };
  const names = bare.filter(({ afterEnd }) => !afterEnd).map(({ text }) => text);
  if (first.text === 'help') {
    const about = match(
      words.filter((word) => word !== first),
      commands,
      { launchOnly },
    );
    // `help me with the tests` is a prompt.
    return about.kind === 'prompt' || about.kind === 'slip' ? { kind: 'prompt' } : { kind: 'help', about };
  }
  const command = longest(commands, names);
  const family = commands.filter(({ path }) => path[0] === first.text);
  if (command === undefined) {
    if (family.length === 0) return slipOrPrompt(first.text, commands);
    if (names.length === 1) return { kind: 'family', words: names, commands: family };
    return strayIn(names, names.slice(0, 1), family);
  }
  const rest = names.slice(command.path.length);
  const [stray] = rest;
  const takesWords = (command.positionals ?? []).length > 0;
  const isFamily = commands.some(({ path }) => path.length > command.path.length && startsWith(path, command.path));
  if (stray !== undefined && !takesWords && isFamily) return strayIn(names, command.path, family);
  return { kind: 'command', command, path: bare.slice(0, command.path.length) };
}

/** The command whose whole name the words begin with; the longest one. */
export function longest(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const fitting = commands.filter(({ path }) => startsWith(words, path));
  return fitting.sort((a, b) => b.path.length - a.path.length)[0];
}

const startsWith = (words: readonly string[], path: readonly string[]): boolean =>
  path.every((word, at) => words[at] === word);

/** An option of a run stands before the first word. */
export function isPromptAlready(words: readonly Word[], first: Word, launchOnly: ReadonlySet<string>): boolean {
  return words.some((word) => word.at < first.at && word.kind === 'option' && launchOnly.has(word.typed));
}

function strayIn(names: readonly string[], path: readonly string[], family: readonly Command[]): Match {
  const stray = names[path.length] ?? '';
  const next = new Set(
    family.flatMap((command) => (startsWith(command.path, path) ? [command.path[path.length]] : [])),
  );
  const known = [...next].filter((word) => word !== undefined);
  return { kind: 'stray', words: path, stray, near: nearNames(stray, known) };
}

/** Only one bare word can be a slip: a sentence in quotes is none, nor is a path. */
function slipOrPrompt(word: string, commands: readonly Command[]): Match {
  if (!/^[a-z][a-z0-9-]*$/i.test(word)) return { kind: 'prompt' };
  const found = nearNames(word, new Set(commands.flatMap(({ path }) => path.slice(0, 1))), { edits: 2, parts: false });
  return found.length === 0 ? { kind: 'prompt' } : { kind: 'slip', word, near: found };
}
