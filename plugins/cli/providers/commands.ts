import type { Command, OptionDescriptor } from 'kern/contracts';

const why: OptionDescriptor = {
  name: 'why',
  names: ['--why'],
  kind: 'boolean',
  summary: 'Explain one kind of item, or one item: who won and whom it shadows.',
};
const project: OptionDescriptor = {
  name: 'project',
  names: ['--project'],
  kind: 'boolean',
  summary: "Write the project's config instead of yours.",
};

const listed: Pick<Command, 'group' | 'json' | 'options' | 'positionals' | 'run'> = {
  group: 'Look',
  json: true,
  options: [why],
  positionals: [
    {
      name: 'provider',
      summary: 'One provider, with each of its items. With --why: the kind of item (tool, skill, command, …)',
    },
    { name: 'key', summary: 'With --why: one item of that kind' },
  ],
  run: async (_ctx, args, host) => (await import('./providers.ts')).list(args, host),
};

const switching = (on: boolean): Pick<Command, 'group' | 'json' | 'options' | 'positionals' | 'run'> => ({
  group: 'Set up',
  json: true,
  options: [project],
  positionals: [
    {
      name: 'id',
      required: true,
      summary: 'The provider, as kern providers lists it; one level of it, claude:user; or an item, skill:review',
    },
  ],
  run: async (_ctx, args, host) => (await import('./providers.ts')).turn(on, args, host),
});

export const providerCommands: readonly Command[] = [
  {
    ...listed,
    path: ['providers'],
    summary: 'Who supplies items, how many, and who wins.',
    examples: [
      ['Everyone who supplies something', 'kern providers'],
      ['What lies in .claude, and what came of it', 'kern providers claude'],
      ['Why the tool read is the one it is', 'kern providers --why tool read'],
    ],
  },
  {
    ...listed,
    path: ['providers', 'list'],
    summary: 'Everyone who supplies items.',
    examples: [['All commands, with the losers', 'kern providers list --why command']],
  },
  {
    ...switching(true),
    path: ['providers', 'enable'],
    summary: 'Take the items of a provider.',
    examples: [['Take them again', 'kern providers enable claude']],
  },
  {
    ...switching(false),
    path: ['providers', 'disable'],
    summary: 'Leave out the items of a provider.',
    examples: [
      ['In this project only', 'kern providers disable claude --project'],
      ['Nothing of your own folder of Claude Code, but what the project has', 'kern providers disable claude:user'],
      ['One skill', 'kern providers disable skill:review'],
    ],
  },
];
