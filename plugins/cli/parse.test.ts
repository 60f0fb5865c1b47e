import type { Command, CommandArgs } from 'kern/contracts';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';
import { sharedDescriptors } from './shared.ts';
import { namesOf, readWords } from './words.ts';

const call: Command = {
  path: ['tool', 'call'],
  summary: 'Call a tool',
  examples: [['Read a file', 'kern tool call read {}']],
  options: [
    { name: 'json', names: ['--own'], kind: 'boolean', summary: '' },
    { name: 'model', names: ['-m', '--model'], kind: 'string', value: '<id>', summary: '' },
    { name: 'item', names: ['--item'], kind: 'list', summary: '' },
    { name: 'mode', names: ['--mode'], kind: 'string', choices: ['text', 'json'], summary: '' },
    { name: 'noTools', names: ['--no-tools'], kind: 'boolean', summary: '' },
  ],
  positionals: [
    { name: 'name', required: true, summary: 'The tool' },
    { name: 'rest', rest: true, summary: '' },
  ],
  run: async () => 0,
};

const shared = {
  cwd: '/',
  trust: false,
  permissionMode: undefined,
  config: undefined,
  extensions: [],
  noExtensions: false,
  json: false,
};

async function parsed(argv: readonly string[], command: Command = call): Promise<CommandArgs> {
  const words = readWords(argv, namesOf([...sharedDescriptors, ...(command.options ?? [])]));
  const path = words.filter((word) => word.kind === 'word').slice(0, command.path.length);
  return parse(command, words, path, shared);
}

test('options and words come out by their names, wherever they stood', async () => {
  const { options, positionals } = await parsed([
    '--item',
    'a',
    'tool',
    '-m',
    'x/y',
    'call',
    'read',
    '--item=b',
    '{}',
    '--trust',
  ]);
  expect(options).toEqual({ json: undefined, model: 'x/y', item: ['a', 'b'], mode: undefined, noTools: undefined });
  expect(positionals).toEqual(['read', '{}']);
});

test('values and words that look like options stay what they are', async () => {
  const { options, positionals } = await parsed(['tool', 'call', '--model=--odd', '--', '--model', '-x']);
  expect(options).toMatchObject({ model: '--odd' });
  expect(positionals).toEqual(['--model', '-x']);
});

test('a value may hold lines and equals signs', async () => {
  expect((await parsed(['tool', 'call', 'read', '--model', 'a=b\nc'])).options).toMatchObject({ model: 'a=b\nc' });
});

test('a switch whose name begins with no- is a switch', async () => {
  expect((await parsed(['tool', 'call', 'read', '--no-tools'])).options).toMatchObject({ noTools: true });
});

test('the names of options cannot collide with those of the parser', async () => {
  const odd: Command = {
    ...call,
    path: ['odd'],
    options: ['path', 'context', 'cli', 'help'].map((name) => ({
      name,
      names: [`--the-${name}`],
      kind: 'string',
      summary: '',
    })),
  };
  const { options } = await parsed(
    ['odd', 'x', '--the-path', 'p', '--the-context', 'c', '--the-cli', 'l', '--the-help', 'h'],
    odd,
  );
  expect(options).toEqual({ path: 'p', context: 'c', cli: 'l', help: 'h' });
});

test('an unknown option is refused with its near name', async () => {
  await expect(parsed(['tool', 'call', 'read', '--modle', 'x'])).rejects.toMatchObject({
    code: 'usage',
    message: 'kern tool call has no option --modle',
    hint: 'Did you mean --model or --mode?',
  });
  await expect(parsed(['tool', 'call', 'read', '--zzzzzz'])).rejects.toMatchObject({
    hint: '`kern tool call --help` lists its options.',
  });
});

test('a missing word, a word too many, a missing value and a value that is none are refused', async () => {
  await expect(parsed(['tool', 'call'])).rejects.toThrow('needs name: The tool');
  await expect(parsed(['tool', 'call', 'read', '--model'])).rejects.toThrow('--model needs a value <id>');
  await expect(parsed(['tool', 'call', 'read', '--mode', 'rpc'])).rejects.toThrow('it takes text, json');
  const lone: Command = { ...call, positionals: [] };
  await expect(parsed(['tool', 'call', 'read'], lone)).rejects.toThrow('has no use for read');
});
