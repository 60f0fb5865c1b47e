import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { codeOf, messageOf } from '../error.ts';
import { makeFolderSync } from '../folders.ts';
import { contentHash } from './hash.ts';
import { syntaxError } from './load-error.ts';

/** How a source is made into a function: ES modules await their imports, unless somebody requires them. */
export type Form = 'module' | 'required-module' | 'commonjs';

export interface ModuleScope {
  readonly exports: unknown;
  readonly require: (specifier: string) => unknown;
  readonly module: { exports: unknown };
  readonly filename: string;
  readonly folder: string;
  readonly dynamicImport: (specifier: string) => Promise<object>;
  readonly resolveImport: (specifier: string) => string;
}

/** Runs the code of one module, once a call. */
export type ModuleBody = (scope: ModuleScope) => unknown;

/** Part of the cache key: what jiti makes of a source depends on its version. */
export const transformer = 'jiti 2.7.0';

type Transform = (options: { source: string; filename: string; ts: boolean; async: boolean }) => string;

/**
 * Makes functions of sources. A function is collected with its plugin's revision. Node's registry keeps every ES module
 * it ever loaded: 125 KB a reload of a 10 KB `.mjs` by `import(file + '?r=' + n)`, 0 here for `.ts` and `.mjs` alike
 * (heap used after gc(), reloads 20 to 320, Node 24.21: kernel/host/test/heap.ts).
 */
export class Compiler {
  readonly #cacheDir: string | undefined;
  #cache: { readonly folder: string | undefined } | undefined;
  #transform: Transform | undefined;
  #count = 0;

  constructor(cacheDir: string | undefined) {
    this.#cacheDir = cacheDir;
  }

  compile(file: string, source: string, form: Form): ModuleBody {
    const text = source.replace(/^\uFEFF/, '').replace(/^#!/, '//');
    if (form !== 'commonjs') return this.#module(file, text, form);
    // In a script of its own `import()` would find no loader: it is rewritten to ours.
    const code = /\bimport\s*\(/.test(text) ? this.#transformed(file, text, form) : text;
    return this.#body(file, code, form);
  }

  /** Whether a `.js` that no package.json speaks for is an ES module: Node's rule, it is when it does not parse as CommonJS. */
  isModule(file: string, source: string): boolean {
    if (!/\b(import|export|await)\b/.test(source)) return false;
    try {
      this.#body(file, source.replace(/^\uFEFF/, '').replace(/^#!/, '//'), 'commonjs');
      return false;
    } catch {
      return true; // what is wrong in either form is said when it is compiled as a module
    }
  }

  #module(file: string, text: string, form: Form): ModuleBody {
    const code = this.#transformed(file, text, form);
    try {
      return this.#body(file, code, form);
    } catch (error) {
      // `import.meta` itself, or a key jiti does not know, such as `main`.
      if (!messageOf(error).includes('import.meta')) throw error;
      return this.#body(
        file,
        code.replace(/\bimport\.meta\b/g, '({ main: false, url: require("node:url").pathToFileURL(__filename).href })'),
        form,
      );
    }
  }

  #body(file: string, code: string, form: Form): ModuleBody {
    const names = 'exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve';
    const kind = form === 'module' ? 'async function' : 'function';
    // V8 hashes text over 16,383 characters by its length alone, takes the next revision for the same text, and keeps
    // what it keeps of text that comes twice: no two have the same length.
    this.#count = (this.#count + 1) % 10_000;
    const run = functionOf(file, `(${kind} (${names}) { ${code}\n})${' '.repeat(this.#count)}`);
    return ({ exports, require, module, filename, folder, dynamicImport, resolveImport }) => {
      const self = form === 'commonjs' ? exports : undefined;
      return run.call(self, exports, require, module, filename, folder, dynamicImport, resolveImport);
    };
  }

  #transformed(file: string, source: string, form: Form): string {
    const seal = `\n//# ${contentHash([transformer, form, file, source].join('\0'))}`;
    this.#cache ??= { folder: this.#cacheDir && privateFolder(this.#cacheDir) };
    const cached =
      this.#cache.folder && join(this.#cache.folder, `${basename(file)}-${contentHash(form + file).slice(0, 16)}.js`);
    const known = cached && readText(cached);
    if (known?.endsWith(seal) === true) return known;
    const code = this.#transformNow(file, source, form);
    if (cached) writeWhole(cached, code + seal);
    return code;
  }

  #transformNow(file: string, source: string, form: Form): string {
    this.#transform ??= loadTransform();
    const code = this.#transform({ source, filename: file, ts: /\.[cm]?ts$/.test(file), async: form === 'module' });
    const mark = 'exports.__JITI_ERROR__ = ';
    if (!code.startsWith(mark)) return code;
    const failure: { line?: number; message?: string } = JSON.parse(code.slice(mark.length).replace(/;\s*$/, ''));
    throw syntaxError(file, failure.line, (failure.message ?? 'unexpected code').trim());
  }
}

/** jiti takes 20 ms to load and its first transform 130 more, so a warm cache never comes here. */
function loadTransform(): Transform {
  const { createJiti } = createRequire(import.meta.url)('jiti') as typeof import('jiti');
  // Babel keeps lines as they are, so no source maps: they would be kept for ever, 61 KB a reload.
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    sourceMaps: false,
    tryNative: false,
    interopDefault: false,
  });
  return (options) => jiti.transform(options);
}

function functionOf(file: string, expression: string): (this: unknown, ...values: unknown[]) => unknown {
  try {
    // Not vm.Script: V8 keeps scripts in a cache that only memory pressure empties, ten times their source a reload.
    // biome-ignore lint/security/noGlobalEval: running the plugin's code is what a loader is for
    return globalThis.eval(`${expression}\n//# sourceURL=${pathToFileURL(file).href}`);
  } catch (error) {
    throw located(file, expression, error);
  }
}

/** Only a script says on which line it does not parse. */
function located(file: string, expression: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SyntaxError') return error;
  try {
    new Script(expression, { filename: file });
  } catch (again) {
    const { stack = '', message } = again as Error;
    const line = stack.startsWith(`${file}:`) ? Number.parseInt(stack.slice(file.length + 1), 10) : Number.NaN;
    return syntaxError(file, Number.isNaN(line) ? undefined : line, message, again);
  }
  return error;
}

/** A folder that only this user can write to: what lies in it is run. Without one, every start transforms anew. */
function privateFolder(path: string): string | undefined {
  try {
    makeFolderSync(path, 0o700);
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return undefined;
    if (process.getuid !== undefined && stat.uid !== process.getuid()) return undefined;
    if ((stat.mode & 0o077) !== 0 && process.platform !== 'win32') chmodSync(path, 0o700);
    return path;
  } catch {
    return undefined; // a read-only home still runs extensions, only slower
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined; // not cached yet
  }
}

/** By rename: another process may be reading. */
function writeWhole(path: string, text: string): void {
  const next = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, path);
  } catch {
    rmSync(next, { force: true }); // a full disk costs only speed
  }
}
