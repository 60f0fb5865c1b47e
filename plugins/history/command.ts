import type { Command } from 'kern/contracts';

export const historyCommand: Command = {
  path: ['history'],
  group: 'Look',
  summary: 'What you typed before, newest first.',
  details:
    'Words find prompts that hold all of them, or their beginnings. It is the history of prompts in\nKERN_HOME/history.db; what was answered is in the sessions: kern sessions list.',
  examples: [
    ['The last prompts', 'kern history'],
    ['Those that speak of a migration, in this folder', 'kern history migration --here'],
    ['The last thousand, for a program', 'kern history --limit 1000 --json'],
    ['Forget everything', 'kern history --clear'],
  ],
  json: true,
  options: [
    { name: 'limit', names: ['-n', '--limit'], kind: 'string', value: '<n>', summary: 'How many; 20 without it.' },
    { name: 'here', names: ['--here'], kind: 'boolean', summary: 'Only prompts of this folder.' },
    { name: 'clear', names: ['--clear'], kind: 'boolean', summary: 'Forget all prompts.' },
  ],
  positionals: [{ name: 'query', rest: true, summary: 'Words to look for' }],
  run: async (_ctx, args, host) => (await import('./show.ts')).show(args, host),
};
