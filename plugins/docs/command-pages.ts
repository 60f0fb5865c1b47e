import type { Command, OptionDescriptor, PositionalDescriptor } from 'kern/contracts';
import { code, table } from './blocks.ts';

/** Every command with its words, options and examples, by the headings of `kern --help`. */
export function commandSections(commands: readonly Command[]): readonly string[] {
  const groups = Map.groupBy(commands, ({ group }) => group ?? 'Others');
  const names = [...groups.keys()].toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  return names.flatMap((group, at) => [
    ...(at === 0 ? [] : ['']),
    `## ${group}`,
    ...(groups.get(group) ?? []).toSorted(byPath).flatMap((command) => ['', ...section(command)]),
  ]);
}

const order = ['Work', 'Extend', 'Set up', 'Look'];

function placeOf(group: string): number {
  const place = order.indexOf(group);
  return place === -1 ? order.length : place;
}

const byPath = (a: Command, b: Command): number => (a.path.join(' ') < b.path.join(' ') ? -1 : 1);

function section(command: Command): readonly string[] {
  const { path, summary, details, options = [], positionals = [], examples, json } = command;
  return [
    `### kern ${path.join(' ')}`,
    '',
    code(['kern', ...path, ...positionals.map(shownWord)].join(' ')),
    '',
    `${summary}${json === true ? ' Takes `--json`.' : ''}`,
    ...(details === undefined ? [] : ['', ...details.split('\n')]),
    ...(positionals.length === 0 ? [] : ['', ...table(['word', 'what it is'], positionals.map(wordRow))]),
    ...(options.length === 0 ? [] : ['', ...table(['option', 'what it does'], options.map(optionRow))]),
    '',
    '```sh',
    ...examples.flatMap(([what, line]) => [`# ${what}`, line]),
    '```',
  ];
}

function shownWord({ name, required, rest }: PositionalDescriptor): string {
  const shown = rest === true ? `${name}…` : name;
  return required === true ? `<${shown}>` : `[${shown}]`;
}

const wordRow = ({ name, summary }: PositionalDescriptor): readonly string[] => [code(name), summary];

function optionRow({ names, kind, value, summary, choices }: OptionDescriptor): readonly string[] {
  const spelled = names.map(code).join(', ') + (kind === 'boolean' ? '' : ` ${code(value ?? '<value>')}`);
  return [spelled, choices === undefined ? summary : `${summary} One of ${choices.map(code).join(', ')}.`];
}
