import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codeOf, messageOf } from '../error.ts';
import type { Compiler, Form, ModuleBody, ModuleScope } from './compile.ts';
import { contentHash } from './hash.ts';
import type { HostNames } from './host-names.ts';
import { missingImport } from './load-error.ts';
import {
  type Format,
  failed,
  finished,
  type Module,
  namespaceOf,
  newModule,
  packageCandidates,
  parseJson,
  requiredIn,
  waits,
  wrapped,
} from './module.ts';
import { importPackage, requirePackage } from './resolve.ts';
import { isOwn, PackageFiles, type Resolution, resolveSpecifier, type Territory } from './specifier.ts';

export interface GraphOptions {
  /** The plugin's folder, a real path. */
  readonly root: string;
  readonly compiler: Compiler;
  readonly host: HostNames;
  /** Told of each own file before any of its code runs; it refuses by throwing. */
  readonly onFile: (file: string, hash: string) => void;
  /** Told of paths that an import looked for and did not find. */
  readonly onMissing: (candidates: readonly string[]) => void;
}

/**
 * The own files of one plugin in one revision: each read once, run once, and known to nobody else. Old code keeps its
 * own graph, so old and new files never meet, and both go when nobody holds them.
 */
export class ModuleGraph {
  readonly #options: GraphOptions;
  readonly #territory: Territory;
  readonly #packages = new PackageFiles();
  readonly #modules = new Map<string, Module>();

  constructor(options: GraphOptions) {
    this.#options = options;
    this.#territory = {
      root: options.root,
      isHostName: (specifier, importer) =>
        options.host.has(specifier) && !(options.host.yields(specifier) && this.#isInstalled(specifier, importer)),
    };
  }

  /** Runs the entry and all it imports; answers with its namespace. */
  async entry(path: string): Promise<object> {
    const module = this.#open(path, '');
    await this.#finish(module, undefined);
    return namespaceOf(module);
  }

  async #import(specifier: string, from: Module): Promise<object> {
    const found = this.#resolve(specifier, from);
    if (found.kind === 'host') return this.#options.host.load(found.id);
    if (found.kind === 'own') {
      const module = this.#open(found.path, found.search);
      await this.#finish(module, from);
      return namespaceOf(module);
    }
    if (found.kind === 'builtin') return this.#importBuiltin(found.id, from);
    await this.#options.host.offerKernel();
    const wanted = isAbsolute(found.specifier) ? pathToFileURL(found.specifier).href : found.specifier;
    return importPackage(wanted, from.path).catch((error: unknown) => {
      throw this.#explained(error, specifier, from);
    });
  }

  #require(specifier: string, from: Module): unknown {
    const found = this.#resolve(specifier, from);
    if (found.kind === 'host') return this.#options.host.get(found.id);
    if (found.kind === 'own') {
      const module = this.#open(found.path, found.search);
      this.#runNow(module);
      return module.object.exports;
    }
    if (found.kind === 'builtin') return this.#builtin(found.id);
    try {
      return requirePackage(found.specifier, from.path);
    } catch (error) {
      throw this.#explained(error, specifier, from);
    }
  }

  #resolve(specifier: string, from: Module): Exclude<Resolution, { kind: 'missing' }> {
    const found = resolveSpecifier(String(specifier), from.path, this.#territory, this.#packages);
    if (found.kind !== 'missing') return found;
    this.#options.onMissing(found.candidates);
    throw missingImport(specifier, from.path, found.candidates);
  }

  #resolvePath(specifier: string, from: Module): string {
    const found = this.#resolve(specifier, from);
    if (found.kind === 'own') return found.path;
    return found.kind === 'package' ? createRequire(from.path).resolve(found.specifier) : specifier;
  }

  #isInstalled(specifier: string, importer: string): boolean {
    return packageCandidates(specifier, importer, this.#options.root).some((file) => existsSync(file));
  }

  #open(path: string, search: string): Module {
    const known = this.#modules.get(path + search);
    if (known !== undefined) return known;
    const bytes = readFileSync(path);
    this.#options.onFile(path, contentHash(bytes));
    const source = bytes.toString('utf8');
    const format = this.#formatOf(path, source);
    const module = newModule(path, format, source);
    this.#modules.set(path + search, module);
    return module;
  }

  #formatOf(path: string, source: string): Format {
    const extension = extname(path);
    if (/^\.[cm]?ts$/.test(extension) || extension === '.mjs') return 'module';
    if (extension === '.cjs') return 'commonjs';
    if (extension === '.json') return 'json';
    if (extension === '.node') return 'native';
    const type = this.#packages.of(path)?.type;
    if (type === 'module' || type === 'commonjs') return type;
    return this.#options.compiler.isModule(path, source) ? 'module' : 'commonjs';
  }

  /** Waits until a module has run, unless it waits for the importer itself: then, as in any cycle, it is seen half done. */
  async #finish(module: Module, from: Module | undefined): Promise<void> {
    if (module.state === 'failed') throw module.error;
    if (module.state === 'done') return;
    if (module.state === 'running' && (module.done === undefined || (from !== undefined && waits(module, from))))
      return;
    module.done ??= this.#run(module);
    from?.waitsFor.add(module);
    try {
      await module.done;
    } finally {
      from?.waitsFor.delete(module);
    }
  }

  #run(module: Module): Promise<void> {
    module.state = 'running';
    const done = this.#prepareRequires(module, new Set()).then(async () => {
      if (module.format === 'module') await this.#compiled(module, 'module')(this.#scope(module));
      else this.#runBody(module);
    });
    return done.then(
      () => finished(module),
      (error: unknown) => {
        throw failed(module, error);
      },
    );
  }

  #runNow(module: Module): void {
    if (module.state === 'failed') throw module.error;
    if (module.state !== 'new') return; // done, or a cycle
    module.state = 'running';
    try {
      this.#runBody(module);
    } catch (error) {
      throw failed(module, error);
    }
    finished(module);
  }

  #runBody(module: Module): void {
    if (module.format === 'json') module.object.exports = parseJson(module);
    else if (module.format === 'native') module.object.exports = requirePackage(module.path, module.path);
    else this.#compiled(module, module.format === 'module' ? 'required-module' : 'commonjs')(this.#scope(module));
  }

  #compiled(module: Module, form: Form): ModuleBody {
    return this.#options.compiler.compile(module.path, module.source, form);
  }

  #scope(module: Module): ModuleScope {
    const required = module.format === 'module' && module.done === undefined;
    return {
      exports: module.object.exports,
      module: module.object,
      filename: module.path,
      folder: dirname(module.path),
      // The imports of an ES module that is required have become `require`: they expect namespaces.
      require: required ? (specifier) => this.#importNow(specifier, module) : this.#requireOf(module),
      dynamicImport: (specifier) => this.#import(specifier, module),
      resolveImport: (specifier) => this.#resolveUrl(specifier, module),
    };
  }

  #importNow(specifier: string, from: Module): object {
    const found = this.#resolve(specifier, from);
    if (found.kind === 'own') {
      const module = this.#open(found.path, found.search);
      this.#runNow(module);
      return namespaceOf(module);
    }
    return wrapped(this.#require(specifier, from));
  }

  #resolveUrl(specifier: string, from: Module): string {
    const found = this.#resolvePath(specifier, from);
    return isAbsolute(found) ? pathToFileURL(found).href : found;
  }

  /** `require` cannot wait, so the host names that literal requires lead to are loaded before. */
  async #prepareRequires(module: Module, seen: Set<Module>): Promise<void> {
    if (seen.has(module) || !/require/i.test(module.source)) return;
    seen.add(module);
    for (const specifier of requiredIn(module.source)) {
      const found = resolveSpecifier(specifier, module.path, this.#territory, this.#packages);
      if (found.kind === 'host') await this.#options.host.load(found.id);
      if (found.kind === 'own') await this.#prepareRequires(this.#open(found.path, found.search), seen);
    }
  }

  #requireOf(from: Module): NodeJS.Require {
    const native = createRequire(from.path);
    const require = (specifier: string): unknown => this.#require(specifier, from);
    const resolve = (specifier: string): string => this.#resolvePath(specifier, from);
    return Object.assign(require, {
      resolve: Object.assign(resolve, { paths: native.resolve.paths }),
      cache: native.cache,
      extensions: native.extensions,
      main: native.main,
    });
  }

  #builtin(id: string): unknown {
    const builtin: unknown = process.getBuiltinModule(id);
    return id === 'module' || id === 'node:module' ? this.#withOwnRequire(builtin as object) : builtin;
  }

  async #importBuiltin(id: string, from: Module): Promise<object> {
    const namespace: { default?: unknown } = await importPackage(id, from.path);
    if (id !== 'module' && id !== 'node:module') return namespace;
    const own = this.#withOwnRequire(namespace.default as object);
    return { ...namespace, createRequire: own.createRequire, default: own };
  }

  /** `node:module` whose createRequire leads an own file to own files: Node's would keep what it first read. */
  #withOwnRequire(builtin: object): { createRequire: (from: string | URL) => NodeJS.Require } {
    const make = (from: string | URL): NodeJS.Require => {
      const path = from instanceof URL || from.startsWith('file:') ? fileURLToPath(from) : from;
      const own = isAbsolute(path) && isOwn(path, this.#options.root);
      return own ? this.#requireOf(this.#modules.get(path) ?? newModule(path, 'commonjs', '')) : createRequire(from);
    };
    return Object.create(builtin, { createRequire: { value: make, enumerable: true } });
  }

  /** Names what a missing package is called, and where it would be found. */
  #explained(error: unknown, specifier: string, from: Module): unknown {
    const code = codeOf(error);
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error;
    const stack = (error as { requireStack?: readonly string[] }).requireStack;
    const direct =
      stack === undefined ? messageOf(error).includes(`imported from ${from.path}`) : stack[0] === from.path;
    if (!direct) return error; // something the package itself is missing
    const candidates = packageCandidates(specifier, from.path, this.#options.root);
    this.#options.onMissing(candidates);
    return missingImport(specifier, from.path, candidates, error);
  }
}
