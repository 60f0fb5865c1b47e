import type { Command, OptionDescriptor, PositionalDescriptor } from 'kern/contracts';

const provider: PositionalDescriptor = {
  name: 'provider',
  summary: 'What stands before the slash of a model: anthropic, openai, google, …',
};
const account = (summary: string): OptionDescriptor => ({
  name: 'account',
  names: ['--account'],
  kind: 'string',
  value: '<name>',
  summary,
});

const status: Omit<Command, 'path' | 'examples'> = {
  group: 'Set up',
  summary: 'Which keys and sign-ins there are, in the order in which they are used.',
  json: true,
  run: async (_ctx, args, host) => (await import('./status.ts')).status(args, host),
};

export const authCommands: readonly Command[] = [
  {
    ...status,
    path: ['auth'],
    summary: 'Keys and sign-ins of models: login, logout, status, token.',
    details: [
      'A key in the environment needs none of this. What is kept stands in KERN_HOME/auth.json, for you alone to read, and is',
      'used after the environment. Several accounts of one provider stand in for each other when one has met its limit.',
    ].join('\n'),
    examples: [
      ['What there is', 'kern auth'],
      ['Keep a key; it is asked for, and not shown', 'kern auth login anthropic --key'],
      ['Sign in with a subscription', 'kern auth login github-copilot'],
    ],
  },
  { ...status, path: ['auth', 'status'], examples: [['As JSON', 'kern auth status --json']] },
  {
    path: ['auth', 'login'],
    group: 'Set up',
    summary: 'Sign in to a provider of models, or keep a key for it.',
    details: [
      'Where one can sign in, a page is named to open in a browser; on another machine (ssh), paste the address at which the',
      'browser ends. A key is typed unseen or piped in, and never an argument: those are seen by others. In the place of a',
      'key, `$NAME` means a variable of the environment, and `!command` what a program prints when the key is needed.',
    ].join('\n'),
    json: true,
    takesSecrets:
      'A key is no argument: `--key` asks for it, or takes what is piped in. One that was typed here stands in the history of the shell.',
    options: [
      { name: 'key', names: ['--key'], kind: 'boolean', summary: 'A key, also where one could sign in.' },
      account('What to call it. Default: what the server says, or the end of the key.'),
    ],
    positionals: [provider],
    examples: [
      ['Choose from a list', 'kern auth login'],
      ['Keep a key that you type', 'kern auth login openai --key'],
      ['Keep a key that another program prints', 'pass show anthropic | kern auth login anthropic --key'],
      ['A second account, for when the first has met its limit', 'kern auth login anthropic --account work'],
    ],
    run: async (_ctx, args, host) => (await import('./login.ts')).login(args, host),
  },
  {
    path: ['auth', 'logout'],
    group: 'Set up',
    summary: 'Forget what is kept for a provider, and tell the server where that can be done.',
    json: true,
    options: [account('Only this one.')],
    positionals: [{ ...provider, required: true }],
    examples: [
      ['All accounts of a provider', 'kern auth logout anthropic'],
      ['One of them', 'kern auth logout anthropic --account work'],
    ],
    run: async (_ctx, args, host) => (await import('./logout.ts')).logout(args, host),
  },
  {
    path: ['auth', 'token'],
    group: 'Look',
    summary: 'Print the secret that a request would carry now, renewed if need be.',
    json: true,
    positionals: [{ ...provider, required: true }],
    examples: [['For a program that asks the same server', 'kern auth token github-copilot | my-program']],
    run: async (_ctx, args, host) => (await import('./token.ts')).token(args, host),
  },
];
