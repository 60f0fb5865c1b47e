import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { KernError, messageOf } from '../error.ts';
import { faultLine } from '../fault-line.ts';
import { Compiler } from './compile.ts';
import { ModuleGraph } from './graph.ts';
import { type ForeignModules, type HostModules, HostNames } from './host-names.ts';
import { LoadError } from './load-error.ts';

export interface LoaderOptions {
  /** Where transformed sources are kept; made private to the user. Without it every load transforms anew. */
  readonly cacheDir?: string;
  readonly hostModules: HostModules;
  readonly foreignModules?: ForeignModules;
}

export interface LoadOptions {
  /** The plugin's folder; for a single file the folder it stands in. Default: that. */
  readonly root: string;
  /** Asked before any code of an own file runs; it refuses by throwing. The hash is SHA-256 of what will run. */
  readonly admit?: (file: string, hash: string) => void;
  /** Told of own files that are imported only later, by code that runs: they belong to the graph from then on. */
  readonly onLateFile?: (file: string, hash: string) => void;
}

export interface Loaded {
  /** The default export, else the namespace. */
  readonly exports: unknown;
  /** Every own file that was read, as real paths: a change of any of them makes a new revision. */
  readonly files: readonly string[];
  /** Those of them outside the plugin's folder. */
  readonly outside: readonly string[];
  /** SHA-256 of each file as it was read: what a watcher compares with, so that no change in between is lost. */
  readonly contents: ReadonlyMap<string, string>;
  /** Paths that an optional import looked for in vain. */
  readonly missing: readonly string[];
}

export interface Loader {
  /** Reads and runs an entry and its own files afresh. Throws a LoadError that names the files to watch. */
  load(entry: string, options: LoadOptions): Promise<Loaded>;
}

/** Loads plugins from files, each time as they are on disk. Nothing is shared between two loads but packages. */
export function createLoader({ cacheDir, hostModules, foreignModules }: LoaderOptions): Loader {
  const compiler = new Compiler(cacheDir);
  const host = new HostNames(hostModules, foreignModules);
  return { load: (entry, options) => load(entry, options, compiler, host) };
}

async function load(entry: string, options: LoadOptions, compiler: Compiler, host: HostNames): Promise<Loaded> {
  const contents = new Map<string, string>();
  const missing = new Set<string>();
  let late = false;
  const onFile = (file: string, hash: string): void => {
    contents.set(file, hash);
    admit(file, hash, options);
    if (late) options.onLateFile?.(file, hash);
  };
  const onMissing = (candidates: readonly string[]): void => {
    for (const candidate of candidates) missing.add(candidate);
  };
  try {
    const path = realEntry(entry);
    const root = realpathSync(options.root);
    const graph = new ModuleGraph({ root, compiler, host, onFile, onMissing });
    const namespace: { default?: unknown } = await graph.entry(path);
    late = true;
    const files = [...contents.keys()];
    const outside = files.filter((file) => isOutside(file, root));
    return { exports: defaultOf(namespace), files, outside, contents: new Map(contents), missing: [...missing] };
  } catch (error) {
    const failure = asLoadError(error, entry);
    failure.files = [...contents.keys()];
    failure.contents = contents;
    throw failure;
  }
}

function admit(file: string, hash: string, options: LoadOptions): void {
  try {
    options.admit?.(file, hash);
  } catch (cause) {
    throw new LoadError('plugin_refused', messageOf(cause), { file, cause });
  }
}

/** Regular files only: opening a pipe would wait for its writer. */
function realEntry(entry: string): string {
  if (statSync(entry, { throwIfNoEntry: false })?.isFile() === true) return realpathSync(entry);
  throw new LoadError('plugin_missing_import', `${entry} is not there, or is no file`, {
    file: entry,
    missing: [entry],
    hint: 'create the file; it is tried again when it appears',
  });
}

/** Once: a default export that has a `default` of its own is what its author meant. CommonJS that was compiled from an ES module is unwrapped first. */
function defaultOf(namespace: { default?: unknown }): unknown {
  const value = namespace.default ?? namespace;
  if ('__esModule' in namespace || typeof value !== 'object' || value === null) return value;
  return '__esModule' in value && 'default' in value ? value.default : value;
}

function asLoadError(error: unknown, entry: string): LoadError {
  if (error instanceof LoadError) return error;
  const hint =
    error instanceof KernError && error.hint !== undefined
      ? error.hint
      : 'correct the file; it is read again as soon as it is saved';
  const where = faultLine(error, entry);
  const isOwn = where === undefined || where.startsWith(`${entry}:`);
  const named = isOwn
    ? `${where ?? entry} failed while it was loaded`
    : `${entry} failed while it was loaded (${where})`;
  return new LoadError('plugin_threw', `${named}: ${messageOf(error)}`, {
    file: entry,
    line: isOwn && where !== undefined ? Number(where.slice(entry.length + 1)) : undefined,
    cause: error,
    hint,
  });
}

function isOutside(file: string, root: string): boolean {
  const inside = relative(root, file);
  return inside.startsWith('..') || isAbsolute(inside);
}
