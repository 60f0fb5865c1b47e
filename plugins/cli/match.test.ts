import type { Command } from 'kern/contracts';
import { expect, test } from 'vitest';
import { match } from './match.ts';
import { namesOf, readWords } from './words.ts';

const command = (path: string, takesWords = false): Command => ({
  path: path.split(' '),
  summary: path,
  examples: [['', path]],
  ...(takesWords ? { positionals: [{ name: 'word', summary: '' }] } : {}),
  run: async () => 0,
});

const commands = [
  command('launch', true),
  command('plugins'),
  command('plugins list'),
  command('plugins info', true),
  command('tool list'),
  command('tool call', true),
  command('demo'),
];

const names = namesOf([
  { name: 'print', names: ['-p'], kind: 'boolean', summary: '' },
  { name: 'json', names: ['--json'], kind: 'boolean', summary: '' },
]);

/** The kind, and what it is about. */
function meant(...argv: string[]): string {
  const found = match(readWords(argv, names), commands, { launchOnly: new Set(['-p']) });
  switch (found.kind) {
    case 'command':
      return found.command.path.join(' ');
    case 'family':
      return `family ${found.words.join(' ')}`;
    case 'stray':
      return `stray ${found.stray} → ${found.near.join()}`;
    case 'slip':
      return `slip → ${found.near.join()}`;
    case 'help':
      return `help ${found.about.kind}`;
    default:
      return found.kind;
  }
}

test('a known command wins, the longest name first', () => {
  expect(meant('plugins')).toBe('plugins');
  expect(meant('plugins', 'list')).toBe('plugins list');
  expect(meant('--json', 'plugins', 'info', 'list')).toBe('plugins info');
  expect(meant('launch', 'plugins')).toBe('launch');
});

test('a bare word within two edits of a command is a slip', () => {
  expect(meant('plugin')).toBe('slip → plugins');
  expect(meant('Plugins')).toBe('slip → plugins');
  expect(meant('plgins', 'list')).toBe('slip → plugins');
  expect(meant('tols')).toBe('slip → tool');
});

test('everything else is a prompt', () => {
  for (const line of [['fix'], ['hello', 'there'], ['plugin list is odd'], ['./plugin'], ['plügins?']])
    expect(meant(...line)).toBe('prompt');
});

test('-- sends a command as a prompt', () => {
  expect(meant('--', 'plugins')).toBe('prompt');
  expect(meant('--', 'plugin')).toBe('prompt');
});

test('an option that only a run takes, before the first word, says that it is a prompt', () => {
  expect(meant('-p', 'plugin')).toBe('prompt');
  expect(meant('plugins', '-p')).toBe('plugins');
});

test('the beginning of commands is told, and a stray word with near ones', () => {
  expect(meant('tool')).toBe('family tool');
  expect(meant('tool', 'lst')).toBe('stray lst → list');
  expect(meant('plugins', 'lits')).toBe('stray lits → list');
});

test('help is about a command, or else a word like any other', () => {
  expect(meant('help')).toBe('help nothing');
  expect(meant('help', 'tool', 'call')).toBe('help command');
  expect(meant('help', 'tool')).toBe('help family');
  expect(meant('help', 'me', 'with', 'this')).toBe('prompt');
});

test('nothing is nothing', () => {
  expect(meant()).toBe('nothing');
  expect(meant('--json')).toBe('nothing');
});
