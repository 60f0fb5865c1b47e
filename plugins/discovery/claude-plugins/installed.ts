import { dirname, isAbsolute, join } from 'node:path';
import { type At, type ExtensionManifest, type Fields, flagOf, isFields, textOf, textsOf } from 'kern/contracts';
import { isAgentPlugin, isIn } from './agent-plugin.ts';

/** A plugin that was installed with Claude Code, and is on here. */
export interface InstalledPlugin {
  readonly name: string;
  readonly folder: string;
  readonly manifestPath: string;
  readonly manifest: Fields;
  /** It is written as an Agent Plugin, without a manifest of Claude Code. */
  readonly isPortable: boolean;
}

/**
 * The plugins of installed_plugins.json: those of the person, and those that the person has for this project. `enabledPlugins`
 * switches them; the settings of a project only off, for what is on runs without being asked about.
 */
export async function installedPlugins(at: At): Promise<readonly InstalledPlugin[]> {
  const { path, files, where } = at;
  const data = await files.json(path);
  if (data === undefined) return [];
  const plugins = isFields(data) ? data.plugins : undefined;
  if (!isFields(plugins)) {
    files.warn(path, 'plugins is no map');
    return [];
  }
  const isOff = await switchedOff(at);
  const elsewhere = await listedElsewhere(at);
  const folders = new Map<string, string>();
  for (const [id, said] of Object.entries(plugins)) {
    const entries = (Array.isArray(said) ? (said as readonly unknown[]) : [said]).filter(isFields);
    const entry = entries.find((one) => isHere(one, where)) ?? entries.find((one) => isForAll(one));
    if (entry === undefined || flagOf(entry.enabled) === false || isOff(id) || elsewhere.has(id)) continue;
    const folder = textOf(entry.installPath);
    if (folder === undefined || !isAbsolute(folder)) files.warn(path, `the plugin ${id} has no installPath`);
    else if ((await files.kind(folder)) !== 'folder') files.warn(path, `the plugin ${id} is not in ${folder} any more`);
    else folders.set(id, folder);
  }
  return Promise.all([...folders].map(([id, folder]) => pluginAt(id, folder, at)));
}

/** What oh-my-pi lists as well is taken from its list: a plugin of two lists is one, and its hooks run once. */
async function listedElsewhere({ path, user, files }: At): Promise<ReadonlySet<string>> {
  const other = join(user, '.omp', 'plugins', 'installed_plugins.json');
  const data = path === other ? undefined : await files.json(other);
  return new Set(isFields(data) && isFields(data.plugins) ? Object.keys(data.plugins) : []);
}

const isForAll = (entry: Fields): boolean => !['project', 'local'].includes(textOf(entry.scope) ?? 'user');

const isHere = (entry: Fields, { cwd, root }: At['where']): boolean => {
  const project = textOf(entry.projectPath);
  return !isForAll(entry) && project !== undefined && (project === root || isIn(cwd, project));
};

async function switchedOff({ path, files, where, levels }: At): Promise<(id: string) => boolean> {
  const personal = join(dirname(dirname(path)), 'settings.json');
  const folders = where.cwd === where.root ? [where.root] : [where.root, where.cwd];
  const ofProject = folders.flatMap((folder) =>
    ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name)),
  );
  const settings = await Promise.all(
    [personal, ...(levels.includes('project') ? ofProject : [])].map((file) => files.json(file)),
  );
  const switches = settings.flatMap((one) =>
    isFields(one) && isFields(one.enabledPlugins) ? [one.enabledPlugins] : [],
  );
  return (id) => switches.some((one) => Object.hasOwn(one, id) && flagOf(one[id]) === false);
}

async function pluginAt(id: string, folder: string, { files }: At): Promise<InstalledPlugin> {
  const manifestPath = join(folder, '.claude-plugin', 'plugin.json');
  const manifest = await files.json(manifestPath);
  const isOwn = isFields(manifest);
  return {
    name: (isOwn ? textOf(manifest.name) : undefined) ?? id.replace(/@.*$/s, ''),
    folder,
    manifestPath,
    manifest: isOwn ? manifest : {},
    isPortable: !isOwn && (await isAgentPlugin(folder, files)),
  };
}

export async function pluginManifests(at: At): Promise<readonly ExtensionManifest[]> {
  const plugins = await installedPlugins(at);
  return plugins.flatMap(({ name, folder, manifest, isPortable }) =>
    isPortable ? [] : [{ name, path: folder, manifest }],
  );
}

/** Paths that a manifest names, beside the usual one. They lead to nothing outside of the plugin. */
export function pathsOf(
  plugin: InstalledPlugin,
  usual: string | undefined,
  named: unknown,
  { files }: Pick<At, 'files'>,
): readonly string[] {
  const paths = textsOf(typeof named === 'string' ? [named] : named).flatMap((written) => {
    const path = join(plugin.folder, written.replace(rootVariable, ''));
    if (isIn(path, plugin.folder)) return [path];
    files.warn(plugin.manifestPath, `${written} leads out of the plugin`);
    return [];
  });
  return [...new Set([...(usual === undefined ? [] : [join(plugin.folder, usual)]), ...paths])];
}

/** How texts and commands of a plugin name its folder. */
export const rootVariable: RegExp = /\$\{(?:CLAUDE|OMP)_PLUGIN_ROOT\}/g;
