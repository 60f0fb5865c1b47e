import type { Command } from 'kern/contracts';

export const launch: Command = {
  path: ['launch'],
  group: 'Work',
  summary: 'Do a task in this folder. `kern launch` and `kern` are the same.',
  details: [
    'Plain words are one message; quoted messages are sent one after the other.',
    '@file puts a text file or an image before the message; what is piped in comes before that.',
  ].join('\n'),
  examples: [
    ['Do a task in this folder', 'kern "find the failing test and fix it"'],
    ['Only the answer, on stdout', 'kern -p "what does src/main.ts do?"'],
    ['Ask about a file and an image', 'kern -p @notes.md @screen.png "what is missing?"'],
    ['Every event as a line of JSON', 'kern --mode json "list the exports of api.ts"'],
    ['Without a model: replies from a file', 'kern --model script/replies.yml "hi"'],
  ],
  json: true,
  options: [
    {
      name: 'print',
      names: ['-p', '--print'],
      kind: 'boolean',
      summary: 'Answer once on stdout and end; nobody is asked.',
    },
    {
      name: 'mode',
      names: ['--mode'],
      kind: 'string',
      value: '<text|json>',
      summary: 'How the run is shown: text, json (a line an event), or what a plugin adds.',
    },
    {
      name: 'model',
      names: ['--model'],
      kind: 'string',
      value: '<provider/id>',
      summary: 'The model, as `kern --list-models` names it.',
    },
    { name: 'tools', names: ['--tools'], kind: 'string', value: '<a,b>', summary: 'Only these tools.' },
    { name: 'noTools', names: ['--no-tools'], kind: 'boolean', summary: 'No tools.' },
    {
      name: 'systemPrompt',
      names: ['--system-prompt'],
      kind: 'string',
      value: '<text|file>',
      summary: 'In place of the system prompt.',
    },
    {
      name: 'appendSystemPrompt',
      names: ['--append-system-prompt'],
      kind: 'list',
      value: '<text|file>',
      summary: 'After the system prompt; may be given more than once.',
    },
    { name: 'noSession', names: ['--no-session'], kind: 'boolean', summary: 'Keep nothing of it on disk.' },
    {
      name: 'listModels',
      names: ['--list-models'],
      kind: 'boolean',
      summary: 'List models (those that match the message), and end.',
    },
    {
      name: 'allowHome',
      names: ['--allow-home'],
      kind: 'boolean',
      summary: 'Stay in the home folder when started there.',
    },
  ],
  positionals: [{ name: 'message', rest: true, summary: 'What to do; @file adds a file.' }],
  run: async (_ctx, args, host) => {
    if (args.options.listModels === true) return (await import('./list-models.ts')).listModels(args, host);
    return (await import('./run.ts')).run(args, host);
  },
};
