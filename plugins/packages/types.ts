import type { KernError, StatedManifest, TrustItem } from 'kern/plugin';
import type { Locked, PackageLevel } from './lock.ts';
import type { PartKind, StatedParts } from './parts.ts';

/** Where an extension of a package stands, or one that the settings name. */
export interface PackagePlace {
  readonly entry: string;
  readonly folder: string;
  readonly level: PackageLevel;
  readonly root?: string;
  readonly name: string;
  readonly shortName: string;
  readonly manifest?: StatedManifest;
  /** The extension, whatever the version of its package. */
  readonly same?: string;
  readonly bound?: Pick<TrustItem, 'definition' | 'files'>;
  /** What to do where it does not load, of what is not to be edited where it lies. */
  readonly mend?: string;
  /** Rejects where its files are not those that were installed. */
  check?(): Promise<void>;
  /** Nothing that could run stands there: the check says why before anybody is asked to trust it. */
  readonly isHollow?: true;
}

/** An installed package, and how it stands. */
export interface InstalledPackage {
  readonly name: string;
  readonly level: PackageLevel;
  readonly locked: Locked;
  readonly lockFile: string;
  readonly folder: string;
  /** Used where it lies: what is edited there is live. */
  readonly isLinked: boolean;
  /** Why it is not used. */
  readonly wrong: { readonly code: string; readonly message: string; readonly hint?: string } | undefined;
}

/** The parts of one package, for who reads them through files of its own. */
export interface PackageParts {
  readonly name: string;
  readonly folder: string;
  readonly kinds: readonly PartKind[];
  /** The manifests of other programs, by name and path. */
  readonly others: Readonly<Record<string, string>>;
  /** Where its parts stand, by its package.json and those. */
  stated(packageJson: unknown, others: Readonly<Record<string, unknown>>): StatedParts;
  whatIsWrong(): Promise<KernError | undefined>;
}
