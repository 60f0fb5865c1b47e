import type { ContextMessage, CustomMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { findCut } from './cut.ts';
import { assistant, calling, result, user, words } from './test/desk.ts';
import { Tokens } from './tokens.ts';

const tokens = new Tokens();
const entriesOf = (messages: readonly Message[]): readonly ContextMessage[] =>
  messages.map((message, at) => ({ message, entryId: String(at) }));
const note = (customType: string, text = 'n'): CustomMessage => ({
  role: 'custom',
  customType,
  content: [{ type: 'text', text }],
  display: false,
  timestamp: 0,
});
const cutOf = (
  messages: readonly Message[] | readonly ContextMessage[],
  { keep, room = keep, divideAbove = 0, least }: { keep: number; room?: number; divideAbove?: number; least?: number },
) => {
  const entries = messages.map((item, at) =>
    'message' in item ? item : { message: item, entryId: String(at) },
  ) as readonly ContextMessage[];
  return findCut({
    entries,
    tokens: ({ message }) => tokens.of(message),
    keep,
    room,
    divideAbove,
    leastOf: (from) => least ?? tokens.sum(entries, from),
  });
};

test('as much stays as is to stay, from where somebody begins to speak', () => {
  const history = [user(words(50)), assistant(words(50)), user(words(50)), assistant(words(50)), user(words(50))];
  expect(cutOf(history, { keep: 120 })).toEqual({ start: 0, turn: 2, first: 3 });
  expect(cutOf(history, { keep: 160 })).toEqual({ start: 0, turn: 2, first: 2 });
  expect(cutOf(history, { keep: 1_000 })).toBeUndefined();
});

test('a call and its results stay together', () => {
  const history = [
    user('a'),
    calling('c1', 'read'),
    result('c1', 'read', words(100)),
    note('said between'),
    user('b'),
    calling('c2', 'read'),
    result('c2', 'read', words(10)),
  ];
  expect(cutOf(history, { keep: 60 })?.first).toBe(3);
  expect(cutOf(history, { keep: 10 })?.first).toBe(3);
  const apart = [user('a'), calling('c1', 'read'), user(words(50)), result('c1', 'read', 'r'), assistant('end')];
  expect(cutOf(apart, { keep: 20 })?.first).toBe(4);
});

test('ids of calls that come again belong to the reply before them', () => {
  const round = [calling('c1', 'read'), result('c1', 'read', words(50))];
  const history = [user('a'), ...round, assistant('x'), user('b'), ...round, assistant('y')];
  expect(cutOf(history, { keep: 57 })).toEqual({ start: 0, turn: 4, first: 4 });
});

test('the last turn stays whole while there is room, if need be without old results', () => {
  const history = [
    user(words(50)),
    assistant(words(50)),
    user('do'),
    calling('c1', 'read'),
    result('c1', 'read', words(300)),
    assistant(words(20)),
  ];
  expect(cutOf(history, { keep: 50, room: 400 })).toEqual({ start: 0, turn: 2, first: 2 });
  expect(cutOf(history, { keep: 50, room: 100, least: 60 })).toEqual({ start: 0, turn: 2, first: 2 });
  expect(cutOf(history, { keep: 50, room: 100 })).toEqual({ start: 0, turn: 2, first: 5 });
});

test('notes and files before what a person says are part of the turn', () => {
  const history = [user('a'), assistant(words(50)), note('kern.file-mention', words(50)), user('b'), assistant('c')];
  expect(cutOf(history, { keep: 20, room: 100 })).toEqual({ start: 0, turn: 2, first: 2 });
  expect(cutOf(history, { keep: 3, room: 100 })).toEqual({ start: 0, turn: 2, first: 2 });
});

test('a turn that began before the last summary is not told apart', () => {
  const history = [
    note('kern.compaction', words(30)),
    calling('c1', 'read'),
    result('c1', 'read', words(50)),
    calling('c2', 'read'),
    result('c2', 'read', words(50)),
    assistant('end'),
  ];
  expect(cutOf(history, { keep: 70 })).toEqual({ start: 1, turn: 3, first: 3 });
});

test('the only turn is divided when it is large, and let be when it is small', () => {
  const history = [user('do'), calling('c1', 'read'), result('c1', 'read', words(300)), assistant(words(20))];
  expect(cutOf(history, { keep: 50, room: 1_000, divideAbove: 100 })).toEqual({ start: 0, turn: 0, first: 3 });
  expect(cutOf(history, { keep: 50, room: 1_000, divideAbove: 1_000 })).toBeUndefined();
});

test('what has no entry is no place to cut', () => {
  const [a, b, c] = entriesOf([user(words(50)), assistant(words(50)), assistant('c')]);
  const made = [a, { ...(b as ContextMessage), entryId: undefined }, c] as ContextMessage[];
  expect(cutOf(made, { keep: 90 })?.first).toBe(2);
  expect(cutOf(entriesOf([user(words(50))]), { keep: 10 })).toBeUndefined();
  expect(cutOf([], { keep: 10 })).toBeUndefined();
});
