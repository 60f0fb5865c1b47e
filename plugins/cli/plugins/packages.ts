import path from 'node:path';
import {
  type CommandHost,
  columns,
  extensionManifests,
  type InstalledPackage,
  installedPackages,
  type PluginReport,
  workbench,
} from 'kern/contracts';
import { messageOf, visible } from 'kern/plugin';

/** A package as `kern plugins --json` prints it. */
export interface PackageReport {
  readonly name: string;
  readonly version: string;
  readonly level: InstalledPackage['level'];
  readonly source: string;
  readonly folder: string;
  readonly lockFile: string;
  readonly state: 'installed' | 'linked' | 'missing' | 'changed';
  readonly resolved?: string;
  readonly integrity?: string;
  readonly content?: string;
  readonly failure?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** What is installed. A lock file that cannot be read is a line for the person, and hides no plugin. */
export async function packageReports(host: CommandHost): Promise<readonly PackageReport[]> {
  const { home, root } = host.view.service(workbench);
  try {
    return (await installedPackages({ home, root })).map(reportOf);
  } catch (error) {
    host.say(`kern: ${visible(messageOf(error))}`);
    return [];
  }
}

function reportOf({ name, level, locked, folder, lockFile, isLinked, wrong }: InstalledPackage): PackageReport {
  const { source, version, resolved, integrity, content } = locked;
  const state =
    wrong === undefined
      ? isLinked
        ? 'linked'
        : 'installed'
      : wrong.code === 'package_changed'
        ? 'changed'
        : 'missing';
  return {
    name,
    version,
    level,
    source,
    folder,
    lockFile,
    state,
    ...(resolved === undefined ? {} : { resolved }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(content === undefined ? {} : { content }),
    ...(wrong === undefined ? {} : { failure: wrong }),
  };
}

/** The package that a plugin is a part of. */
export function packageOf({ source }: PluginReport, packages: readonly PackageReport[]): PackageReport | undefined {
  return packages.find(({ folder }) => {
    const inside = path.relative(folder, source);
    return path.isAbsolute(source) && inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside);
  });
}

export function packageLines(packages: readonly PackageReport[]): readonly string[] {
  if (packages.length === 0) return [];
  const rows = packages.map(({ name, version, level, state, source, failure }) => [
    visible(name),
    version,
    level,
    state,
    visible(failure === undefined ? source : (failure.hint ?? failure.message)),
  ]);
  return ['', ...columns([['package', 'version', 'level', 'state', ''], ...rows])];
}

/** Extensions of other programs: what they bring is read where it lies, and they can be taken as packages. */
export async function foundManifests({
  view,
}: CommandHost): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const reader = view.use(extensionManifests);
  await reader.load();
  return reader.items().map(({ name, path: folder }) => ({ name, path: folder }));
}

export function foundLines(found: Awaited<ReturnType<typeof foundManifests>>): readonly string[] {
  if (found.length === 0) return [];
  const rows = found.map(({ name, path: folder }) => [`  ${visible(name)}`, visible(folder)]);
  return ['', 'Of other programs; kern plugins install <path> makes one a package of yours:', ...columns(rows)];
}
