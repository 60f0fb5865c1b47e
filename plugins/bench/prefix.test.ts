import { expect, test } from 'vitest';
import { extendsPrompt, promptOf } from './prefix.ts';

const one = { role: 'user', content: 'one' };
const two = { role: 'assistant', content: 'two' };
const tools = [{ name: 'read' }];
const chat = (messages: readonly object[], more: object = {}): string =>
  JSON.stringify({ messages: [{ role: 'system', content: 'Be brief.' }, ...messages], tools, stream: true, ...more });
const anthropic = (messages: readonly object[], more: object = {}): string =>
  JSON.stringify({ system: [{ type: 'text', text: 'Be brief.' }], messages, tools, max_tokens: 5, ...more });

test('both wires say the same of a prompt', () => {
  expect(promptOf(chat([one]))).toEqual(promptOf(anthropic([one])));
  expect(promptOf(chat([one]))).toEqual({
    system: 'Be brief.',
    tools: '[{"name":"read"}]',
    messages: '[{"role":"user","content":"one"}]',
  });
});

test('Responses and Gemini have other names for it', () => {
  const said = { system: 'Be brief.', tools: JSON.stringify(tools), messages: JSON.stringify([one]) };
  expect(promptOf(JSON.stringify({ input: [{ role: 'system', content: 'Be brief.' }, one], tools }))).toEqual(said);
  const systemInstruction = { parts: [{ text: 'Be brief.' }] };
  expect(promptOf(JSON.stringify({ systemInstruction, contents: [one], tools }))).toEqual(said);
});

test('a request extends the one before when only messages are added', () => {
  const grown = (next: string, before: string): boolean => extendsPrompt(promptOf(next), promptOf(before));
  expect(grown(chat([one, two]), chat([one]))).toBe(true);
  expect(grown(chat([one]), chat([one]))).toBe(true);
  expect(grown(chat([two, one]), chat([one]))).toBe(false);
  expect(grown(chat([one]), chat([one, two]))).toBe(false);
  expect(grown(chat([{ content: 'one', role: 'user' }]), chat([one]))).toBe(false);
  expect(grown(chat([one, two], { tools: [] }), chat([one]))).toBe(false);
  expect(grown(anthropic([one, two], { system: 'Be brief' }), anthropic([one]))).toBe(false);
});

test('where a cache is asked for does not count', () => {
  const marked = { role: 'user', content: [{ type: 'text', text: 'one', cache_control: { type: 'ephemeral' } }] };
  const plain = { role: 'user', content: [{ type: 'text', text: 'one' }] };
  expect(extendsPrompt(promptOf(anthropic([plain, two])), promptOf(anthropic([marked])))).toBe(true);
});
