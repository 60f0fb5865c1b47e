import type { ContextMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { fitResults, leaveOutResults, savedBy, shortText } from './prune.ts';
import { assistant, calling, result, user, words } from './test/desk.ts';
import { Tokens, textTokens } from './tokens.ts';

const tokens = new Tokens();
const entriesOf = (messages: readonly Message[]): readonly ContextMessage[] =>
  messages.map((message, at) => ({ message, entryId: String(at) }));
const round = (id: string, name: string, size: number): readonly Message[] => [
  calling(id, name),
  result(id, name, words(size), { details: { path: `/${id}`, much: words(10) } }),
];

test('old results are left out, new ones and those of skills stay', () => {
  const entries = entriesOf([
    user('a'),
    ...round('c1', 'read', 1_000),
    ...round('c2', 'skill', 1_000),
    ...round('c3', 'grep', 20),
    ...round('c4', 'read', 1_000),
  ]);
  const edits = leaveOutResults(entries, tokens, { from: 0, protect: 1_500 });
  expect(edits.map(({ at }) => at)).toEqual([2]);
  expect(savedBy(edits)).toBeGreaterThan(950);
  const [edit] = edits;
  expect(edit?.replacement).toMatchObject({ toolCallId: 'c1', toolName: 'read', details: { path: '/c1' } });
  expect(JSON.stringify(edit?.replacement)).not.toContain('xxxx');
});

test('what is left out once is not left out again', () => {
  const entries = entriesOf([user('a'), ...round('c1', 'read', 1_000)]);
  const [edit] = leaveOutResults(entries, tokens, { from: 0, protect: 0 });
  const after = [...entries.slice(0, 2), { message: edit?.replacement as Message, entryId: '2' }];
  expect(leaveOutResults(after, tokens, { from: 0, protect: 0 })).toEqual([]);
});

test('only as many as are needed; the newest are shortened last', () => {
  const entries = entriesOf([
    user('a'),
    ...round('c1', 'read', 1_000),
    ...round('c2', 'read', 1_000),
    assistant('x'),
    ...round('c3', 'read', 2_000),
  ]);
  expect(fitResults(entries, tokens, 0, 500).map(({ at }) => at)).toEqual([2]);
  expect(fitResults(entries, tokens, 0, 0)).toEqual([]);
  const all = fitResults(entries, tokens, 0, 3_000);
  expect(all.map(({ at }) => at)).toEqual([2, 4, 7]);
  expect(savedBy(all)).toBeGreaterThanOrEqual(2_950);
  expect(tokens.of(all[2]?.replacement as Message)).toBeGreaterThan(500);
});

test('a shortened text says what is missing, keeps both ends, and halves no character', () => {
  const text = `begin ${'😀'.repeat(1_000)} end`;
  const short = shortText(text, 100);
  expect(short).toMatch(/^begin .*left out.*end$/s);
  expect(short.isWellFormed()).toBe(true);
  expect(textTokens(short)).toBeLessThan(130);
  expect(shortText('abc', 1)).toBe('abc');
});
