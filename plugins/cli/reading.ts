import { type Command, commands, type Flag, flags, type OptionDescriptor } from 'kern/contracts';
import { type Entry, type IdlePlugin, KernError, type Kernel, type View } from 'kern/plugin';
import { isLaunch } from './help.ts';
import { isPromptAlready, type Match, match } from './match.ts';
import { sharedDescriptors } from './shared.ts';
import { namesOf, readWords, type Word } from './words.ts';

/** A line as the commands that are known now understand it. */
export interface Reading {
  /** Of those whose plugins still sleep, only the names. */
  readonly commands: readonly Command[];
  readonly words: readonly Word[];
  readonly match: Match;
  /** `kern [message…]`, with the options that plugins add to it. */
  readonly launch: Command;
  readonly flags: readonly Entry<Flag>[];
  /** Where a command came from, to run it. */
  entry(command: Command): Entry<Command>;
}

interface House {
  readonly kernel: Kernel;
  readonly view: View;
}

/** Wakes what the line is about and reads it: a family of commands loads when its first word stands there. */
export async function read(argv: readonly string[], { kernel, view }: House): Promise<Reading> {
  await wake(kernel, (path) => path[0] === 'launch');
  const [first] = known(kernel, view).words(argv);
  const isBare = first !== undefined && !first.afterEnd;
  if (isBare && first.text === 'help') await wake(kernel, () => true);
  if (isBare) await wake(kernel, (path) => path[0] === first.text);
  await wakeFlags(kernel, argv);
  return known(kernel, view).read(argv);
}

/** The same with every command loaded: for help. */
export async function readAll(argv: readonly string[], { kernel, view }: House): Promise<Reading> {
  await Promise.all([view.use(commands).load(), view.use(flags).load()]);
  return known(kernel, view).read(argv);
}

async function wake(kernel: Kernel, isWanted: (path: readonly string[]) => boolean): Promise<void> {
  const asleep = sleepers(kernel).filter((plugin) => pathsOf(plugin).some(isWanted));
  if (asleep.length === 0) return;
  const woken = await kernel.change({ wake: asleep, limitMs: 10_000 });
  if (!woken.ok) throw woken.error;
}

/** A flag that a sleeping plugin brings wakes it when it stands on the line. */
async function wakeFlags(kernel: Kernel, argv: readonly string[]): Promise<void> {
  if (!argv.some((word) => word.startsWith('--'))) return;
  const isGiven = (name: string): boolean => argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const asleep = kernel.sleeping.filter((plugin) => {
    const names = plugin.contributes[flags.id];
    return Array.isArray(names) && names.some(isGiven) && isOn(kernel, plugin);
  });
  if (asleep.length === 0) return;
  const woken = await kernel.change({ wake: asleep, limitMs: 10_000 });
  if (!woken.ok) throw woken.error;
}

/** Plugins that bring commands and have not been needed yet. */
function sleepers(kernel: Kernel): readonly IdlePlugin[] {
  return kernel.sleeping.filter((plugin) => commands.id in plugin.contributes && isOn(kernel, plugin));
}

function isOn(kernel: Kernel, { id, level = 'builtin' }: IdlePlugin): boolean {
  return kernel.settings.plugin(id, level).off === undefined;
}

function pathsOf(plugin: IdlePlugin): readonly (readonly string[])[] {
  const keys = plugin.contributes[commands.id];
  return Array.isArray(keys) ? keys.map((key: string) => key.split(' ')) : [];
}

const isWinner = ({ verdict }: Entry<unknown>): boolean => verdict.state === 'won';

/** What is known of commands and flags at this moment. */
function known(
  kernel: Kernel,
  view: View,
): { words(argv: readonly string[]): readonly (Word & { kind: 'word' })[]; read(argv: readonly string[]): Reading } {
  const entries = view.use(commands).entries().filter(isWinner);
  const added = view.use(flags).entries().filter(isWinner);
  const own = entries.find(({ item }) => isLaunch(item));
  if (own === undefined) {
    throw new KernError('command_missing', 'the plugin cli.run, which runs prompts, is not loaded', {
      hint: 'Switch it on again: it is off in a config file (plugins: { cli.run: false }), or failed to load.',
    });
  }
  const launch: Command = {
    ...own.item,
    options: [...(own.item.options ?? []), ...added.map(({ item }) => optionOf(item))],
  };
  const awake = entries.map(({ item }) => (item === own.item ? launch : item));
  const others = awake.filter((command) => command !== launch).flatMap(({ options = [] }) => options);
  const names = namesOf([...sharedDescriptors, ...(launch.options ?? []), ...others]);
  const launchOnly = onlyOf(launch, others);
  return {
    words: (argv) => {
      const words = readWords(argv, names);
      const bare = words.filter((word) => word.kind === 'word');
      return bare[0] !== undefined && isPromptAlready(words, bare[0], launchOnly) ? [] : bare;
    },
    read: (argv) => {
      const words = readWords(argv, names);
      const all = [...awake, ...sleepers(kernel).flatMap((plugin) => pathsOf(plugin).map(nameOnly))];
      return {
        commands: all,
        words,
        match: match(words, all, { launchOnly }),
        launch,
        flags: added,
        entry: (command) => {
          const found = command === launch ? own : entries.find(({ item }) => item === command);
          if (found !== undefined) return found;
          throw new KernError('command_missing', `kern ${command.path.join(' ')} has gone`);
        },
      };
    },
  };
}

/** Enough to tell a command from a prompt, and to be meant by a slip. */
function nameOnly(path: readonly string[]): Command {
  return { path, summary: '', examples: [], run: async () => 1 };
}

/** A field of its own, so that no flag takes the place of an option of ours. */
export const flagField = (name: string): string => `flag:${name}`;

function optionOf({ name, kind, value, summary }: Flag): OptionDescriptor {
  return { name: flagField(name), names: [`--${name}`], kind, summary, ...(value === undefined ? {} : { value }) };
}

/** What only a run takes: written before the first word, it says that the word is a prompt. */
function onlyOf(launch: Command, others: readonly OptionDescriptor[]): ReadonlySet<string> {
  const elsewhere = new Set(others.flatMap(({ names }) => names));
  return new Set((launch.options ?? []).flatMap(({ names }) => names).filter((name) => !elsewhere.has(name)));
}

/** Whether an option stands on the line. */
export function isGiven(reading: Reading, name: string): boolean {
  return reading.words.some((word) => word.kind === 'option' && word.option.name === name);
}

/** The line is for `kern [message…]`. */
export function isForLaunch({ match: meant }: Reading): boolean {
  return meant.kind === 'prompt' || (meant.kind === 'command' && isLaunch(meant.command));
}
