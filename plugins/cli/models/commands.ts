import type { Command } from 'kern/contracts';

const list: Omit<Command, 'path' | 'examples'> = {
  group: 'Look',
  summary: 'All models that some provider names, with their prices.',
  details: [
    'Words narrow the list down: each has to be in the name. `*` and `?` make a pattern of one.',
    'Prices are US dollars a million tokens; `?` is a price that nobody knows, `+` one that is higher for long prompts.',
  ].join('\n'),
  json: true,
  options: [
    { name: 'available', names: ['--available'], kind: 'boolean', summary: 'Only those that can be used now.' },
  ],
  positionals: [{ name: 'filter', rest: true, summary: 'Words of the name, or a pattern' }],
  run: async (_ctx, args, host) => (await import('./list.ts')).list(args, host),
};

export const modelCommands: readonly Command[] = [
  {
    ...list,
    path: ['models'],
    summary: 'Models: list, info, refresh, test.',
    examples: [
      ['What can be used now', 'kern models --available'],
      ['What is known of one', 'kern models info sonnet'],
      ['Whether it answers', 'kern models test openai/gpt-6.2-sol'],
    ],
  },
  {
    ...list,
    path: ['models', 'list'],
    examples: [
      ['Everything that is known', 'kern models list'],
      ['What can be used now', 'kern models list --available'],
      ['All of a family, for a program', 'kern models list sonnet --json'],
      ['By a pattern', "kern models list 'openrouter/*kimi*'"],
    ],
  },
  {
    path: ['models', 'info'],
    group: 'Look',
    summary: 'What is known of a model, and what a name means.',
    json: true,
    positionals: [
      { name: 'model', rest: true, summary: 'A name as --model takes it; default: the model that would be used' },
    ],
    examples: [
      ['Which model `sonnet` is', 'kern models info sonnet'],
      ['The one that is used without --model', 'kern models info'],
      ['The one for small tasks', 'kern models info small'],
    ],
    run: async (_ctx, args, host) => (await import('./info.ts')).info(args, host),
  },
  {
    path: ['models', 'refresh'],
    group: 'Set up',
    summary: 'Ask the public catalogue and the servers what models there are now.',
    details: [
      'Prices, limits and new models come from the catalogue that the setting `modelCatalog` names (false: from none), and',
      'what each server has from the server itself, where a key is set or it runs on this machine. What does not answer',
      'changes nothing: what it said the last time still counts.',
    ].join('\n'),
    json: true,
    positionals: [{ name: 'provider', rest: true, summary: 'Only these; default: all that can be asked' }],
    examples: [
      ['Ask all', 'kern models refresh'],
      ['What a local server has, with the context of each', 'kern models refresh ollama'],
      ['Without the public catalogue', 'kern config set modelCatalog false && kern models refresh'],
    ],
    run: async (_ctx, args, host) => (await import('./refresh.ts')).refresh(args, host),
  },
  {
    path: ['models', 'test'],
    group: 'Look',
    summary: 'Send one tiny request: does it answer, how fast, does it stream, does it call tools?',
    json: true,
    positionals: [
      { name: 'model', rest: true, summary: 'A name as --model takes it; default: the model that would be used' },
    ],
    examples: [
      ['The one that would be used', 'kern models test'],
      ['A local one', 'kern models test ollama/qwen3:8b'],
      ['For a program', 'kern models test haiku --json'],
    ],
    run: async (_ctx, args, host) => (await import('./test-model.ts')).testModel(args, host),
  },
];
