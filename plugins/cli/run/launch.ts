import { type Command, type CommandArgs, type CommandHost, commands, thinkingLevels } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';

export const launch: Command = {
  path: ['launch'],
  group: 'Work',
  summary: 'Do a task in this folder. `kern launch` and `kern` are the same.',
  details: [
    'Plain words are one message; quoted messages are sent one after the other.',
    '@file puts a text file or an image before the message; what is piped in comes first in the message.',
    'A session is named by its path, its id, or the beginning of its id.',
  ].join('\n'),
  examples: [
    ['Do a task in this folder', 'kern "find the failing test and fix it"'],
    ['Only the answer, on stdout', 'kern -p "what does src/main.ts do?"'],
    ['Ask about a file and an image', 'kern -p @notes.md @screen.png "what is missing?"'],
    ['Every event as a line of JSON', 'kern --mode json "list the exports of api.ts"'],
    ['Without a model: replies from a file', 'kern --model script/replies.yml "hi"'],
    ['Go on where this terminal was last in this folder', 'kern -c "and now the tests"'],
    ['No more than 50 cents, and no longer than ten minutes', 'kern -p --max-cost 0.50 --max-time 10m "fix the tests"'],
    ['Keep what the model answers, to play it again without one', 'kern -p --record bug.yml "why does this fail?"'],
    ['Go on in a copy of a session', 'kern --session 0193a1 --fork "try it another way"'],
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
      value: '<model>',
      summary:
        'The model: provider/id as `kern models list` names it, a part of its name, a role; `:high` says how it thinks.',
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
    {
      name: 'thinking',
      names: ['--thinking'],
      kind: 'string',
      value: '<level>',
      choices: thinkingLevels,
      summary: `How much it thinks: ${thinkingLevels.join(', ')}; what the model cannot do is lowered.`,
    },
    {
      name: 'continue',
      names: ['-c', '--continue'],
      kind: 'boolean',
      summary: 'Go on in the session of this terminal and folder, else in the newest of the folder.',
    },
    {
      name: 'resume',
      names: ['-r', '--resume'],
      kind: 'string',
      optional: true,
      value: '[id]',
      summary: 'Go on in a session; without an id, choose one.',
    },
    {
      name: 'session',
      names: ['--session'],
      kind: 'string',
      value: '<path|id>',
      summary: 'Go on in this session.',
    },
    {
      name: 'fork',
      names: ['--fork'],
      kind: 'string',
      optional: true,
      value: '[path|id]',
      summary: 'Go on in a copy of a session: of this one, or of the one that -c, -r or --session means.',
    },
    {
      name: 'sessionDir',
      names: ['--session-dir'],
      kind: 'string',
      value: '<dir>',
      summary: 'Where sessions lie, instead of KERN_HOME/sessions.',
    },
    {
      name: 'maxCost',
      names: ['--max-cost'],
      kind: 'string',
      value: '<usd>',
      summary: 'Stop when so many US dollars were paid; the model must have a known price.',
    },
    {
      name: 'maxTurns',
      names: ['--max-turns'],
      kind: 'string',
      value: '<n>',
      summary: 'Stop after so many requests to the model.',
    },
    {
      name: 'maxTime',
      names: ['--max-time'],
      kind: 'string',
      value: '<90s|5m>',
      summary: 'Stop after this time, also in the middle of a reply or a tool; exit code 124.',
    },
    { name: 'noSession', names: ['--no-session'], kind: 'boolean', summary: 'Keep nothing of it on disk.' },
    { name: 'name', names: ['--name'], kind: 'string', value: '<text>', summary: 'The name of the session.' },
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
  run: async (ctx, args, host) => {
    if (args.options.listModels === true) return listModels(ctx, args, host);
    return (await import('./run.ts')).run(args, host);
  },
};

/** The same as `kern models list`. */
async function listModels(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number> {
  const reader = ctx.use(commands);
  await reader.load(host.signal, 'models list');
  const list = reader.get('models list');
  if (list !== undefined) return ctx.run(list, (command) => command.run(ctx, args, host));
  throw new KernError('usage', '`kern models` is switched off', { hint: 'switch the plugin cli.models on' });
}
