import type { Command } from 'kern/contracts';
import { expect, test } from 'vitest';
import { commandHelp, describe, familyHelp, rootHelp, usage } from './help.ts';

const command = (path: string, more: Partial<Command> = {}): Command => ({
  path: path.split(' '),
  summary: `Does ${path}.`,
  examples: [[`Do ${path}`, `kern ${path} x`]],
  run: async () => 0,
  ...more,
});

const all = [
  command('launch', {
    options: [{ name: 'model', names: ['--model'], kind: 'string', value: '<id>', summary: 'The model.' }],
  }),
  command('tool list', { group: 'Look' }),
  command('tool call', {
    group: 'Work',
    positionals: [
      { name: 'name', required: true, summary: 'Which' },
      { name: 'json', summary: 'What' },
    ],
  }),
  command('weather', {}),
];

test('the root help lists every command with its summary, the options of a run, and those of every command', () => {
  const text = rootHelp(all, '1.2.3').join('\n');
  for (const part of [
    'kern 1.2.3',
    'tool list',
    'Does tool list.',
    'tool call <name> [json]',
    'Commands of plugins',
    'weather',
    '--model <id>',
    '--cwd <dir>',
    '-e, --extension <path>',
  ]) {
    expect(text).toContain(part);
  }
  expect(text.indexOf('Work')).toBeLessThan(text.indexOf('Look'));
});

test('the help of a command has its usage, its words, its options and its examples', () => {
  const text = commandHelp(all[2] as Command, all, '1').join('\n');
  expect(text).toContain('Usage: kern tool call [options] <name> [json]');
  expect(text).toContain('kern tool call x  # Do tool call');
  expect(text).toContain('Which');
});

test('the help of launch is the root help', () => {
  expect(commandHelp(all[0] as Command, all, '1')).toEqual(rootHelp(all, '1'));
});

test('a family lists its commands', () => {
  expect(familyHelp(['tool'], all.slice(1, 3)).join('\n')).toContain('tool list');
});

test('an option that repeats and a word that takes all the rest are shown as such', () => {
  expect(usage(command('x', { positionals: [{ name: 'path', rest: true, summary: '' }] }))).toBe(
    'kern x [options] [path…]',
  );
});

test('as JSON a command is its descriptor, without what runs', () => {
  expect(describe(all[1] as Command)).toMatchObject({
    path: ['tool', 'list'],
    usage: 'kern tool list [options]',
    examples: [{ text: 'Do tool list', line: 'kern tool list x' }],
  });
});
