import { expect, test } from 'vitest';
import { withoutCut } from './cut.ts';

test.each([
  ['npm test | tail -20', { command: 'npm test', tail: 20 }],
  ['npm test 2>&1 | tail -n 20', { command: 'npm test 2>&1', tail: 20 }],
  ['npm test |& tail -n20', { command: 'npm test |& tail -n20' }],
  ['ls -la|head', { command: 'ls -la', head: 10 }],
  ['a | b | head -n 5', { command: 'a | b', head: 5 }],
  ['grep "a; b | c" x | head --lines=5', { command: 'grep "a; b | c" x', head: 5 }],
  ['make &> log | tail -3', { command: 'make &> log', tail: 3 }],
])('%s is done by the tool', (command, cut) => {
  expect(withoutCut(command)).toEqual(cut);
});

test.each([
  'a; b | head -5',
  'a && b | head -5',
  'a || b | head -5',
  'a & b | head -5',
  'a\nb | head -5',
  '(a; b) | head -5',
  '{ a; } | head -5',
  'for i in 1 2; do echo; done | head -5',
  'echo $(a | head -5',
  'echo `a | head -5',
  'echo "a | head -5',
  'cat <<X | head -5',
  'a | head -c 5',
  'a | head -5 file',
  'a | tail -f',
  'a | tail -n +5',
  'a | head -0',
  '! a | head -5',
  'time a | tail -1',
  'a # b | head -5',
  'a || head -5',
  '| head -5',
  'head -5 file',
])('%s stays as it is', (command) => {
  expect(withoutCut(command)).toEqual({ command });
});
