import type { Command, OptionDescriptor } from 'kern/contracts';

const item: OptionDescriptor = {
  name: 'item',
  names: ['--item'],
  kind: 'list',
  value: '<kind:id>',
  summary: 'Only this one; may be given more than once.',
};

const status: Omit<Command, 'path' | 'examples'> = {
  group: 'Set up',
  summary: 'What this project declares that would run, and whether it is trusted.',
  json: true,
  run: async (_ctx, args, host) => (await import('./trust.ts')).status(args, host),
};

export const trustCommands: readonly Command[] = [
  {
    ...status,
    path: ['trust'],
    summary: 'What of this project may run: status, grant, revoke, why.',
    details:
      'Nothing executable that a project declares runs before you trust it. Trust is bound to the content: what is\nchanged has to be trusted again. `--trust` trusts a project for one run.',
    examples: [
      ['What is there, and how it stands', 'kern trust'],
      ['Trust what is there now', 'kern trust grant'],
    ],
  },
  { ...status, path: ['trust', 'status'], examples: [['As JSON', 'kern trust status --json']] },
  {
    path: ['trust', 'grant'],
    group: 'Set up',
    summary: 'Trust what this project declares, as it is now.',
    json: true,
    options: [item],
    examples: [
      ['Everything that kern trust lists', 'kern trust grant'],
      ['One extension', 'kern trust grant --item plugin:weather'],
    ],
    run: async (_ctx, args, host) => (await import('./trust.ts')).grant(args, host),
  },
  {
    path: ['trust', 'revoke'],
    group: 'Set up',
    summary: 'Take trust back.',
    json: true,
    options: [item],
    examples: [['For the whole project', 'kern trust revoke']],
    run: async (_ctx, args, host) => (await import('./trust.ts')).revoke(args, host),
  },
  {
    path: ['trust', 'why'],
    group: 'Set up',
    summary: 'Why something is trusted, or not.',
    json: true,
    positionals: [{ name: 'item', summary: 'kind:id, as kern trust lists it; all of them without it' }],
    examples: [['What changed since it was trusted', 'kern trust why plugin:weather']],
    run: async (_ctx, args, host) => (await import('./trust.ts')).why(args, host),
  },
];
