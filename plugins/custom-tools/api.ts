import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { codeOf, type PluginDefinition, type View } from 'kern/plugin';
import { type CustomTool, customTools } from '../discovery/contract.ts';
import { customToolMaker } from './contract.ts';

/** Where a tool stands, for whoever loads it. */
export interface ToolPlace {
  readonly entry: string;
  readonly folder: string;
  readonly level: 'user' | 'project';
  /** Of a project. */
  readonly root?: string;
  /** Of a project its path in it, else its name. */
  readonly name: string;
  readonly shortName: string;
  readonly make: {
    readonly of: 'exports' | 'program';
    plugin(exports: unknown): PluginDefinition | Promise<PluginDefinition>;
  };
}

/** Folders whose tools need no switch, and whatever brings some of its own. */
const usual = ['tools', 'packages'];

/**
 * Tools that are files: of kern's own folders, and of those of other agents whose code a person has switched on:
 * `providers: { claude: { code: true } }`. Where there are none, nothing is loaded for it; as long as nobody follows what
 * comes later, a look at a few folders tells that.
 */
export async function toolPlaces(
  view: View,
  { isFollowed }: { readonly isFollowed: boolean },
): Promise<readonly ToolPlace[]> {
  const { cwd, root, home } = view.where;
  const folders = [home, join(root, '.kern'), join(cwd, '.kern')];
  const mayBe = folders.some((folder) => usual.some((name) => existsSync(join(folder, name))));
  if (!isFollowed && !mayBe && !hasForeignCode(view)) return [];
  const reader = view.use(customTools);
  await reader.load();
  const seen = new Set<string>();
  const entries = reader.entries().filter(({ item, origin, verdict: { state } }) => {
    // One that may not run takes no other's place; trust is asked by whoever loads it.
    if (state === 'invalid' || state === 'disabled' || !mayRun(view, origin.provider)) return false;
    // One that a repository brings takes no name from the person's own.
    const key = `${origin.level}\0${item.name}`;
    return !seen.has(key) && seen.add(key);
  });
  if (entries.length === 0 || !(await isThere(view))) return [];
  return entries.map(({ item, origin: { level } }) => placeOf(item, level === 'project', view));
}

function placeOf({ name, path, kind }: CustomTool, isOfProject: boolean, view: View): ToolPlace {
  const origin = { path, name };
  const maker = () => view.service(customToolMaker);
  const make: ToolPlace['make'] =
    kind === 'program'
      ? { of: 'program', plugin: () => maker().ofProgram(origin) }
      : { of: 'exports', plugin: (exports) => maker().ofModule(exports, origin) };
  const place = { entry: path, folder: dirname(path), shortName: name, make };
  if (!isOfProject) return { ...place, level: 'user', name };
  const { root } = view.where;
  return { ...place, level: 'project', root, name: relative(root, path).split(sep).join('/') };
}

const mayRun = (view: View, provider: string): boolean =>
  provider === 'native' || provider === 'packages' || providersWithCode(view).includes(provider);

const hasForeignCode = (view: View): boolean => providersWithCode(view).length > 0;

/** Providers whose code a person has switched on. */
function providersWithCode(view: View): readonly string[] {
  const said = view.setting('providers');
  return Object.entries(typeof said === 'object' && said !== null ? said : {}).flatMap(
    ([id, own]: [string, unknown]) =>
      typeof own === 'object' && own !== null && Reflect.get(own, 'code') === true ? [id] : [],
  );
}

/** False where a person has switched the plugin off. */
async function isThere(view: View): Promise<boolean> {
  await view.use(customToolMaker).load();
  try {
    view.service(customToolMaker);
    return true;
  } catch (error) {
    if (codeOf(error) === 'service_missing') return false;
    throw error;
  }
}
