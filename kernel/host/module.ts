import { dirname } from 'node:path';
import { messageOf } from '../error.ts';
import { syntaxError } from './load-error.ts';

export type Format = 'module' | 'commonjs' | 'json' | 'native';

/** The `module` that CommonJS code sees. */
interface ModuleObject {
  exports: unknown;
  loaded: boolean;
  readonly id: string;
  readonly filename: string;
  readonly path: string;
  readonly children: readonly [];
}

/** One own file in one revision. */
export interface Module {
  readonly path: string;
  readonly format: Format;
  readonly source: string;
  /** Its namespace as an ES module; for the other formats made from `object.exports`. */
  readonly object: ModuleObject;
  state: 'new' | 'running' | 'done' | 'failed';
  error?: unknown;
  /** Settles when its code has run. */
  done?: Promise<void>;
  /** What its code is waiting for, to see a cycle. */
  readonly waitsFor: Set<Module>;
}

/** A module whose code has not run. */
export function newModule(path: string, format: Format, source: string): Module {
  const object = { exports: {}, loaded: false, id: path, filename: path, path: dirname(path), children: [] as const };
  return { path, format, source, object, state: 'new', waitsFor: new Set() };
}

/** Whether `module` waits, through however many others, for `on`. */
export function waits(module: Module, on: Module, seen = new Set<Module>()): boolean {
  if (module === on) return true;
  if (seen.has(module)) return false;
  seen.add(module);
  return [...module.waitsFor].some((next) => waits(next, on, seen));
}

/** Its code has run. */
export function finished(module: Module): void {
  module.state = 'done';
  module.object.loaded = true;
}

/** Its code threw: whoever imports it again gets the same error, and the code does not run again. */
export function failed(module: Module, error: unknown): unknown {
  module.state = 'failed';
  module.error = error;
  return error;
}

/** The literals given to `require`, or to what createRequire made. */
export function requiredIn(source: string): string[] {
  const made = [...source.matchAll(/\b(\w+)\s*=\s*(?:\w+\.)?createRequire\s*\(/g)].map(([, name]) => name);
  const calls = new RegExp(`\\b(?:${['require', ...made].join('|')})\\s*\\(\\s*(['"\`])([^'"\`]+)\\1`, 'g');
  return [...source.matchAll(calls)].map(([, , specifier = '']) => specifier);
}

/** The value of a JSON file. */
export function parseJson(module: Module): unknown {
  try {
    return JSON.parse(module.source.replace(/^\uFEFF/, ''));
  } catch (error) {
    const position = /position (\d+)/.exec(messageOf(error))?.[1];
    const line = position === undefined ? undefined : module.source.slice(0, Number(position)).split('\n').length;
    throw syntaxError(module.path, line, messageOf(error), error);
  }
}

/** What `import` sees: an ES module's exports, or those of the other kinds under `default` and by name. */
export function namespaceOf(module: Module): object {
  const { exports } = module.object;
  return module.format === 'module' && isModule(exports) ? exports : wrapped(exports);
}

function isModule(value: unknown): value is object {
  return typeof value === 'object' && value !== null && '__esModule' in value;
}

/** A value as a namespace: its names, and itself as the default. */
export function wrapped(value: unknown): object {
  if (isNamespace(value)) return value;
  const hasNames = (typeof value === 'object' && value !== null) || typeof value === 'function';
  // Descriptors, not values: a getter that is never used never runs.
  const names: [string, PropertyDescriptor][] = hasNames ? Object.entries(Object.getOwnPropertyDescriptors(value)) : [];
  const shown = Object.fromEntries(
    names.filter(([name, { enumerable }]) => enumerable === true && name !== '__esModule'),
  );
  return Object.create(null, { ...shown, default: { value, enumerable: true } });
}

function isNamespace(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Module]';
}

/** Where a package would appear, from the importer's folder up to the plugin's. */
export function packageCandidates(specifier: string, importer: string, root: string): string[] {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const folders: string[] = [];
  for (let folder = dirname(importer); ; folder = dirname(folder)) {
    folders.push(`${folder}/node_modules/${name}/package.json`);
    if (folder === root || folder === dirname(folder)) return folders;
  }
}
