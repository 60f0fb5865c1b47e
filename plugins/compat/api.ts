import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { type Entry, KernError, type PluginDefinition, type View } from 'kern/plugin';
import { extensionModules, hookItems } from '../discovery/contract.ts';
import {
  type ExtensionFactory,
  type ExtensionOrigin,
  extensionApis,
  foreignModules,
  ordinaryModules,
} from './contract.ts';

/**
 * A plugin of a default export that is a function. Its id is `<prefix>.<name>`: without a prefix the name of a file could
 * be that of a built-in, now or in a later version.
 */
export function extensionPlugin(
  factory: ExtensionFactory,
  origin: ExtensionOrigin & {
    /** Of an extension of kern's own folders `ext`, else whose folder it was found in. */
    readonly prefix?: string | undefined;
    /** Stated by its package. */
    readonly id?: string | undefined;
  },
): PluginDefinition {
  const { path, name, prefix = 'ext' } = origin;
  return {
    id: origin.id ?? `${prefix}.${idOf(name)}`,
    requires: ['compat'],
    // At the start, since only then what it requires is there, where both come with one change.
    setup: (ctx) => ctx.onStart(() => ctx.service(extensionApis).adopt(ctx, factory, { path, name })),
  };
}

function idOf(name: string): string {
  const id = name
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 48);
  if (id !== '') return id;
  throw new KernError('plugin_bad_id', `${JSON.stringify(name)} gives no name for an extension`, {
    hint: 'name the file or its folder with letters and digits',
  });
}

/** The names under which such extensions import their host. What answers is loaded when one of them is imported. */
export function foreignNames(view: View): {
  readonly names: readonly string[];
  readonly unlessInstalled: readonly string[];
  load(name: string): Promise<object>;
} {
  return {
    names: Object.values(foreignModules).flat(),
    unlessInstalled: ordinaryModules,
    load: async (name) => {
      await view.use(extensionApis).load();
      return view.service(extensionApis).module(name);
    },
  };
}

/** Where code stands in the folder of another agent. */
export interface ForeignPlace {
  readonly entry: string;
  readonly folder: string;
  readonly level: 'user' | 'project';
  /** Of a project. */
  readonly root?: string;
  /** Of a project its path in it, else `shortName`. */
  readonly name: string;
  readonly shortName: string;
  /** Whose it is. */
  readonly dialect: string;
  /** What does not hold while it does not load. */
  readonly stake?: string;
}

/**
 * Extensions and modules of hooks in the folders of other agents, of those whose code a person has switched on:
 * `providers: { pi: { code: true } }`; and modules of hooks in kern's own. `changed` is told when there may be others.
 */
export async function foreignPlaces(view: View, changed: () => void): Promise<readonly ForeignPlace[]> {
  const said = view.setting('providers');
  const on = Object.entries(typeof said === 'object' && said !== null ? said : {})
    .filter(([, provider]) => typeof provider === 'object' && provider !== null && provider.code === true)
    .map(([id]) => id);
  const { cwd, root, home } = view.where;
  // A look at three folders: most people have none, and a start is not to pay for what nobody has.
  const hasOwn = [home, join(root, '.kern'), join(cwd, '.kern')].some((folder) => existsSync(join(folder, 'hooks')));
  if (on.length === 0 && !hasOwn) return [];
  await Promise.all([
    view.use(hookItems).load(),
    on.length === 0 ? undefined : view.use(extensionModules).load(),
    view.use(extensionApis).load(),
  ]);
  view.service(extensionApis).follow(changed);
  const modules = view.use(extensionModules).entries({ providers: on });
  const hooks = view.use(hookItems).entries({ providers: hasOwn ? [...on, 'native'] : on });
  return [
    ...usable(modules).map((entry) => placeOf(entry, root)),
    ...usable(hooks)
      .filter(({ item }) => item.kind === 'module')
      .map(({ item, origin, ...entry }) => {
        const { dialect = 'kern' } = item;
        const at = placeOf({ ...entry, origin, item: { path: item.path, dialect: hookPrefix(dialect) } }, root);
        const place = { ...at, stake: 'its hooks do not hold in this run until it loads' };
        const [, when] = /(?:^|[\\/])(pre|post)[\\/][^\\/]+$/.exec(item.path) ?? [];
        return when === undefined ? place : { ...place, shortName: `${when}-${place.shortName}` };
      }),
  ];
}

const hookPrefix = (dialect: string): string => (dialect === 'kern' ? 'hook' : `${dialect}.hook`);

/** Trust is asked by whoever loads it; of one file that two providers know, one counts. */
function usable<T extends { readonly path: string }>(entries: readonly Entry<T>[]): readonly Entry<T>[] {
  return entries.filter(
    ({ verdict: { state }, item }, at, all) =>
      state !== 'invalid' && state !== 'disabled' && all.findIndex((other) => other.item.path === item.path) === at,
  );
}

function placeOf(
  { item: { path, dialect }, origin: { level } }: Entry<{ readonly path: string; readonly dialect: string }>,
  root: string,
): ForeignPlace {
  const stem = basename(path, extname(path));
  const shortName = stem === 'index' ? basename(dirname(path)) : stem;
  const place = { entry: path, folder: dirname(path), shortName, dialect };
  if (level !== 'project') return { ...place, level: 'user', name: shortName };
  return { ...place, level: 'project', root, name: relative(root, path).split(sep).join('/') };
}
