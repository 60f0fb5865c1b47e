import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

// The module registry is one a process, so what hangs on it is too: this is the one place with state outside a kernel.
// It stands on globalThis because a test runner may hold a second copy of this file.
interface ModuleHooks {
  /** The host's own objects, for packages that an extension brings along. */
  readonly host: Map<string, object>;
  readonly importNatively: Promise<(specifier: string) => Promise<object>>;
}

const key = Symbol.for('kern.module-hooks');
const fromScheme = 'kern-from:';
const hostScheme = 'kern-host:';

/** Imports a package or a builtin as Node would from `importer`: its conditions, its folders, once a process. */
export async function importPackage(specifier: string, importer: string): Promise<object> {
  const importNatively = await moduleHooks().importNatively;
  const query = new URLSearchParams({ specifier, importer: pathToFileURL(importer).href });
  return importNatively(`${fromScheme}?${query}`);
}

/** Requires a package as Node would from `importer`. */
export function requirePackage(specifier: string, importer: string): unknown {
  return createRequire(importer)(specifier);
}

/** Lets packages below an extension import a host name too, so that there is one kernel. The first kernel's objects stay. */
export function offerToPackages(id: string, object: object): void {
  const { host } = moduleHooks();
  if (!host.has(id)) host.set(id, object);
}

function moduleHooks(): ModuleHooks {
  const shared = globalThis as { [key]?: ModuleHooks };
  shared[key] ??= install();
  return shared[key];
}

function install(): ModuleHooks {
  const host = new Map<string, object>();
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(fromScheme))
        return resolveFrom(specifier, (wanted, parentURL) => next(wanted, { ...context, parentURL }));
      if (host.has(specifier) && isPackage(context.parentURL)) {
        return { url: hostScheme + specifier, format: 'module', shortCircuit: true };
      }
      return next(specifier, context);
    },
    load(url, context, next) {
      const object = url.startsWith(hostScheme) ? host.get(url.slice(hostScheme.length)) : undefined;
      if (object === undefined) return next(url, context);
      return { format: 'module', shortCircuit: true, source: reExport(url.slice(hostScheme.length), object) };
    },
  });
  return { host, importNatively: nativeImport() };
}

/** Node's own import(), out of reach of a bundler or a test runner that rewrites the word. */
async function nativeImport(): Promise<(specifier: string) => Promise<object>> {
  const bridge: string = 'data:text/javascript,export default (specifier) => import(specifier)';
  const native: { default: (specifier: string) => Promise<object> } = await import(bridge);
  return native.default;
}

function resolveFrom<R>(query: string, next: (specifier: string, parentURL: string) => R): R {
  const asked = new URLSearchParams(query.slice(query.indexOf('?')));
  return next(asked.get('specifier') ?? '', asked.get('importer') ?? '');
}

/** Whether a module lies in a package, and not in kern's own. */
function isPackage(url: string | undefined): boolean {
  if (url?.startsWith('file:') !== true) return false;
  const owner = fileURLToPath(url)
    .split(/[\\/]node_modules[\\/]/)
    .at(-1);
  return url.includes('/node_modules/') && owner?.split(/[\\/]/)[0] !== 'kern';
}

function reExport(id: string, object: object): string {
  const names = Object.keys(object).filter(
    (name) => name !== 'default' && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name),
  );
  const lines = names.map(
    (name, index) => `const e${index} = host[${JSON.stringify(name)}]; export { e${index} as ${name} };`,
  );
  const fallback = 'default' in object ? 'host.default' : 'host';
  return [
    `const host = globalThis[Symbol.for('kern.module-hooks')].host.get(${JSON.stringify(id)});`,
    ...lines,
    `export default ${fallback};`,
  ].join('\n');
}
