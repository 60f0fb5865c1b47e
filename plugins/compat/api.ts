import { basename, dirname, extname, relative, sep } from 'node:path';
import { KernError, type PluginDefinition, type View } from 'kern/plugin';
import { extensionModules } from '../discovery/contract.ts';
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
}

/** Extensions in the folders of other agents, of those whose code a person has switched on: `providers: { pi: { code: true } }`. `changed` is told when there may be others. */
export async function foreignPlaces(view: View, changed: () => void): Promise<readonly ForeignPlace[]> {
  const said = view.setting('providers');
  const on = Object.entries(typeof said === 'object' && said !== null ? said : {})
    .filter(([, provider]) => typeof provider === 'object' && provider !== null && provider.code === true)
    .map(([id]) => id);
  if (on.length === 0) return [];
  await Promise.all([view.use(extensionModules).load(), view.use(extensionApis).load()]);
  view.service(extensionApis).follow(changed);
  return (
    view
      .use(extensionModules)
      .entries({ providers: on })
      // Trust is asked by whoever loads it; of one file that two providers know, one counts.
      .filter(
        ({ verdict: { state }, key }, at, all) =>
          state !== 'invalid' && state !== 'disabled' && all.findIndex((other) => other.key === key) === at,
      )
      .map(({ item: { path, dialect }, origin: { level } }) => {
        const stem = basename(path, extname(path));
        const shortName = stem === 'index' ? basename(dirname(path)) : stem;
        const place = { entry: path, folder: dirname(path), shortName, dialect };
        if (level !== 'project') return { ...place, level: 'user' as const, name: shortName };
        const { root } = view.where;
        return { ...place, level: 'project' as const, root, name: relative(root, path).split(sep).join('/') };
      })
  );
}
