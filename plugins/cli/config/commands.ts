import type { Command, OptionDescriptor } from 'kern/contracts';

const project: OptionDescriptor = {
  name: 'project',
  names: ['--project'],
  kind: 'boolean',
  summary: "Write the project's config instead of yours.",
};
const why: OptionDescriptor = {
  name: 'why',
  names: ['--why'],
  kind: 'boolean',
  summary: 'Say where each value comes from, and what is wrong.',
};

const list: Omit<Command, 'path' | 'examples'> = {
  group: 'Set up',
  summary: 'Every setting, and its value.',
  json: true,
  mends: true,
  options: [why],
  run: async (_ctx, args, host) => (await import('./read.ts')).list(args, host),
};

export const configCommands: readonly Command[] = [
  {
    ...list,
    path: ['config'],
    summary: 'Settings: list, get, set, path.',
    details:
      'Layers, weakest first: defaults, your config, the project (only what a project may set), --config,\nthe environment (KERN_…), flags.',
    examples: [
      ['Every setting', 'kern config'],
      ['Set the model', 'kern config set model anthropic/claude-sonnet-5'],
      ['Which files are read', 'kern config path'],
    ],
  },
  { ...list, path: ['config', 'list'], examples: [['Every setting, with file and line', 'kern config list --why']] },
  {
    path: ['config', 'get'],
    group: 'Set up',
    summary: 'The value of one setting.',
    json: true,
    mends: true,
    options: [why],
    positionals: [
      { name: 'key', required: true, summary: 'The setting: model, permissions.mode, plugins.<id>.<name>' },
    ],
    examples: [
      ['The model', 'kern config get model'],
      ['And who set it', 'kern config get permissions.mode --why'],
    ],
    run: async (_ctx, args, host) => (await import('./read.ts')).get(args, host),
  },
  {
    path: ['config', 'set'],
    group: 'Set up',
    summary: 'Write a setting.',
    details: 'The value is read as YAML: true, 3, text, [a, b]. With --unset it is taken out of the file.',
    json: true,
    mends: true,
    options: [
      project,
      { name: 'unset', names: ['--unset'], kind: 'boolean', summary: 'Take the setting out of the file.' },
    ],
    positionals: [
      { name: 'key', required: true, summary: 'The setting' },
      { name: 'value', summary: 'Its value, as YAML' },
    ],
    examples: [
      ['Ask before anything but edits', 'kern config set permissions.mode edits'],
      ['A setting of a plugin', 'kern config set plugins.tools.edit.maxBytes 20000000'],
      ['For this project', 'kern config set tools.execution sequential --project'],
      ['Back to the default', 'kern config set model --unset'],
    ],
    run: async (_ctx, args, host) => (await import('./write.ts')).set(args, host),
  },
  {
    path: ['config', 'path'],
    group: 'Set up',
    summary: 'The config files that are read.',
    json: true,
    mends: true,
    options: [why],
    examples: [['Which files are read', 'kern config path']],
    run: async (_ctx, args, host) => (await import('./read.ts')).paths(args, host),
  },
];
