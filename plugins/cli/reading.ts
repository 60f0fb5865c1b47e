import { type Command, commands, type Flag, flags, type OptionDescriptor } from 'kern/contracts';
import { type Entry, KernError, type View } from 'kern/plugin';
import { isLaunch } from './help.ts';
import { type Match, match } from './match.ts';
import { sharedDescriptors } from './shared.ts';
import { namesOf, readWords, type Word } from './words.ts';

/** A line as the commands that are known now understand it. */
export interface Reading {
  readonly commands: readonly Command[];
  readonly words: readonly Word[];
  readonly match: Match;
  /** `kern [message…]`, with the options that plugins add to it. */
  readonly launch: Command;
  readonly flags: readonly Entry<Flag>[];
  /** Where a command came from, to run it. */
  entry(command: Command): Entry<Command>;
}

export async function read(argv: readonly string[], view: View): Promise<Reading> {
  await Promise.all([view.use(commands).load(), view.use(flags).load()]);
  const entries = view.use(commands).entries().filter(isWinner);
  const added = view.use(flags).entries().filter(isWinner);
  const own = entries.find(({ item }) => isLaunch(item));
  if (own === undefined) {
    throw new KernError('command_missing', 'the plugin cli.run, which runs prompts, is not loaded', {
      hint: '`kern plugins info cli.run` says why; `kern plugins enable cli.run` switches it on.',
    });
  }
  const launch: Command = {
    ...own.item,
    options: [...(own.item.options ?? []), ...added.map(({ item }) => optionOf(item))],
  };
  const known = entries.map(({ item }) => (item === own.item ? launch : item));
  const others = known.filter((command) => command !== launch).flatMap(({ options = [] }) => options);
  const words = readWords(argv, namesOf([...sharedDescriptors, ...(launch.options ?? []), ...others]));
  return {
    commands: known,
    words,
    match: match(words, known, { launchOnly: launchOnly(launch, others) }),
    launch,
    flags: added,
    entry: (command) => {
      const found = command === launch ? own : entries.find(({ item }) => item === command);
      if (found === undefined) throw new KernError('command_missing', `kern ${command.path.join(' ')} has gone`);
      return found;
    },
  };
}

const isWinner = ({ verdict }: Entry<unknown>): boolean => verdict.state === 'won';

/** A field of its own, so that no flag takes the place of an option of ours. */
export const flagField = (name: string): string => `flag:${name}`;

function optionOf({ name, kind, summary }: Flag): OptionDescriptor {
  return { name: flagField(name), names: [`--${name}`], kind, summary };
}

function launchOnly(launch: Command, others: readonly OptionDescriptor[]): ReadonlySet<string> {
  const elsewhere = new Set(others.flatMap(({ names }) => names));
  return new Set((launch.options ?? []).flatMap(({ names }) => names).filter((name) => !elsewhere.has(name)));
}

/** Whether an option stands on the line. */
export function isGiven(reading: Reading, name: string): boolean {
  return reading.words.some((word) => word.kind === 'option' && word.option.name === name && word.option !== undefined);
}

/** The line is for `kern [message…]`. */
export function isForLaunch({ match: meant }: Reading): boolean {
  return meant.kind === 'prompt' || (meant.kind === 'command' && isLaunch(meant.command));
}
