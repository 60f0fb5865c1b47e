import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { placesTables } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { builtins } from '../index.ts';
import { looksForOf, looksForText } from './looks-for.ts';

const providers = builtins.filter(({ id }) => id.startsWith('discovery.'));

test('what the manifests tell of places is what the tables say', async () => {
  const plugins = builtins.filter(({ id }) => id === 'discovery' || id.startsWith('discovery.'));
  await using t = await bootKernel(await Promise.all(plugins.map((builtin) => builtin.load())));
  const tables = t.view.use(placesTables).items();
  expect(tables.length).toBeGreaterThan(15);
  expect(
    await readFile(path.join(import.meta.dirname, 'looks-for.json'), 'utf8'),
    '`kern docs generate` brings plugins/discovery/looks-for.json up to date',
  ).toBe(looksForText(tables));
  for (const { id, looksFor, provider } of providers) {
    const table = tables.find((one) => `discovery.${one.id}` === id);
    expect(provider, id).toBe(table?.id);
    expect(table && looksForOf(table), id).toEqual(looksFor);
  }
});

test('a provider looks for every kind that it may have', () => {
  for (const { id, contributes, looksFor } of providers)
    expect(Object.keys(looksFor ?? {}).toSorted(), id).toEqual(
      Object.keys(contributes)
        .filter((kind) => kind !== placesTables.id)
        .toSorted(),
    );
});

test('of a folder that the environment may name, the name counts as well', () => {
  const table = {
    id: 'x',
    displayName: 'X',
    description: 'x',
    priority: 1,
    folders: { X_DIR: '~/.x' },
    places: [
      { kind: 'skill', path: ['.x/skills', '~/.x/skills'], format: 'skills' },
      { kind: 'rule', path: 'RULES.md', format: 'text' },
    ],
  } as const;
  expect(looksForOf(table)).toEqual({ skill: ['.x/skills', '~/.x/skills', '$X_DIR'], rule: ['RULES.md'] });
});
