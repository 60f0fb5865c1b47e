import { existsSync } from 'node:fs';
import type { View } from 'kern/plugin';
import { lockFileOf, type PackageLevel, shelvesOf } from './lock.ts';
import type { InstalledPackage, PackageParts, PackagePlace } from './types.ts';

export type { Locked, PackageLevel } from './lock.ts';
export type { PartKind, StatedParts } from './parts.ts';
export type { InstalledPackage, PackageParts, PackagePlace } from './types.ts';

type Place = { readonly home: string; readonly root: string };

/** The lock files of a place, whether they are there or not: what to watch. */
export const packageLocks = (where: Place): readonly string[] => shelvesOf(where).map(lockFileOf);

/** Extensions of installed packages, and of the setting `extensions`. Costs nothing where there are none. */
export async function packagePlaces(view: View): Promise<readonly PackagePlace[]> {
  const named = view.setting('extensions');
  const isNamed = Array.isArray(named) && named.length > 0;
  if (!isNamed && !packageLocks(view.where).some((file) => existsSync(file))) return [];
  return (await import('./places.ts')).placesOf(view.where, isNamed ? (named as readonly string[]) : []);
}

/** What is installed, each looked through. */
export async function installedPackages(where: Place): Promise<readonly InstalledPackage[]> {
  if (!packageLocks(where).some((file) => existsSync(file))) return [];
  return (await import('./installed.ts')).installedIn(where);
}

/** The packages of a lock file whose content is known. */
export async function lockedPackages(
  content: unknown,
  where: Place & { readonly file: string; readonly level: PackageLevel },
): Promise<{ readonly list: readonly PackageParts[] } | { readonly wrong: string }> {
  return (await import('./installed.ts')).lockedIn(content, where);
}
