import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a specifier in one of a plugin's own files stands for. */
export type Resolution =
  | { readonly kind: 'host'; readonly id: string }
  | { readonly kind: 'builtin'; readonly id: string }
  /** A file that is read afresh with each revision. `search` makes it another instance, as it does in Node. */
  | { readonly kind: 'own'; readonly path: string; readonly search: string }
  /** Node resolves it from the importing file, and loads it once. */
  | { readonly kind: 'package'; readonly specifier: string }
  | { readonly kind: 'missing'; readonly candidates: readonly string[] };

const typeScript = ['.ts', '.mts', '.cts'];
const javaScript = ['.js', '.mjs', '.cjs'];
const compiledFrom: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** The folders between which a plugin's own code is told from packages. */
export interface Territory {
  /** The plugin's folder, a real path. */
  readonly root: string;
  readonly isHostName: (specifier: string, importer: string) => boolean;
}

/** Resolves what an own file imports. Bare names are packages, unless the host or the plugin itself answers to them. */
export function resolveSpecifier(
  specifier: string,
  importer: string,
  territory: Territory,
  packages: PackageFiles,
): Resolution {
  if (territory.isHostName(specifier, importer)) return { kind: 'host', id: specifier };
  if (isBuiltin(specifier)) return { kind: 'builtin', id: specifier };
  if (specifier.startsWith('file:')) return resolveUrl(specifier, importer, territory);
  if (/^(\.{0,2}\/|\.{1,2}$|[a-zA-Z]:[\\/])/.test(specifier)) return resolvePath(specifier, importer, territory);
  const own = packages.ownSpecifier(specifier, importer);
  if (own !== undefined) return resolvePath(own, importer, territory);
  return { kind: 'package', specifier };
}

/** Whether a file is the plugin's own: anything outside `node_modules`, as seen from the plugin's folder. */
export function isOwn(path: string, root: string): boolean {
  const inside = relative(root, path);
  const seen = inside.startsWith('..') ? path : inside;
  return !seen.split(sep).includes('node_modules');
}

function resolveUrl(specifier: string, importer: string, territory: Territory): Resolution {
  const url = new URL(specifier);
  const search = url.search + url.hash;
  url.search = '';
  url.hash = '';
  return settle(fileURLToPath(url), search, importer, territory);
}

function resolvePath(specifier: string, importer: string, territory: Territory): Resolution {
  const asWritten = settle(resolve(dirname(importer), specifier), '', importer, territory);
  if (asWritten.kind !== 'missing') return asWritten;
  // A relative specifier is a URL in an ES module: `./a.mjs?v=2`, `./with%20space.js`.
  const [, path = '', search = ''] = /^([^?#]*)(.*)$/s.exec(specifier) ?? [];
  const decoded = path.includes('%') ? decode(path) : path;
  if (decoded === specifier) return asWritten;
  return settle(resolve(dirname(importer), decoded), search, importer, territory);
}

function settle(path: string, search: string, importer: string, territory: Territory): Resolution {
  const candidates = candidatesOf(path, importer);
  const found = candidates.find(isFile);
  if (found === undefined) return { kind: 'missing', candidates };
  const real = realpathSync(found);
  return isOwn(real, territory.root) ? { kind: 'own', path: real, search } : { kind: 'package', specifier: real };
}

/** In order: the file itself, the source it was compiled from, an extension that was left out, the folder's index. */
function candidatesOf(path: string, importer: string): string[] {
  const ending = /\.[cm]?[jt]s$/.exec(path)?.[0];
  const sources = (ending === undefined ? undefined : compiledFrom[ending]) ?? [];
  const stem = ending === undefined ? path : path.slice(0, -ending.length);
  const candidates = [path, ...sources.map((source) => stem + source)];
  if (ending !== undefined || path.endsWith('.json')) return candidates;
  const written = typeScript.some((extension) => importer.endsWith(extension));
  const code = written ? [...typeScript, ...javaScript] : [...javaScript, ...typeScript];
  const endings = [...code, '.json'];
  return [...candidates, ...endings.map((end) => path + end), ...endings.map((end) => join(path, `index${end}`))];
}

/** Regular files only: opening a pipe would wait for ever. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is part of the name
  }
}

interface PackageFile {
  readonly folder: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly imports: unknown;
  readonly exports: unknown;
}

/** The package.json files around a plugin, each read once a revision: Node's own reader keeps what it first saw. */
export class PackageFiles {
  readonly #seen = new Map<string, PackageFile | undefined>();

  /** The package a file belongs to. */
  of(file: string): PackageFile | undefined {
    return this.#nearest(dirname(file));
  }

  /** The path behind `#name` or the package's own name, as far as it is one of its own files. */
  ownSpecifier(specifier: string, importer: string): string | undefined {
    const around = this.of(importer);
    if (around === undefined) return undefined;
    if (specifier.startsWith('#')) return this.#target(around, around.imports, specifier);
    if (around.name === undefined) return undefined;
    if (specifier === around.name) return this.#target(around, around.exports, '.');
    if (!specifier.startsWith(`${around.name}/`)) return undefined;
    return this.#target(around, around.exports, `.${specifier.slice(around.name.length)}`);
  }

  #target(around: PackageFile, table: unknown, key: string): string | undefined {
    const target = lookUp(table, key);
    return target?.startsWith('./') === true ? join(around.folder, target) : undefined;
  }

  #nearest(folder: string): PackageFile | undefined {
    if (this.#seen.has(folder)) return this.#seen.get(folder);
    const parent = dirname(folder);
    const found = readPackage(folder) ?? (parent === folder ? undefined : this.#nearest(parent));
    this.#seen.set(folder, found);
    return found;
  }
}

function readPackage(folder: string): PackageFile | undefined {
  const path = join(folder, 'package.json');
  if (!isFile(path)) return undefined;
  const parsed = parseObject(readFileSync(path, 'utf8'));
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { folder, name: text(parsed.name), type: text(parsed.type), imports: parsed.imports, exports: parsed.exports };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // a broken package.json says nothing; whoever reads the manifest reports it
  }
}

/** A target in an `imports` or `exports` table: the exact key first, then the longest pattern. */
function lookUp(table: unknown, key: string): string | undefined {
  if (typeof table === 'string' || isConditions(table)) return key === '.' ? choose(table, '') : undefined;
  if (typeof table !== 'object' || table === null) return undefined;
  const rows = Object.entries(table);
  const exact = rows.find(([pattern]) => pattern === key);
  if (exact !== undefined) return choose(exact[1], '');
  const fits = rows.flatMap(([pattern, target]) => {
    const [head = '', tail] = pattern.split('*');
    const long = key.length >= pattern.length;
    return tail !== undefined && long && key.startsWith(head) && key.endsWith(tail) ? [{ head, tail, target }] : [];
  });
  const best = fits.sort((a, b) => b.head.length - a.head.length)[0];
  return best && choose(best.target, key.slice(best.head.length, key.length - best.tail.length));
}

function isConditions(table: unknown): boolean {
  return typeof table === 'object' && table !== null && Object.keys(table).every((key) => !/^[.#]/.test(key));
}

function choose(target: unknown, star: string): string | undefined {
  if (typeof target === 'string') return target.replaceAll('*', star);
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, next] of Object.entries(target)) {
    if (!['node', 'import', 'module-sync', 'default', 'require'].includes(condition)) continue;
    const chosen = choose(next, star);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}
