import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { codeOf, messageOf } from '../error.ts';
import { contentHash } from './hash.ts';
import { type LoadError, syntaxError } from './load-error.ts';

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
 * Makes functions of sources. Each is a plain function in a script of its own, so it is collected with its plugin's
 * revision: Node's registry would keep every ES module it ever loaded.
 */
export class Compiler {
  readonly #cacheDir: string | undefined;
  #transform: Transform | undefined;

  constructor(cacheDir: string | undefined) {
    this.#cacheDir = cacheDir === undefined ? undefined : privateFolder(cacheDir);
  }

  compile(file: string, source: string, form: Form): ModuleBody {
    const text = source.replace(/^\uFEFF/, '').replace(/^#!/, '//');
    if (form !== 'commonjs') return this.#module(file, text, form);
    // In a script of its own `import()` would find no loader: it is rewritten to ours.
    const code = /\bimport\s*\(/.test(text) ? this.#transformed(file, text, form) : text;
    return body(file, code, form);
  }

  /** Whether a `.js` that no package.json speaks for is an ES module: Node's rule, it is when it does not parse as CommonJS. */
  isModule(file: string, source: string): boolean {
    if (!/\b(import|export|await)\b/.test(source)) return false;
    try {
      body(file, source.replace(/^\uFEFF/, '').replace(/^#!/, '//'), 'commonjs');
      return false;
    } catch {
      return true; // what is wrong in either form is said when it is compiled as a module
    }
  }

  #module(file: string, text: string, form: Form): ModuleBody {
    const code = this.#transformed(file, text, form);
    try {
      return body(file, code, form);
    } catch (error) {
      // `import.meta` itself, or a key jiti does not know, such as `main`.
      if (!messageOf(error).includes('import.meta')) throw error;
      return body(
        file,
        code.replace(/\bimport\.meta\b/g, '({ main: false, url: require("node:url").pathToFileURL(__filename).href })'),
        form,
      );
    }
  }

  #transformed(file: string, source: string, form: Form): string {
    const seal = `\n//# ${contentHash([transformer, form, file, source].join('\0'))}`;
    const cached =
      this.#cacheDir && join(this.#cacheDir, `${basename(file)}-${contentHash(form + file).slice(0, 16)}.js`);
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

function body(file: string, code: string, form: Form): ModuleBody {
  const names = 'exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve';
  const kind = form === 'module' ? 'async function' : 'function';
  const script = scriptOf(file, `(${kind} (${names}) { ${code}\n})`);
  const run = script.runInThisContext() as (this: unknown, ...values: unknown[]) => unknown;
  return ({ exports, require, module, filename, folder, dynamicImport, resolveImport }) => {
    const self = form === 'commonjs' ? exports : undefined;
    return run.call(self, exports, require, module, filename, folder, dynamicImport, resolveImport);
  };
}

function scriptOf(file: string, code: string): Script {
  try {
    return new Script(code, { filename: file });
  } catch (error) {
    throw translated(file, error);
  }
}

function translated(file: string, error: unknown): LoadError | unknown {
  if (!(error instanceof Error) || error.name !== 'SyntaxError') return error;
  const line =
    error.stack?.startsWith(`${file}:`) === true ? Number.parseInt(error.stack.slice(file.length + 1), 10) : undefined;
  return syntaxError(file, Number.isNaN(line) ? undefined : line, error.message, error);
}

/** A folder that only this user can write to: what lies in it is run. Without one, every start transforms anew. */
function privateFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
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
