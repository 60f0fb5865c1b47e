import { type AgentEvent, type AgentSession, type Rule, rules, ruleTriggered } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { matchesOf, type Part, watchOf } from './stream-condition.ts';
import { StreamRules } from './stream-rules.ts';
import { openPlace, textOf } from './test/place.ts';
import { ToldTexts } from './told-texts.ts';
import { isOneOf } from './touched-files.ts';

const files = {
  'project/.kern/rules/no-any.md': '---\ncondition: ": any\\\\b"\nscope: text\n---\nNever write any.',
};

test('a rule that matches stops the reply, is told once, and is announced', async () => {
  const heard: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => ctx.tap(ruleTriggered, ({ rule, match }) => void heard.push(`${rule}: ${match}`)),
  });
  await using place = await openPlace({
    files,
    plugins: [listener],
    turns: [
      { text: ['const x', ': any', ' = 1;', ...Array.from({ length: 50 }, () => ' more')], delayMs: 20 },
      { text: 'const x: unknown = 1; // not : any' },
      { text: ': any again' },
    ],
  });
  const result = await place.session.prompt({ text: 'x' });
  expect(result).toMatchObject({ status: 'ok', text: 'const x: unknown = 1; // not : any' });
  const told = place.requests[1]?.messages.at(-1);
  expect(told).toMatchObject({ role: 'custom', customType: 'kern.rule' });
  expect(textOf(told)).toMatch(
    /^<system-interrupt reason="rule" rule="no-any" path="\.kern\/rules\/no-any\.md">\n.*\n\nNever write any\.\n<\/system-interrupt>$/s,
  );
  expect(heard).toEqual(['no-any: : any']);
  expect(place.system()).not.toContain('Never write any.');
  await place.session.prompt({ text: 'y' });
  expect(place.requests).toHaveLength(3);
});

test('a reply that is over in no time is stopped all the same', async () => {
  await using place = await openPlace({
    files,
    turns: [{ text: ['const x', ': any', ' = 1;'] }, { text: 'const x: unknown = 1;' }],
  });
  expect(await place.session.prompt({ text: 'x' })).toMatchObject({ status: 'ok', text: 'const x: unknown = 1;' });
});

const rule = (rest: Partial<Rule>): Rule => ({
  name: 'r',
  path: '/p/r.md',
  globs: [],
  alwaysApply: false,
  condition: ['foo'],
  scope: [],
  read: async () => '',
  ...rest,
});
const isFile = (path: string, globs: readonly string[]): boolean => isOneOf(path, globs, { cwd: '/p', root: '/p' });
const write: Part = { kind: 'tool', tool: 'write', path: '/p/a.ts', written: 'has foo' };

test.for([
  [{}, { kind: 'thinking', written: 'a foo' }, 'foo'],
  [{ condition: ['(?i)FOO'] }, { kind: 'text', written: 'a foo' }, 'foo'],
  [{ scope: ['text'] }, write, undefined],
  [{ scope: ['tool'] }, write, 'foo'],
  [{ scope: ['tool:edit'] }, write, undefined],
  [{ scope: ['tool:write(*.ts)'] }, write, 'foo'],
  [{ scope: ['tool:write(*.rs)'] }, write, undefined],
  [{ globs: ['*.ts'] }, write, 'foo'],
  [{ globs: ['*.ts'] }, { kind: 'text', written: 'foo' }, undefined],
  [{ condition: ['*.ts'] }, write, ''],
  [{ condition: ['*.ts'] }, { kind: 'text', written: 'a.ts' }, undefined],
  [{ condition: ['nothing'] }, write, undefined],
] as const satisfies readonly (readonly [Partial<Rule>, Part, string | undefined])[])(
  'a rule with %j sees in %j: %j',
  ([rest, part, found]) => {
    expect(watchOf(rule(rest), () => {}).match(part, isFile)).toBe(found);
  },
);

test('a condition that is no regular expression is told, and the others watch on', () => {
  const said: string[] = [];
  const watch = watchOf(rule({ condition: ['(', 'foo'] }), (why) => void said.push(why));
  expect(watch.match(write, isFile)).toBe('foo');
  expect(said.join()).toMatch(/^\/p\/r\.md: the condition "\(" is no regular expression: /);
});

test('a condition that does not come to an end is broken off and told once with its rule, and the others watch on', () => {
  const said: string[] = [];
  const watch = watchOf(rule({ condition: ['(a+)+$', 'foo'] }), (why) => void said.push(why));
  const endless: Part = { kind: 'text', written: `${'a'.repeat(60)}!` };
  expect(matchesOf([watch], endless, isFile)).toEqual([]);
  expect(watch.match({ ...endless, written: `${endless.written} foo` }, isFile)).toBe('foo');
  expect(said).toEqual([expect.stringContaining('/p/r.md: the condition "(a+)+$" of the rule r takes too long')]);
});

test('globs that do not come to an end are broken off, and told once', () => {
  const globs = [`${'+(a|aa|aaa)'.repeat(30)}b`, `${'{a,b}'.repeat(40)}`];
  const file = `/p/${'a'.repeat(80)}!`;
  expect(() => isFile(file, globs)).toThrow('take too long');
  const said: string[] = [];
  const watch = watchOf(rule({ globs }), (why) => void said.push(why));
  expect(watch.match({ ...write, path: file }, isFile)).toBeUndefined();
  expect(watch.match({ ...write, path: file }, isFile)).toBeUndefined();
  expect(said).toEqual([expect.stringContaining('what names the files of the rule r takes too long')]);
});

test('of a long reply only what is new is looked at, with so much before it that no match is cut', () => {
  const watch = watchOf(rule({ condition: ['^x', 'begun.{30}end'] }), () => {});
  const before = `begun${' '.repeat(20)}`;
  const long = `x${'\u00e9'.repeat(200_000)}${before}`;
  const looked = long.length;
  expect(watch.match({ kind: 'text', written: `${long}${' '.repeat(10)}end`, looked }, isFile)).toContain('begun');
  expect(watch.match({ kind: 'text', written: `${long} x`, looked }, isFile)).toBeUndefined();
});

test('a rule that was told before the session was resumed is not told again', async () => {
  await using place = await openPlace({ files, turns: [{ text: 'x : any y' }, { text: 'done : any' }] });
  const entry = { type: 'ttsr_injection', id: 'e1', injectedRules: ['no-any'] };
  const resumed = {
    view: place.session.view,
    nodes: () => [{ id: 'e1', type: 'custom', customType: 'kern.ttsr_injection' }],
    entry: () => entry,
    subscribe: (listener: (event: AgentEvent) => void) => {
      listeners.push(listener);
      return { dispose: () => {} };
    },
    interrupt: () => void interrupted.push('stopped'),
    appendEntry: () => '',
  };
  const listeners: ((event: AgentEvent) => void)[] = [];
  const interrupted: string[] = [];
  const texts = new ToldTexts({ warn: () => {} });
  await place.session.view.use(rules).load();
  new StreamRules(resumed as unknown as AgentSession, texts, new AbortController().signal);
  const say = (event: unknown): void => {
    for (const listener of listeners) listener(event as AgentEvent);
  };
  say({ type: 'message_start', message: { role: 'assistant', content: [] } });
  say({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x: any' } });
  expect(interrupted).toEqual([]);
});
