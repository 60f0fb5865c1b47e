import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as contracts from 'kern/contracts';
import {
  type AnyTool,
  type CommandHost,
  commands,
  extensionApis,
  hooks as hooksService,
  looksForText,
  placesTables as placesTable,
  stubOf,
  tools,
  type Workbench,
} from 'kern/contracts';
import * as plugin from 'kern/plugin';
import { type Context, KernError } from 'kern/plugin';
import { code, fill, table } from './blocks.ts';
import { commandSections } from './command-pages.ts';
import { kindsTable, placesTables } from './discovery-tables.ts';
import { helpText } from './help.ts';
import { listPages, readPage } from './pages.ts';
import { makeSchemas } from './schemas.ts';
import { settingsTable } from './settings-table.ts';
import {
  capabilityTables,
  docLines,
  type Exported,
  hookTables,
  type Said,
  serviceTable,
  tokensOf,
  undescribed,
} from './tokens.ts';
import { toolBlocks } from './tool-tables.ts';

/** A file as it should be. */
export interface Generated {
  /** From the top of the checkout. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly isOld: boolean;
}

/** Everything that is generated, made from what is registered now. Nothing is written. */
export async function generate(ctx: Context, bench: Workbench, host: CommandHost): Promise<readonly Generated[]> {
  const { root } = bench.program;
  const sayings = await readSayings(root);
  if (sayings.size === 0) {
    throw new KernError('no_checkout', `${root} is no checkout of kern`, {
      hint: 'The pages are made from its sources: clone the repository.',
    });
  }
  const toolbox = await realTools(ctx, host);
  const blocks = {
    ...(await makeBlocks(ctx, bench, sayings, host, toolbox)),
    help: await helpText(ctx, root, host.signal),
  };
  const pages = await listPages(path.join(root, 'plugins', 'docs', 'pages'));
  const filled = await Promise.all(
    pages.map(
      async ({ file }) => [path.relative(root, file), fill(await readPage(file), blocks, path.basename(file))] as const,
    ),
  );
  const schemas = (await makeSchemas(ctx, host)).map(
    ({ name, schema }) => [`schemas/${name}.json`, `${JSON.stringify(schema, undefined, 2)}\n`] as const,
  );
  const told = [
    ['plugins/tools/stubs.json', stubsText(toolbox)],
    ['plugins/discovery/looks-for.json', await looksFor(ctx, host)],
  ] as const;
  return Promise.all(
    [...filled, ...schemas, ...told].map(([name, text]) => compare(root, name.split(path.sep).join('/'), text)),
  );
}

export async function writeAll(files: readonly Generated[]): Promise<void> {
  for (const { file, text } of files) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function compare(root: string, name: string, text: string): Promise<Generated> {
  const file = path.join(root, name);
  const before = await readPage(file).catch(() => undefined); // not there yet
  return { name, file, text, isOld: before !== text };
}

async function makeBlocks(
  ctx: Context,
  bench: Workbench,
  sayings: ReadonlyMap<string, Said>,
  host: CommandHost,
  toolbox: readonly AnyTool[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const tokens = allTokens();
  const holes = undescribed(tokens, sayings);
  if (holes.length > 0) {
    throw new KernError('token_undescribed', `nothing is said about ${holes.join(', ')}`, {
      hint: 'Put a doc line above the export: /** When it happens, or what it is. */',
    });
  }
  const reader = ctx.use(commands);
  await reader.load(host.signal);
  const places = ctx.use(placesTable);
  await places.load(host.signal);
  return {
    ...toolBlocks(toolbox),
    hooks: hookTables(tokens, sayings),
    capabilities: capabilityTables(tokens, sayings, await supplyOf(bench)),
    services: serviceTable(tokens, sayings),
    places: placesTables(places.items()),
    'foreign-events': await foreignEvents(ctx),
    'hook-events': await hookEvents(ctx),
    found: kindsTable(),
    commands: commandSections(reader.items()),
    settings: settingsTable(await bench.config.settings()),
  };
}

/** Events of other agents, as their extensions wait for them. */
async function foreignEvents(ctx: Context): Promise<readonly string[]> {
  await ctx.use(extensionApis).load();
  const events = await ctx.service(extensionApis).events();
  return table(
    ['event', 'of', 'here', 'told', 'of the answer', ''],
    events.map(({ event, of, from, gives = '', takes = '', note = '' }) => [
      code(event),
      of === 'both' ? 'pi, oh-my-pi' : of,
      from ?? 'never comes',
      gives,
      takes,
      note,
    ]),
  );
}

/** Events of hooks that are data. */
async function hookEvents(ctx: Context): Promise<readonly string[]> {
  await ctx.use(hooksService).load();
  const events = await ctx.service(hooksService).events();
  return table(
    ['event', 'also called', 'here', 'matcher', 'told', 'of the answer', ''],
    events.map(({ event, also, from, matches = '', gives = '', takes = '', note = '' }) => [
      code(event),
      also.join('; '),
      from ?? 'never comes',
      matches,
      gives,
      takes,
      note,
    ]),
  );
}

/** The tools as they really are: of those whose plugins sleep only what these pages say of them would be known. */
async function realTools(ctx: Context, { signal }: CommandHost): Promise<readonly AnyTool[]> {
  const toolbox = ctx.use(tools);
  await toolbox.load(signal);
  const won = toolbox.entries().filter(({ verdict }) => verdict.state === 'won');
  return Promise.all(won.map((entry) => ctx.run(entry, (tool) => tool)));
}

/** What the manifests of the built-ins tell of their tools. */
function stubsText(toolbox: readonly AnyTool[]): string {
  // What a machine happens to have must not change the file.
  const ours = toolbox.filter(({ name }) => name !== 'powershell').toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(ours.map((tool) => [tool.name, stubOf(tool)])), undefined, 2)}\n`;
}

/** What the manifests of the providers tell of their places. */
async function looksFor(ctx: Context, { signal }: CommandHost): Promise<string> {
  const reader = ctx.use(placesTable);
  await reader.load(signal);
  const ours = reader.entries().filter(({ origin }) => origin.level === 'builtin');
  return looksForText(ours.map(({ item }) => item));
}

/** What extensions can import, once each. */
function allTokens(): readonly Exported[] {
  const found = new Map<string, Exported>();
  for (const exported of [...tokensOf(contracts, 'kern/contracts'), ...tokensOf(plugin, 'kern/plugin')]) {
    const key = `${exported.token.token}:${exported.token.id}`;
    if (!found.has(key)) found.set(key, exported);
  }
  return [...found.values()];
}

/** What the built-ins supply, by capability. */
async function supplyOf(bench: Workbench): Promise<ReadonlyMap<string, readonly string[]>> {
  const reports = (await bench.plugins()).filter(({ level }) => level === 'builtin');
  const supply = new Map<string, Set<string>>();
  for (const { capability, key } of reports.flatMap(({ contributes }) => contributes)) {
    const keys = supply.get(capability) ?? new Set<string>();
    if (key !== null) keys.add(key);
    supply.set(capability, keys);
  }
  return new Map([...supply].map(([capability, keys]) => [capability, [...keys].toSorted((a, b) => (a < b ? -1 : 1))]));
}

/** The doc lines of everything that contracts, and the kernel, export. */
async function readSayings(root: string): Promise<ReadonlyMap<string, Said>> {
  const found: string[] = [];
  for await (const file of glob(['plugins/**/contract.ts', 'kernel/*.ts'], { cwd: root })) found.push(file);
  const names = found.map((file) => file.split(path.sep).join('/')).filter((file) => !file.endsWith('.test.ts'));
  // Contracts first: where two files have a name, the contract's is what is imported.
  const ordered = names.toSorted(
    (a, b) => Number(a.startsWith('kernel/')) - Number(b.startsWith('kernel/')) || (a < b ? -1 : 1),
  );
  const sayings = new Map<string, Said>();
  for (const name of ordered) {
    for (const [exported, said] of docLines(await readFile(path.join(root, name), 'utf8'), name)) {
      if (!sayings.has(exported)) sayings.set(exported, said);
    }
  }
  return sayings;
}
