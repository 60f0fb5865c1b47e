import type { Command, OptionDescriptor } from 'kern/contracts';
import { columns } from './api.ts';
import { sharedDescriptors } from './shared.ts';

/** The order of headings; what is not named here follows. */
const groups = ['Work', 'Extend', 'Set up', 'Look'];
const strangers = 'Commands of plugins';

/** `kern --help`: every command in a line, and the options of a run. Made of descriptors only. */
export function rootHelp(commands: readonly Command[], version: string): readonly string[] {
  const launch = commands.find(isLaunch);
  return [
    `kern ${version}: a coding agent in which everything is a plugin`,
    '',
    'Usage: kern [options] [message…]',
    '       kern <command> [options]',
    ...examples(launch),
    ...commandLists(commands),
    ...optionList('Options of a run', launch?.options ?? []),
    ...optionList('Options of every command', sharedDescriptors),
    '',
    '`--` ends options: `kern -- plugins are odd` sends that text.',
    '`kern <command> --help` says more about a command.',
  ];
}

/** `kern tool --help`, and the answer to `kern tool`. */
export function familyHelp(words: readonly string[], commands: readonly Command[]): readonly string[] {
  return [
    `Usage: kern ${words.join(' ')} <command>`,
    '',
    ...columns(commands.map(line)).map(indent),
    '',
    `\`kern ${words.join(' ')} <command> --help\` says more.`,
  ];
}

/** `kern trust grant --help`. */
export function commandHelp(command: Command, all: readonly Command[], version: string): readonly string[] {
  if (isLaunch(command)) return rootHelp(all, version);
  const below = all.filter(
    ({ path }) => path.length > command.path.length && command.path.every((word, at) => path[at] === word),
  );
  return [
    `Usage: ${usage(command)}`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', ...command.details.split('\n')]),
    ...positionalList(command),
    ...optionList('Options', command.options ?? []),
    ...(below.length === 0 ? [] : ['', 'Commands', ...columns(below.map(line)).map(indent)]),
    ...examples(command),
    ...optionList('Options of every command', sharedDescriptors),
  ];
}

/** `kern trust grant [options] [item…]`. */
export function usage(command: Command): string {
  const positionals = (command.positionals ?? []).map(({ name, required, rest }) => {
    const shown = rest === true ? `${name}…` : name;
    return required === true ? `<${shown}>` : `[${shown}]`;
  });
  return ['kern', ...command.path, '[options]', ...positionals].join(' ');
}

/** What `--help --json` prints: the descriptors, without what runs. */
export function describe(command: Command): Record<string, unknown> {
  const { path, summary, details, examples: shown, options = [], positionals = [], group } = command;
  return {
    path,
    usage: usage(command),
    summary,
    details,
    group: group ?? strangers,
    examples: shown.map(([text, example]) => ({ text, line: example })),
    options: options.map(({ names, kind, value, summary: text, choices }) => ({
      names,
      kind,
      value,
      summary: text,
      choices,
    })),
    positionals,
  };
}

export const isLaunch = (command: Command): boolean => command.path.join(' ') === 'launch';

function commandLists(commands: readonly Command[]): readonly string[] {
  const listed = commands.filter((command) => !isLaunch(command));
  const byGroup = Map.groupBy(listed, ({ group }) => group ?? strangers);
  const names = [
    ...groups,
    ...[...byGroup.keys()].filter((name) => !groups.includes(name) && name !== strangers),
    strangers,
  ];
  // One width for all, so that the summaries stand in one column.
  const rows = names.flatMap((name) => (byGroup.get(name) ?? []).map(line));
  const lines = columns(rows);
  let at = 0;
  return names.flatMap((name) => {
    const count = byGroup.get(name)?.length ?? 0;
    const own = lines.slice(at, at + count);
    at += count;
    return count === 0 ? [] : ['', name, ...own.map(indent)];
  });
}

function line(command: Command): readonly string[] {
  return [
    [
      ...command.path,
      ...(command.positionals ?? []).map(({ name, required }) => (required === true ? `<${name}>` : `[${name}]`)),
    ].join(' '),
    command.summary,
  ];
}

function examples(command: Command | undefined): readonly string[] {
  if (command === undefined || command.examples.length === 0) return [];
  return ['', 'Examples', ...columns(command.examples.map(([text, example]) => [example, `# ${text}`])).map(indent)];
}

function positionalList(command: Command): readonly string[] {
  const { positionals = [] } = command;
  if (positionals.length === 0) return [];
  return ['', 'Words', ...columns(positionals.map(({ name, summary }) => [name, summary])).map(indent)];
}

function optionList(title: string, options: readonly OptionDescriptor[]): readonly string[] {
  if (options.length === 0) return [];
  const rows = options.map(({ names, value, kind, summary, choices }) => {
    const spelled = names.join(', ') + (kind === 'boolean' ? '' : ` ${value ?? '<value>'}`);
    return [
      spelled,
      choices === undefined || choices.every((choice) => summary.includes(choice))
        ? summary
        : `${summary} (${choices.join(', ')})`,
    ];
  });
  return ['', title, ...columns(rows).map(indent)];
}

const indent = (text: string): string => `  ${text}`;
