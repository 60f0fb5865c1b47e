import { type CommandArgs, type SessionSummary, sessions } from 'kern/contracts';
import { absentUi, type Ui, type View } from 'kern/plugin';
import { expect, test } from 'vitest';
import { chosenSession } from './chosen-session.ts';

const summary = (nth: number): SessionSummary => ({
  id: `0193a1b2-${nth}`,
  file: `/s/${nth}.jsonl`,
  name: nth === 1 ? 'A \u001b[31mname' : undefined,
  cwd: '/x',
  created: '2026-01-01T00:00:00.000Z',
  modified: `2026-01-0${nth}T10:00:00.000Z`,
  messages: nth,
  firstMessage: 'first words '.repeat(20),
  size: 1,
});

const view = {
  service: (token: unknown) => {
    expect(token).toBe(sessions);
    return { list: async () => [summary(1), summary(2)] };
  },
} as unknown as View;
const host = { view, say: () => {}, signal: new AbortController().signal };
const args = {
  options: { resume: '' },
  positionals: ['go', 'on'],
  shared: { cwd: '/x' },
} as unknown as CommandArgs;

test('a person who is there chooses from a list, on which nothing is obeyed by the terminal', async () => {
  let shown: readonly string[] = [];
  const ui: Ui = {
    ...absentUi(() => {}),
    select: async (_title, options) => {
      shown = options;
      return options[1];
    },
  };
  expect(await chosenSession(args, host, ui)).toEqual({ options: { resume: '/s/2.jsonl' }, words: ['go', 'on'] });
  expect(shown).toHaveLength(2);
  expect(shown[0]).toContain('A \\u{1b}[31mname');
  expect(shown[0]).toContain('(newest)');
  expect(Math.max(...shown.map(({ length }) => length))).toBeLessThan(130);
});

test('who chooses nothing goes on in nothing', async () => {
  const ui: Ui = { ...absentUi(() => {}), select: async () => undefined };
  await expect(chosenSession(args, host, ui)).rejects.toMatchObject({ code: 'usage' });
});
