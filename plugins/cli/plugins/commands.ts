import type { Command, OptionDescriptor } from 'kern/contracts';

const why: OptionDescriptor = {
  name: 'why',
  names: ['--why'],
  kind: 'boolean',
  summary: 'With what each contributes, what shadows it, what it cost, and why it is as it is.',
};
const project: OptionDescriptor = {
  name: 'project',
  names: ['--project'],
  kind: 'boolean',
  summary: "Write the project's config instead of yours.",
};

const listed: Pick<Command, 'group' | 'json' | 'mends' | 'options' | 'run'> = {
  group: 'Look',
  json: true,
  mends: true,
  options: [why],
  run: async (_ctx, args, host) => (await import('./list.ts')).list(args, host),
};

const switching = (on: boolean): Pick<Command, 'group' | 'json' | 'mends' | 'options' | 'positionals' | 'run'> => ({
  group: 'Set up',
  json: true,
  mends: true,
  options: [project],
  positionals: [{ name: 'id', required: true, summary: 'The plugin, as kern plugins lists it' }],
  run: async (_ctx, args, host) => (await import('./switch.ts')).turn(on, args, host),
});

export const pluginCommands: readonly Command[] = [
  {
    ...listed,
    path: ['plugins'],
    summary: 'Every plugin, and what became of it.',
    examples: [
      ['What is plugged in', 'kern plugins'],
      ['And why it is as it is', 'kern plugins --why'],
      ['Make one', 'kern plugins new weather'],
    ],
  },
  {
    ...listed,
    path: ['plugins', 'list'],
    summary: 'The same as kern plugins.',
    examples: [['As JSON', 'kern plugins list --why --json']],
  },
  {
    path: ['plugins', 'info'],
    group: 'Look',
    summary: 'Everything about one plugin.',
    json: true,
    mends: true,
    positionals: [{ name: 'id', required: true, summary: 'The plugin, as kern plugins lists it, or a package' }],
    examples: [['Where a tool comes from', 'kern plugins info tools.read']],
    run: async (_ctx, args, host) => (await import('./list.ts')).info(args, host),
  },
  {
    path: ['plugins', 'why'],
    group: 'Look',
    summary: 'Where a plugin comes from, and why it is as it is.',
    details:
      'The package and its lock file, the folder or the setting that brought it; whether it is trusted; what the config\nsays of it, with file and line; what of it is shadowed, and by what; what it cost.',
    json: true,
    mends: true,
    positionals: [{ name: 'id', required: true, summary: 'The plugin, as kern plugins lists it, or a package' }],
    examples: [['Why it is off, or shadowed', 'kern plugins why weather']],
    run: async (_ctx, args, host) => (await import('./why.ts')).why(args, host),
  },
  {
    ...switching(true),
    path: ['plugins', 'enable'],
    summary: 'Switch a plugin on.',
    examples: [['Switch it on again', 'kern plugins enable hello']],
  },
  {
    ...switching(false),
    path: ['plugins', 'disable'],
    summary: 'Switch a plugin off.',
    examples: [
      ['Without the tool bash', 'kern plugins disable tools.bash'],
      ["A plugin of this project, in the project's config", 'kern plugins disable hello --project'],
    ],
  },
  {
    path: ['plugins', 'eject'],
    group: 'Extend',
    summary: 'Copy a built-in to your extensions, where you can change it and it takes its place.',
    json: true,
    boots: 'builtins',
    positionals: [{ name: 'id', required: true, summary: 'A built-in, as kern plugins lists it' }],
    examples: [['Change the tool read', 'kern plugins eject tools.read']],
    run: async (_ctx, args, host) => (await import('./eject.ts')).eject(args, host),
  },
  {
    path: ['plugins', 'new'],
    group: 'Extend',
    summary: 'Write an extension that works, with a test beside it.',
    json: true,
    boots: 'builtins',
    options: [
      {
        name: 'user',
        names: ['--user'],
        kind: 'boolean',
        summary: "Among your own extensions instead of the project's.",
      },
    ],
    positionals: [{ name: 'name', required: true, summary: 'Lower-case letters, digits and dashes' }],
    examples: [['In .kern/extensions/weather', 'kern plugins new weather']],
    run: async (_ctx, args, host) => (await import('./new.ts')).create(args, host),
  },
  {
    path: ['plugins', 'test'],
    group: 'Extend',
    summary: 'Run the tests of extensions. Nothing has to be installed.',
    details:
      'Tests import `test` from node:test and what they need from kern/testing. Without a path: those in\n.kern/extensions.',
    json: true,
    boots: 'builtins',
    positionals: [{ name: 'path', rest: true, summary: 'Test files, or folders in which they are' }],
    examples: [
      ['All of this project', 'kern plugins test'],
      ['One extension', 'kern plugins test .kern/extensions/weather'],
    ],
    run: async (ctx, args, host) => (await import('./run-tests.ts')).runTests(ctx, args, host),
  },
];
