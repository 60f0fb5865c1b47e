import { readFileSync } from 'node:fs';
import type { EntryReport, ProviderReport } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

const extension = `export default { id: 'finder', setup(ctx) {
  const tool = { token: 'capability', id: 'tool' };
  const made = (name) => ({ name, description: 'x', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: name }] }) });
  ctx.provide(tool, { id: 'found', displayName: 'What was found', priority: 50, load: () => ({ items: [{ item: made('found_tool') }, { item: made('read') }], warnings: ['one was odd'] }) });
} };`;

const providersOf = async (
  desk: Awaited<ReturnType<typeof openDesk>>,
  ...more: string[]
): Promise<readonly ProviderReport[]> =>
  ((await desk.json('providers', ...more)) as { providers: readonly ProviderReport[] }).providers;

test('discovery providers are listed with counts and warnings, and so is everyone who offers items', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const providers = await providersOf(desk, '-e', 'finder.js');
  expect(providers.find(({ id }) => id === 'found')).toEqual({
    id: 'found',
    displayName: 'What was found',
    priority: 50,
    state: 'on',
    counts: { tool: 2 },
    warnings: ['[What was found] one was odd'],
  });
  expect(providers.find(({ id }) => id === 'tools.read')).toMatchObject({ counts: { tool: 1 } });
});

test('--why names winner and loser of one key', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const { capability, entries } = (await desk.json('providers', '--why', 'tool', 'read', '-e', 'finder.js')) as {
    capability: string;
    entries: readonly EntryReport[];
  };
  expect(capability).toBe('tool');
  expect(entries.map(({ key, verdict }) => [key, verdict.state])).toEqual([
    ['read', 'won'],
    ['read', 'shadowed'],
  ]);
  const [winner, loser] = entries;
  expect(winner?.origin).toMatchObject({ plugin: 'finder', provider: 'found' });
  expect(loser).toMatchObject({
    origin: { plugin: 'tools.read', level: 'builtin', priority: 100 },
    verdict: { by: { plugin: 'finder' } },
  });
  expect((await desk.kern('providers', '--why', 'tool', 'read', '-e', 'finder.js')).out).toContain(
    'shadowed by finder',
  );
});

test('a kind that is none is refused with the near one, and a word without --why is told of it', async () => {
  await using desk = await openDesk();
  expect((await desk.kern('providers', '--why', 'tol')).err).toContain('Did you mean tool?');
  expect((await desk.kern('providers', 'tool')).err).toContain('kern providers --why tool');
});

test('a provider is switched off and on in the config', async () => {
  await using desk = await openDesk({ 'finder.js': extension });
  const off = (await desk.json('providers', 'disable', 'found', '-e', 'finder.js')) as { file: string };
  expect(readFileSync(off.file, 'utf8')).toContain('found: false');
  expect((await providersOf(desk, '-e', 'finder.js')).find(({ id }) => id === 'found')).toMatchObject({ state: 'off' });
  expect((await desk.kern('tool', 'call', 'found_tool', '-e', 'finder.js')).code).toBe(2);
  await desk.kern('providers', 'enable', 'found', '-e', 'finder.js');
  expect((await desk.kern('tool', 'call', 'found_tool', '-e', 'finder.js')).out).toBe('found_tool\n');
});
