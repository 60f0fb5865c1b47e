import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as contracts from 'kern/contracts';
import { type PluginReport, workbench } from 'kern/contracts';
import type { Capability } from 'kern/plugin';
import * as front from 'kern/plugin';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse } from '../plugins/cli/test/house.ts';
import { tokensOf } from '../plugins/docs/tokens.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(ts|js|json|md)$/.test(file) && !file.endsWith('.test.ts') && file !== 'README.md',
);
const place = path.join('.kern', 'extensions');
const tokens = [...tokensOf(contracts, 'kern/contracts'), ...tokensOf(front, 'kern/plugin')].map(({ token }) => token);
const hooks = tokens.filter(({ token }) => token === 'hook');
const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id);
const isService = (token: object): boolean => 'service' in token;
const kinds = tokens.filter((token): token is Capability<unknown> => token.token === 'capability' && !isService(token));

let house: House;
let reports: readonly PluginReport[];

beforeAll(async () => {
  house = await openHouse({
    ...Object.fromEntries(
      examples.map((file) => [path.join(place, file), readFileSync(path.join(folder, file), 'utf8')]),
    ),
    'notes/todo.md': 'Buy milk.',
    'team.json': '{ "favourite": "the big one" }',
    '.workshop.json': JSON.stringify({
      ...{ servers: { board: 'https://board.example/mcp' }, hosts: { shed: 'shed.example' } },
      ...{ agents: { turner: 'Turns wood.' }, hooks: { Edit: 'true' }, tools: { saw: 'bin/saw' } },
      ...{ code: { lathe: 'lathe.ts' }, packages: { bench: '1.0.0' }, settings: { light: 'on' } },
    }),
  });
  const { view } = house;
  await Promise.all(kinds.map((kind) => view.use(kind).load()));
  await view.use(workbench).load();
  reports = (await view.service(workbench).plugins()).filter(({ level }) => level === 'project');
}, 60_000);

afterAll(() => house?.[Symbol.asyncDispose]());

const exampleOf = ({ source }: PluginReport): string =>
  path.relative(path.join(house.project, place), source).split(path.sep).join('/');
const filesOf = (found: (report: PluginReport) => boolean): readonly string[] =>
  reports.filter(found).map(exampleOf).toSorted();
const supplying = (id: string): readonly string[] =>
  filesOf(({ contributes }) => contributes.some(({ capability, verdict }) => capability === id && verdict === 'won'));
const tapping = (id: string): readonly string[] => filesOf(({ taps }) => taps.includes(id));

test('every example is loaded', () => {
  const broken = reports.filter(({ state, failure }) => state !== 'active' || failure !== undefined);
  expect(broken.map((one) => `${exampleOf(one)}: ${one.state} ${one.failure?.message ?? ''}`)).toEqual([]);
});

test('of every kind of thing that plugins supply a stranger supplies one', () => {
  expect(kinds.length).toBeGreaterThan(30);
  expect(kinds.flatMap(({ id }) => (supplying(id).length === 0 ? [id] : []))).toEqual([]);
});

test('every hook is tapped by a stranger', () => {
  expect(hooks.length).toBeGreaterThan(40);
  expect(hooks.flatMap(({ id }) => (tapping(id).length === 0 ? [id] : []))).toEqual([]);
});

test('the index in README.md is what is so: it names the examples of each', () => {
  const rows = (ids: readonly string[], found: (id: string) => readonly string[]): readonly string[] =>
    ids.toSorted().map((id) => {
      const links = found(id).map((file) => `[${file}](${file})`);
      return `| \`${id}\` | ${links.join(', ')} |`;
    });
  const wanted = [...rows(idsOf(kinds), supplying), ...rows(idsOf(hooks), tapping)];
  const index = readFileSync(path.join(folder, 'README.md'), 'utf8').split('\n');
  expect(index.filter((line) => line.startsWith('| `'))).toEqual(wanted);
});

test('the page on extensions says of each what it shows', () => {
  const page = readFileSync(path.join(folder, '../plugins/docs/pages/extensions.md'), 'utf8');
  const names = examples.map((file) => (file.includes('/') ? `${file.split('/')[0]}/` : file));
  expect([...new Set(names)].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
