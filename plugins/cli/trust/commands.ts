import type { Command, OptionDescriptor } from 'kern/contracts';

const item: OptionDescriptor = {
  name: 'item',
  names: ['--item'],
  kind: 'list',
  value: '<kind:id>',
  summary: 'Only this one; may be given more than once.',
};
const dryRun: OptionDescriptor = {
  name: 'dryRun',
  names: ['--dry-run'],
  kind: 'boolean',
  summary: 'Show what would be trusted and what changed, and trust nothing.',
};
const items = {
  name: 'item',
  summary: 'kind:id or a file, as kern trust lists it; all of them without it',
  rest: true,
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
    details:
      'What was trusted before and is another now is shown as a difference: of a file its lines, of a hook or a server\nits definition. Each item is trusted for itself; a change of one leaves the others as they are.\nWhat cannot be trusted is named with why; the exit code is 1 where that is all there was to grant.',
    options: [item, dryRun],
    positionals: [items],
    examples: [
      ['Everything that kern trust lists', 'kern trust grant'],
      ['One extension', 'kern trust grant --item plugin:weather'],
      ['All that stands in one file', 'kern trust grant .mcp.json'],
      ['Only look at what changed', 'kern trust grant --dry-run'],
    ],
    run: async (_ctx, args, host) => (await import('./trust.ts')).grant(args, host),
  },
  {
    path: ['trust', 'revoke'],
    group: 'Set up',
    summary: 'Take trust back.',
    json: true,
    options: [item],
    positionals: [items],
    examples: [
      ['For the whole project', 'kern trust revoke'],
      ['One server', 'kern trust revoke mcp:docs'],
    ],
    run: async (_ctx, args, host) => (await import('./trust.ts')).revoke(args, host),
  },
  {
    path: ['trust', 'why'],
    group: 'Set up',
    summary: 'Why something is trusted, or not.',
    json: true,
    details: 'Where it stands, what it would run, and line by line what is not as it was trusted.',
    positionals: [{ name: 'item', summary: 'kind:id or a file, as kern trust lists it; all of them without it' }],
    examples: [
      ['What changed since it was trusted', 'kern trust why plugin:weather'],
      ['What a hook would run', 'kern trust why .claude/settings.json'],
    ],
    run: async (_ctx, args, host) => (await import('./trust.ts')).why(args, host),
  },
];
