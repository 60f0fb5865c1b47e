import path from 'node:path';
import type { OptionDescriptor, SharedOptions } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { namesOf, readWords, type Word } from './words.ts';

const permissionModes = ['plan', 'ask', 'edits', 'all'] as const;

/** What every command takes, before or after its words. */
export const sharedDescriptors: readonly OptionDescriptor[] = [
  { name: 'cwd', names: ['--cwd'], kind: 'string', value: '<dir>', summary: 'Work in this folder.' },
  { name: 'trust', names: ['--trust'], kind: 'boolean', summary: 'Trust this project for this run, edits included.' },
  {
    name: 'permissionMode',
    names: ['--permission-mode'],
    kind: 'string',
    value: '<mode>',
    choices: permissionModes,
    summary: 'What may happen without asking: plan (only reading), ask, edits (files too), all.',
  },
  { name: 'yolo', names: ['--yolo'], kind: 'boolean', summary: 'Short for --permission-mode all.' },
  {
    name: 'config',
    names: ['--config'],
    kind: 'string',
    value: '<file>',
    summary: 'A config file on top of the others.',
  },
  {
    name: 'extensions',
    names: ['-e', '--extension'],
    kind: 'list',
    value: '<path>',
    summary: 'Load this extension too; may be given more than once.',
  },
  { name: 'noExtensions', names: ['--no-extensions'], kind: 'boolean', summary: 'Load no extension but those of -e.' },
  { name: 'json', names: ['--json'], kind: 'boolean', summary: 'Print one JSON value, and nothing else, on stdout.' },
  { name: 'help', names: ['-h', '--help'], kind: 'boolean', summary: 'Show help.' },
];

/** Read ahead of everything else: it decides how the house is put together. */
export interface Early extends SharedOptions {
  /** `--cwd` was given. */
  readonly hasCwd: boolean;
  readonly help: boolean;
}

export function readShared(argv: readonly string[], here: string): Early {
  const words = readWords(argv, namesOf(sharedDescriptors));
  for (const word of words) refuseBadValue(word);
  const given = words.filter((word) => word.kind === 'option');
  const last = (name: string): string | true | undefined => given.findLast(({ option }) => option.name === name)?.value;
  const text = (name: string): string | undefined => {
    const value = last(name);
    return typeof value === 'string' ? value : undefined;
  };
  const mode = text('permissionMode') as SharedOptions['permissionMode'];
  if (last('yolo') === true && mode !== undefined && mode !== 'all') {
    throw usageError(`--yolo and --permission-mode ${mode} say different things`, 'Give one of them.');
  }
  const cwd = text('cwd');
  const config = text('config');
  return {
    cwd: cwd === undefined ? here : path.resolve(here, cwd),
    hasCwd: cwd !== undefined,
    trust: last('trust') === true,
    permissionMode: last('yolo') === true ? 'all' : mode,
    config: config === undefined ? undefined : path.resolve(here, config),
    extensions: given.flatMap(({ option, value }) =>
      option.name === 'extensions' && value !== true ? [path.resolve(here, value)] : [],
    ),
    noExtensions: last('noExtensions') === true,
    json: last('json') === true,
    help: last('help') === true,
  };
}

/** Whether `--json` was asked for, also where the rest of the line is wrong. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** What is wrong with an option as it was typed, apart from not being known. */
export function refuseBadValue(word: Word): void {
  if (word.kind === 'missing-value') {
    const { option, typed } = word;
    const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
    throw usageError(`${typed} needs a value ${option.value ?? '<value>'}${choices}`);
  }
  if (word.kind === 'needless-value') throw usageError(`${word.typed} is a switch and takes no value`);
  if (word.kind !== 'option' || word.value === true) return;
  const { choices } = word.option;
  if (choices !== undefined && !choices.includes(word.value)) {
    throw usageError(`${word.typed} ${word.value}: it takes ${choices.join(', ')}`);
  }
}

/** The line was not right: exit 2. */
export function usageError(message: string, hint?: string): KernError {
  return new KernError('usage', message, hint === undefined ? {} : { hint });
}
