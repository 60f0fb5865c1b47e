import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Source text by path from the top of the repository. */
type Tree = ReadonlyMap<string, string>;
/** An import: `target` is the file it leads to, or undefined for a package and for what is built into Node. */
interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly target: string | undefined;
}

const ownNames = new Map([
  ['kern', 'plugins/sdk.ts'],
  ['kern/plugin', 'kernel/index.ts'],
  ['kern/contracts', 'plugins/contracts.ts'],
  ['kern/testing', 'plugins/testing.ts'],
]);
/** What makes the kernel and hands it the built-ins: it alone reaches into both. */
const composition = new Set([
  'plugins/index.ts',
  'plugins/testing.ts',
  'plugins/sdk.ts',
  'plugins/sdk-tools.ts',
  'plugins/cli/main.ts',
  'plugins/cli/compose.ts',
  'plugins/cli/workbench.ts',
]);

/** Programs of their own that use kern as anyone who embeds it does; nothing imports them. */
const programs = new Set(['discovery', 'session', 'tool'].map((name) => `plugins/bench/${name}-host.mjs`));

/** Every breach of the dependency rule, as `file → file: why`. */
function check(tree: Tree, parse: (file: string, source: string) => readonly string[]): readonly string[] {
  const imports = [...tree].flatMap(([file, source]) => parse(file, source).map((name) => resolve(file, name)));
  const breaches = imports.flatMap((edge) => {
    const why = whyNot(tree, edge);
    return why === undefined ? [] : [`${edge.file} → ${edge.target ?? edge.specifier}: ${why}`];
  });
  return [...breaches, ...contractsWithoutOwner(tree), ...cycles(imports)];
}

function resolve(file: string, specifier: string): Import {
  const relative = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined;
  return { file, specifier, target: relative ?? ownNames.get(specifier) };
}

function whyNot(tree: Tree, edge: Import): string | undefined {
  const { file, specifier, target } = edge;
  const byOwnName = ownNames.has(specifier);
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return 'an absolute path leads out of the house';
  if (isTest(file)) return whyNotInTest(tree, edge);
  if (target !== undefined && isTest(target)) return 'only tests use what is made for tests';
  if (file.startsWith('kernel/')) {
    if (byOwnName) return 'the kernel names its own files relatively, and no others';
    return target === undefined || target.startsWith('kernel/') ? undefined : 'the kernel imports no plugin';
  }
  if (file === 'plugins/contracts.ts') {
    return target !== undefined && isFront(target) ? undefined : 'it re-exports contract.ts and api.ts files only';
  }
  if (nameOf(file) === 'contract.ts') return whyNotInContract(edge);
  if (target === undefined) return undefined;
  if (isPluginIndex(target) && file !== 'plugins/index.ts') return "only plugins/index.ts imports a plugin's index.ts";
  if (composition.has(file) || (programs.has(file) && specifier === 'kern')) return undefined;
  if (byOwnName) return whyNotByName(specifier);
  if (nameOf(file) === 'api.ts' && isFront(target)) return undefined;
  if (!isWithin(tree, file, target)) return 'outside its folder a plugin imports only kern/plugin and kern/contracts';
  return undefined;
}

function whyNotByName(specifier: string): string | undefined {
  if (specifier === 'kern/testing') return 'only tests use what is made for tests';
  if (specifier === 'kern') return 'kern is for those who embed us; a plugin imports kern/plugin';
  return undefined;
}

function whyNotInContract({ specifier, target }: Import): string | undefined {
  if (target === undefined) {
    const harmless = specifier.startsWith('node:') || /^zod(\/|$)/.test(specifier);
    return harmless ? undefined : 'a contract is types, tokens and zod';
  }
  if (specifier === 'kern/plugin') return undefined;
  if (ownNames.has(specifier)) return 'a contract imports other contracts relatively';
  return nameOf(target) === 'contract.ts' ? undefined : 'a contract imports other contracts and kern/plugin only';
}

function whyNotInTest(tree: Tree, { file, specifier, target }: Import): string | undefined {
  if (target === undefined || ownNames.has(specifier)) return undefined;
  if (target.startsWith('plugins/cli/test/') || target === 'plugins/index.ts') return undefined;
  if (file.startsWith('kernel/')) return target.startsWith('kernel/') ? undefined : 'the kernel imports no plugin';
  const room = file.split('/').slice(0, 2).join('/');
  if (target.startsWith(`${room}/`) || isWithin(tree, file, target)) return undefined;
  return "outside its own room a test imports only kern's own names and plugins/cli/test";
}

/** Whether `target` is in the plugin of `file`, or in a room around it; a nested plugin is its own. */
function isWithin(tree: Tree, file: string, target: string): boolean {
  const owner = pluginFolder(tree, target);
  return owner !== undefined && `${pluginFolder(tree, file) ?? ''}/`.startsWith(`${owner}/`);
}

/** The nearest folder upward with an index.ts; a room that has none yet is its top folder. */
function pluginFolder(tree: Tree, file: string): string | undefined {
  const parts = file.split('/').slice(0, -1);
  if (parts[0] !== 'plugins' || parts.length < 2) return undefined;
  for (let depth = parts.length; depth > 2; depth--) {
    const folder = parts.slice(0, depth).join('/');
    if (tree.has(`${folder}/index.ts`)) return folder;
  }
  return parts.slice(0, 2).join('/');
}

/** A contract in a folder that is no plugin is a part of the one around it. */
function contractsWithoutOwner(tree: Tree): readonly string[] {
  if (!tree.has('plugins/index.ts')) return []; // a house without a list of plugins has no plugins yet
  const contracts = [...tree.keys()].filter((file) => file.startsWith('plugins/') && nameOf(file) === 'contract.ts');
  const owners = contracts.map((file) => [file, `${pluginFolder(tree, file) ?? 'plugins'}/index.ts`] as const);
  const lost = owners.filter(([, owner]) => !tree.has(owner));
  return lost.map(([file, owner]) => `${file} → ${owner}: is missing, so nobody declares this contract`);
}

/** Each cycle once, named by the import that closes it. */
function cycles(imports: readonly Import[]): readonly string[] {
  const next = Map.groupBy(imports, ({ file }) => file);
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1)
      found.push(`${trail.at(-1)} → ${file}: closes a cycle: ${[...trail.slice(start), file].join(' → ')}`);
    if (start !== -1 || done.has(file)) return;
    for (const { target } of next.get(file) ?? []) if (target !== undefined) walk(target, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return found;
}

const nameOf = (file: string): string => path.posix.basename(file);
const isFront = (file: string): boolean => nameOf(file) === 'contract.ts' || nameOf(file) === 'api.ts';
const isTest = (file: string): boolean => /\.test\.ts$|\/(test|e2e)\//.test(file);
const isPluginIndex = (file: string): boolean => /^plugins\/.+\/index\.ts$/.test(file);

/** What a file imports: static, dynamic, type imports and require, from the syntax tree. */
async function parser(): Promise<(file: string, source: string) => readonly string[]> {
  const { parseSync } = await import('vite');
  return (file, source) => {
    const parsed = parseSync(file, source);
    const [error] = parsed.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    // The parser knows what is imported at the top; for all else its tree is read, which takes five times as long. A
    // comment may stand between the word and what it calls, and a list of exports may be empty.
    const isAllAtTop = !/\b(import|require)\s*(\(|\/[*/])/.test(source) && !/\bexport\b[^;{]*\{\s*[}/]/.test(source);
    if (isAllAtTop) return importedAtTop(parsed.module);
    const found: string[] = [];
    collect(parsed.program, found);
    return found;
  };
}

interface Named {
  readonly moduleRequest?: { readonly value: string } | null;
}

function importedAtTop({
  staticImports,
  staticExports,
}: {
  readonly staticImports: readonly Named[];
  readonly staticExports: readonly { readonly entries: readonly Named[] }[];
}): readonly string[] {
  const all = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)];
  return all.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []);
}

function collect(node: unknown, found: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const part of node) collect(part, found);
    return;
  }
  const specifier = specifierOf(node as SyntaxNode);
  if (specifier !== undefined) found.push(specifier);
  for (const part of Object.values(node)) collect(part, found);
}

interface SyntaxNode {
  readonly type?: string;
  readonly name?: string;
  readonly source?: { readonly value?: unknown } | null;
  readonly callee?: SyntaxNode;
  readonly arguments?: readonly { readonly value?: unknown }[];
}

function specifierOf(node: SyntaxNode): string | undefined {
  const isRequire =
    node.type === 'CallExpression' && node.callee?.type === 'Identifier' && node.callee.name === 'require';
  const isImport = /^(Import(Declaration|Expression)|Export(All|Named)Declaration|TSImportType)$/.test(node.type ?? '');
  const value = isRequire ? node.arguments?.[0]?.value : isImport ? node.source?.value : undefined;
  return typeof value === 'string' ? value : undefined;
}

test('the repository keeps the dependency rule', async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = globSync('{kernel,plugins}/**/*.{ts,mts,mjs}', {
    cwd: root,
    exclude: ['**/{node_modules,fixtures}/**'],
  });
  expect(files).toContain('kernel/dependency-rule.test.ts');
  const tree = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  expect(check(tree, await parser()).join('\n')).toBe('');
});

/** A small house that keeps the rule, to plant breaches in. */
const house = {
  'kernel/index.ts': "export * from './hook.ts'",
  'kernel/hook.ts': "import { z } from 'zod'; import 'node:fs'",
  'plugins/index.ts': "const load = () => import('./tools/index.ts')",
  'plugins/contracts.ts':
    "export * from './tools/contract.ts'; export * from './models/contract.ts'; export * from './tools/api.ts'",
  'plugins/testing.ts': "import '../kernel/hook.ts'; import './index.ts'",
  'plugins/cli/main.ts': "import { list } from '../index.ts'; import '../../kernel/hook.ts'",
  'plugins/models/contract.ts': "import type { Hook } from 'kern/plugin'",
  'plugins/models/index.ts': "import { definePlugin } from 'kern/plugin'",
  'plugins/tools/contract.ts': "import type { Model } from '../models/contract.ts'; import { z } from 'zod'",
  'plugins/tools/api.ts': "import type { Model } from '../models/contract.ts'; import './sink.ts'",
  'plugins/tools/sink.ts': '',
  'plugins/tools/index.ts': "import { tools } from 'kern/contracts'",
  'plugins/tools/read/index.ts': "import { read } from './read.ts'",
  'plugins/tools/read/read.ts': "import { sink } from '../sink.ts'; import { definePlugin } from 'kern/plugin'",
  'plugins/tools/read/read.test.ts':
    "import 'kern/testing'; import 'vitest'; import './index.ts'; import '../../cli/test/needs.ts'",
  'plugins/tools/write/index.ts': '',
  'plugins/cli/test/needs.ts': "import 'vitest'",
};

async function planted(files: Record<string, string>): Promise<readonly string[]> {
  return check(new Map(Object.entries({ ...house, ...files })), await parser());
}

test('a house that keeps the rule has no breach', async () => {
  expect(await planted({})).toEqual([]);
});

test.each([
  ['kernel/x.ts', "import { tools } from '../plugins/tools/contract.ts'", 'the kernel imports no plugin'],
  ['kernel/x.ts', "import 'kern/contracts'", 'the kernel names its own files relatively'],
  ['kernel/x.test.ts', "import '../plugins/tools/index.ts'", 'the kernel imports no plugin'],
  ['kernel/x.ts', "import '../plugins/cli/test/needs.ts'", 'only tests use what is made for tests'],
  ['plugins/models/x.ts', "import { tools } from '../tools/contract.ts'", 'outside its folder'],
  ['plugins/models/x.ts', "import type { Tool } from '../tools/contract.ts'", 'outside its folder'],
  ['plugins/models/x.ts', "type Tool = import('../tools/contract.ts').Tool", 'outside its folder'],
  ['plugins/models/x.ts', "export { sink } from '../tools/sink.ts'", 'outside its folder'],
  ['plugins/models/x.ts', "const sink = await import('../tools/sink.ts')", 'outside its folder'],
  ['plugins/models/x.mjs', "const sink = require('../tools/sink.ts')", 'outside its folder'],
  ['plugins/models/x.ts', "import '../../kernel/hook.ts'", 'outside its folder'],
  ['plugins/models/x.ts', "import 'kern/testing'", 'only tests use what is made for tests'],
  ['plugins/models/x.ts', "import 'kern'", 'kern is for those who embed us'],
  ['plugins/models/x.ts', "import '/elsewhere/plugins/tools/sink.ts'", 'an absolute path'],
  ['plugins/models/x.test.ts', "import '../tools/sink.ts'", 'outside its own room a test imports only'],
  ['plugins/models/x.test.ts', "import '../tools/index.ts'", 'outside its own room a test imports only'],
  ['plugins/tools/write/x.ts', "import '../read/read.ts'", 'outside its folder'],
  ['plugins/tools/x.ts', "import './read/read.ts'", 'outside its folder'],
  ['plugins/tools/x.ts', "import './index.ts'", "only plugins/index.ts imports a plugin's index.ts"],
  ['plugins/cli/main.ts', "import '../tools/index.ts'", "only plugins/index.ts imports a plugin's index.ts"],
  ['plugins/contracts.ts', "export * from './tools/sink.ts'", 'it re-exports contract.ts and api.ts files only'],
  ['plugins/models/contract.ts', "import 'execa'", 'a contract is types, tokens and zod'],
  ['plugins/models/contract.ts', "import './x.ts'", 'a contract imports other contracts and kern/plugin only'],
  ['plugins/tools/contract.ts', "import 'kern/contracts'", 'a contract imports other contracts relatively'],
])('%s may not say: %s', async (file, source, why) => {
  expect((await planted({ [file]: source })).join('\n')).toContain(why);
});

test('a cycle of type imports is named, also one through a name of our own', async () => {
  const [types] = await planted({ 'kernel/hook.ts': "import type { A } from './index.ts'" });
  expect(types).toBe(
    'kernel/hook.ts → kernel/index.ts: closes a cycle: kernel/index.ts → kernel/hook.ts → kernel/index.ts',
  );
  const [named] = await planted({ 'plugins/tools/sink.ts': "import type { Tool } from 'kern/contracts'" });
  expect(named).toContain('closes a cycle: plugins/contracts.ts → plugins/tools/api.ts → plugins/tools/sink.ts');
});

test('a contract whose folder has no index.ts is named', async () => {
  expect(await planted({ 'plugins/lost/contract.ts': '' })).toEqual([
    'plugins/lost/contract.ts → plugins/lost/index.ts: is missing, so nobody declares this contract',
  ]);
});

test('a contract in a folder that is no plugin is a part of the one around it', async () => {
  const parts = { 'plugins/tools/parts/contract.ts': '', 'plugins/tools/x.ts': "import './parts/contract.ts'" };
  expect(await planted(parts)).toEqual([]);
});

test.each([
  "const sink = import /* later */ ('../tools/sink.ts');",
  "type Sink = import// of another\n('../tools/sink.ts').Sink;",
  "export {} from '../tools/sink.ts';",
  "export type {} from '../tools/sink.ts';",
  "import {} from '../tools/sink.ts';",
])('however an import is written, it is one: %s', async (source) => {
  expect(await planted({ 'plugins/agent/x.ts': source })).toHaveLength(1);
});

test('what only looks like an import is none', async () => {
  const source =
    "// import '../tools/sink.ts'\nconst page = `import '../tools/sink.ts'`; const text = \"import '../tools/sink.ts'\"";
  expect(await planted({ 'plugins/models/x.ts': source })).toEqual([]);
});
