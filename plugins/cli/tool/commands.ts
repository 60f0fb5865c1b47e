import type { Command } from 'kern/contracts';

export const toolCommands: readonly Command[] = [
  {
    path: ['tool', 'list'],
    group: 'Look',
    summary: 'The tools that a model has here, or may have.',
    details:
      'In brackets: a tool that is offered where there is use for it, or when it is asked for (--tools, or the setting active of its plugin).',
    json: true,
    tellsFaults: true,
    examples: [['With descriptions', 'kern tool list']],
    run: async (_ctx, args, host) => (await import('./list.ts')).list(args, host),
  },
  {
    path: ['tool', 'call'],
    group: 'Work',
    summary: 'Call a tool yourself.',
    details: [
      'You asked for it, so what would be asked is done; what is denied stays denied, and a given',
      '--permission-mode is obeyed as written. The text goes to stdout; an error result ends with 1. An output that is',
      'too long is kept whole for a day, in the file that the result names.',
    ].join('\n'),
    json: true,
    tellsFaults: true,
    positionals: [
      { name: 'name', required: true, summary: 'The tool' },
      { name: 'json', summary: 'Its arguments as a JSON object; - reads them from stdin' },
    ],
    examples: [
      ['Read a file', `kern tool call read '{"path": "README.md"}'`],
      ['A tool of an extension of this project', `kern tool call hello '{"name": "Ada"}' --trust`],
    ],
    run: async (_ctx, args, host) => (await import('./call.ts')).call(args, host),
  },
];
