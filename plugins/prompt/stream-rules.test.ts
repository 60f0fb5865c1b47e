import { type AgentEvent, type AgentSession, type Rule, rules, ruleTriggered } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { type Part, watchOf } from './stream-condition.ts';
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
