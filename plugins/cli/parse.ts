import type { Command, CommandArgs, OptionDescriptor, SharedOptions } from 'kern/contracts';
import { didYouMean, nearNames } from 'kern/plugin';
import { refuseBadValue, sharedDescriptors, usageError } from './shared.ts';
import type { Word } from './words.ts';

/** Reads the line with a clipanion class made of the one descriptor that matched. */
export async function parse(
  command: Command,
  words: readonly Word[],
  path: readonly Word[],
  shared: SharedOptions,
): Promise<CommandArgs> {
  const own = command.options ?? [];
  for (const word of words) refuseOption(word, command, [...own, ...sharedDescriptors]);
  const { Cli, Command: Base, Option } = await import('clipanion');
  // Only what stands on the line: the parser's work grows with every option it is told of.
  const given = new Set(words.flatMap((word) => (word.kind === 'option' ? [word.option.name] : [])));
  const fields = new Map([
    ...own
      .filter(({ name }) => given.has(name))
      .map((option) => [fieldOf(option.name), optionOf(Option, option)] as const),
    ...sharedDescriptors
      .filter(({ name }) => given.has(name))
      .map((option) => [fieldOf(option.name, true), optionOf(Option, option)] as const),
  ]);
  const positionals = (command.positionals ?? []).map(({ name, required, rest }) =>
    rest === true
      ? Option.Rest({ name, required: required === true ? 1 : 0 })
      : Option.String({ name, required: required === true }),
  );
  const made = class extends Base {
    static override paths = [[...command.path]];
    constructor() {
      super();
      for (const [field, option] of fields) Object.defineProperty(this, field, visible(option));
      for (const [at, positional] of positionals.entries())
        Object.defineProperty(this, `word${at}`, visible(positional));
    }
    async execute(): Promise<number> {
      return 0;
    }
  };
  refuseMissing(command, words, path);
  const parsed = Cli.from(made, { binaryName: 'kern' }).process(
    canonical(command, words, path),
    {},
  ) as unknown as Readonly<Record<string, unknown>>;
  return {
    options: Object.fromEntries(own.map(({ name }) => [name, valueIn(parsed[fieldOf(name)])])),
    positionals: positionals.flatMap((_, at) => wordsOf(parsed[`word${at}`])),
    shared,
  };
}

type Options = typeof import('clipanion').Option;

function optionOf(option: Options, { kind, names, summary }: OptionDescriptor): unknown {
  const spelled = names.join(',');
  if (kind === 'boolean') return option.Boolean(spelled, { description: summary });
  if (kind === 'list') return option.Array(spelled, { description: summary });
  return option.String(spelled, { description: summary });
}

const visible = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: true,
  writable: true,
  configurable: true,
});

/** A field of the class must be neither one of clipanion's own (`context`, `help`) nor that of a shared option. */
const fieldOf = (name: string, isShared = false): string => `${isShared ? 'shared' : 'own'}:${name}`;

const valueIn = (value: unknown): string | boolean | readonly string[] | undefined =>
  value as string | boolean | readonly string[] | undefined;

function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value : [];
}

/** The same line in the one order that leaves nothing open: name, options with their values bound, positionals. */
function canonical(command: Command, words: readonly Word[], path: readonly Word[]): string[] {
  const line = [...command.path];
  for (const word of words) {
    if (word.kind === 'option') line.push(word.value === true ? word.typed : `${word.typed}=${word.value}`);
  }
  const rest = words.flatMap((word) => (word.kind === 'word' && !path.includes(word) ? [word.text] : []));
  return rest.length === 0 ? line : [...line, '--', ...rest];
}

function refuseOption(word: Word, command: Command, options: readonly OptionDescriptor[]): void {
  refuseBadValue(word);
  if (word.kind === 'word') return;
  const known = options.flatMap(({ names }) => names);
  if (word.kind === 'option' && known.includes(word.typed)) return;
  const meant = nearNames(word.typed, known, { edits: Math.max(1, Math.floor((word.typed.length - 2) / 3)) });
  throw usageError(
    `kern${command.path[0] === 'launch' ? '' : ` ${command.path.join(' ')}`} has no option ${word.typed}`,
    didYouMean(meant) ?? `\`${helpLine(command)}\` lists its options.`,
  );
}

function refuseMissing(command: Command, words: readonly Word[], path: readonly Word[]): void {
  const given = words.filter((word) => word.kind === 'word' && !path.includes(word));
  const positionals = command.positionals ?? [];
  const missing = positionals.find(({ required }, at) => required === true && given.length <= at);
  if (missing !== undefined) {
    throw usageError(
      `kern ${command.path.join(' ')} needs ${missing.name}: ${missing.summary}`,
      `For example: ${command.examples[0]?.[1]}`,
    );
  }
  const extra = positionals.some(({ rest }) => rest === true) ? undefined : given[positionals.length];
  if (extra?.kind === 'word') {
    if (command.takesSecrets !== undefined)
      throw usageError(`kern ${command.path.join(' ')} has no use for one of the words given`, command.takesSecrets);
    throw usageError(
      `kern ${command.path.join(' ')} has no use for ${extra.text}`,
      `\`${helpLine(command)}\` shows what it takes.`,
    );
  }
}

const helpLine = (command: Command): string =>
  command.path[0] === 'launch' ? 'kern --help' : `kern ${command.path.join(' ')} --help`;
