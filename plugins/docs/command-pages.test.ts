import type { Command } from 'kern/contracts';
import { expect, test } from 'vitest';
import { commandSections } from './command-pages.ts';

const command = (path: readonly string[], more: Partial<Command> = {}): Command => ({
  path,
  summary: `Does ${path.join(' ')}.`,
  examples: [['Do it', `kern ${path.join(' ')}`]],
  run: async () => 0,
  ...more,
});

test('commands stand under their headings, in the order of their words', () => {
  const lines = commandSections([
    command(['zip'], { group: 'Look' }),
    command(['trust', 'why'], { group: 'Set up' }),
    command(['trust'], { group: 'Set up' }),
    command(['stray']),
  ]);
  expect(lines.filter((line) => line.startsWith('#') && !line.startsWith('# '))).toEqual([
    '## Set up',
    '### kern trust',
    '### kern trust why',
    '## Look',
    '### kern zip',
    '## Others',
    '### kern stray',
  ]);
});

test('a command is shown with its words, options and examples', () => {
  const lines = commandSections([
    command(['dig'], {
      group: 'Work',
      json: true,
      positionals: [
        { name: 'place', summary: 'Where.', required: true },
        { name: 'more', summary: 'Where else.', rest: true },
      ],
      options: [
        { name: 'deep', names: ['-d', '--deep'], kind: 'boolean', summary: 'Dig deep.' },
        {
          name: 'tool',
          names: ['--tool'],
          kind: 'string',
          value: '<tool>',
          summary: 'With what.',
          choices: ['spade', 'hand'],
        },
      ],
    }),
  ]);
  expect(lines.join('\n')).toBe(
    [
      '## Work',
      '',
      '### kern dig',
      '',
      '`kern dig <place> [more…]`',
      '',
      'Does dig. Takes `--json`.',
      '',
      '| word | what it is |',
      '|---|---|',
      '| `place` | Where. |',
      '| `more` | Where else. |',
      '',
      '| option | what it does |',
      '|---|---|',
      '| `-d`, `--deep` | Dig deep. |',
      '| `--tool` `<tool>` | With what. One of `spade`, `hand`. |',
      '',
      '```sh',
      '# Do it',
      'kern dig',
      '```',
    ].join('\n'),
  );
});
