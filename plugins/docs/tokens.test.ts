import { decide, defineCapability, defineService, event, transform } from 'kern/plugin';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { capabilityTables, docLines, hookTables, serviceTable, tokensOf, undescribed } from './tokens.ts';

const thing = defineCapability<{ name: string }>({
  id: 'thing',
  schema: z.object({ name: z.string() }),
  key: ({ name }) => name,
});
const store = defineService<object>({ id: 'store', level: 'user' });
const gate = decide<string, { block: string }>({
  id: 'gate',
  answer: z.object({ block: z.string() }),
  guard: { keeper: 'porter', deny: (block) => ({ block }) },
});
const told = event<string>({ id: 'told' });
const bent = transform<{ text: string }>({ id: 'bent', limitMs: 500 });
const tokens = tokensOf(
  { thing, store, gate, told, bent, version: 1, helper: () => 1, nothing: undefined },
  'kern/contracts',
);

const source = `
/** Things. Key: the name. */
export const thing = defineCapability();
/**
 * Keeps things
 * for a while.
 */
export const store = defineService();
/** Not this one. */
const helper = 1;
/** Said of all
 * that comes. */
export const told = event();
export const gate = decide();
/** Bends it. */
export const bent = transform();
`;
const sayings = docLines(source, 'plugins/house/contract.ts');

test('tokens are told from everything else a module exports', () => {
  expect(tokens.map(({ name }) => name)).toEqual(['thing', 'store', 'gate', 'told', 'bent']);
});

test('a doc comment belongs to the export right below it', () => {
  expect(Object.fromEntries([...sayings].map(([name, { text }]) => [name, text]))).toEqual({
    thing: 'Things. Key: the name.',
    store: 'Keeps things for a while.',
    told: 'Said of all that comes.',
    gate: '',
    bent: 'Bends it.',
  });
});

test('what nobody has described is named', () => {
  expect(undescribed(tokens, sayings)).toEqual(['gate']);
});

test('a hook stands in the order of its contract, with what a failure means', () => {
  expect(hookTables(tokens, sayings)).toEqual([
    '### house',
    '',
    'From `kern/contracts`; what a tap gets stands in [plugins/house/contract.ts](../../../plugins/house/contract.ts).',
    '',
    '| hook | import | kind | a tap that fails or is late | when |',
    '|---|---|---|---|---|',
    '| `told` | `told` | event | is skipped | Said of all that comes. |',
    '| `gate` | `gate` | decide, guards | denies, and so does a missing `porter` |  |',
    '| `bent` | `bent` | transform | is skipped: the value passes (after 0.5 s) | Bends it. |',
  ]);
});

test('services stand apart from the kinds of things that many supply', () => {
  const things = capabilityTables(tokens, sayings, new Map([['thing', ['a', 'b']]]));
  expect(things.slice(2)).toEqual(['| `thing` | `thing` | Things. Key: the name. | `a` `b` |']);
  expect(serviceTable(tokens, sayings).slice(2)).toEqual([
    '| `store` | `store` | Keeps things for a while. | built-ins, and you |',
  ]);
});
