import type { Command } from 'kern/contracts';

export const stats: Command = {
  path: ['stats'],
  group: 'Look',
  summary: 'Tokens, cost and tool calls, from the sessions of this machine. Nothing leaves it.',
  details: [
    'Of all folders, or with --here of this one. Days are those of this machine. A cost is what was known when the reply',
    'came; replies whose price nobody knew are counted as such. What was copied into a fork counts once.',
  ].join('\n'),
  json: true,
  options: [
    { name: 'days', names: ['--days'], kind: 'string', value: '<n>', summary: 'Only the last n days, today included.' },
    {
      name: 'by',
      names: ['--by'],
      kind: 'string',
      value: '<what>',
      choices: ['day', 'model', 'project', 'tool'],
      summary: 'One table only: by day, model, project or tool.',
    },
    { name: 'here', names: ['--here'], kind: 'boolean', summary: 'Only sessions of this folder.' },
    {
      name: 'sessionDir',
      names: ['--session-dir'],
      kind: 'string',
      value: '<dir>',
      summary: 'Where sessions lie, instead of KERN_HOME/sessions.',
    },
  ],
  examples: [
    ['Everything', 'kern stats'],
    ['This week, by model', 'kern stats --days 7 --by model'],
    ['Which tools fail, and how long they take', 'kern stats --by tool'],
    ['For a program', 'kern stats --json'],
  ],
  run: async (_ctx, args, host) => (await import('./stats.ts')).stats(args, host),
};
