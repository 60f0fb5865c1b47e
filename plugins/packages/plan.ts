import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { KernError } from 'kern/plugin';
import { partsOf } from './content.ts';
import { type Description, describe, fieldOf, jsonIn, lifecycle } from './describe.ts';
import { fetchDependencies, fetchPackage } from './fetch.ts';
import { type Locked, machine, type Shelf } from './lock.ts';
import type { FetchPorts } from './ports.ts';
import { portable, type Source } from './source.ts';

/** A package as it would be installed. It is fetched, and nothing is changed yet. */
export interface Plan {
  readonly shelf: Shelf;
  readonly about: Description;
  readonly locked: Locked;
  /** What is installed of that name now. */
  readonly before: Locked | undefined;
  /** Packages it needs, with their versions. */
  readonly needs: readonly string[];
  /** Packages among those that have scripts of npm's life cycle, which do not run. */
  readonly scripted: readonly string[];
  readonly leftOut: readonly string[];
  /** Where it lies until it is taken; undefined of a folder that is used where it is. */
  readonly staged: string | undefined;
}

export interface PlanPorts extends FetchPorts {
  readonly kernVersion: string;
  /** Tells how far it is. */
  say(line: string): void;
}

/** Where things lie until they are whole: on the disk they go to, so that one rename takes them there. */
export const stagingOf = (shelf: Shelf): string => path.join(shelf.folder, '.staging');

/** Fetches and looks. With `lock`, it has to be exactly what that says. */
export async function planOf(source: Source, shelf: Shelf, ports: PlanPorts, lock?: Locked): Promise<Plan> {
  if (source.kind === 'folder') return planOfFolder(source.folder, portable(source, shelf.base), shelf, ports);
  const desk = path.join(stagingOf(shelf), `${Date.now()}-${process.pid}-${randomBytes(6).toString('hex')}`);
  await mkdir(desk, { recursive: true, mode: 0o700 });
  try {
    return await planIn(desk, source, shelf, ports, lock);
  } catch (error) {
    await rm(desk, { recursive: true, force: true });
    throw withoutDesk(error, desk, source.text);
  }
}

/** Where it was fetched to is gone when a person reads of it, and says nothing. */
function withoutDesk(error: unknown, desk: string, source: string): unknown {
  if (!(error instanceof KernError)) return error;
  const { code, message, hint, cause } = error;
  const clean = (text: string): string =>
    text
      .replaceAll(`${path.join(desk, 'package')}${path.sep}`, '')
      .replaceAll(path.join(desk, 'package'), source)
      .replaceAll(desk, source);
  if (clean(message) === message && (hint === undefined || clean(hint) === hint)) return error;
  return new KernError(code, clean(message), { cause, ...(hint === undefined ? {} : { hint: clean(hint) }) });
}

async function planIn(
  desk: string,
  source: Exclude<Source, { kind: 'folder' }>,
  shelf: Shelf,
  ports: PlanPorts,
  lock: Locked | undefined,
): Promise<Plan> {
  const folder = path.join(desk, 'package');
  ports.say(`fetching ${lock?.resolved ?? source.text}`);
  const fetched = await fetchPackage(source, folder, path.join(desk, 'fetched'), ports, lock?.resolved);
  const about = await describe(folder, ports.kernVersion);
  const { content } = await partsOf(folder);
  if (lock !== undefined) agree(about.name, lock, { integrity: fetched.integrity, content });
  const dependencies = await withDependencies(folder, about, path.join(desk, 'needed'), ports, lock?.dependencies);
  const { modules } = await partsOf(folder);
  const known = lock?.modules?.[machine];
  if (known !== undefined && known !== modules)
    throw unlike(about.name, 'the packages it needs are not those of the lock file');
  const { integrity } = fetched;
  const locked: Locked = {
    source: lock?.source ?? portable(source, shelf.base),
    version: about.version,
    resolved: path.isAbsolute(fetched.resolved) ? portable(source, shelf.base) : fetched.resolved,
    ...(integrity === undefined ? {} : { integrity }),
    content,
    entries: about.entries,
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(modules === undefined ? {} : { modules: { ...lock?.modules, [machine]: modules } }),
  };
  return { shelf, about, locked, before: undefined, ...needsOf(dependencies), leftOut: fetched.leftOut, staged: desk };
}

async function planOfFolder(folder: string, text: string, shelf: Shelf, { kernVersion }: PlanPorts): Promise<Plan> {
  const about = await describe(folder, kernVersion);
  const missing = Object.keys(about.dependencies).filter(
    (name) => jsonIn(folder, `node_modules/${name}/package.json`) === undefined,
  );
  const warnings =
    missing.length === 0
      ? about.warnings
      : [...about.warnings, `${missing.join(', ')}: not there yet; npm install in ${folder} fetches them`];
  const locked: Locked = { source: text, version: about.version, entries: about.entries };
  return {
    shelf,
    about: { ...about, warnings },
    locked,
    before: undefined,
    needs: [],
    scripted: [],
    leftOut: [],
    staged: undefined,
  };
}

/** Puts the packages that it needs beside it. Only what it says it needs when it runs: no scripts, nothing for its authors. */
async function withDependencies(
  folder: string,
  { name, version, dependencies, optionalDependencies }: Description,
  desk: string,
  ports: PlanPorts,
  locked: Readonly<Record<string, unknown>> | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const wanted = { ...dependencies, ...optionalDependencies };
  if (Object.keys(wanted).length === 0) return undefined;
  for (const [other, range] of Object.entries(wanted)) {
    if (!/^(?:file|link|workspace|portal):|^[./~]/.test(range)) continue;
    throw new KernError('package_manifest', `${name} needs ${other} from ${range}, a folder that is not in it`, {
      hint: 'It was packed unfinished: its author names a version there.',
    });
  }
  ports.say(`fetching what ${name} needs: ${Object.keys(wanted).join(', ')}`);
  const overrides = fieldOf(jsonIn(folder, 'package.json'), 'overrides');
  const manifest = {
    name,
    version,
    private: true,
    dependencies,
    optionalDependencies,
    ...(overrides === undefined ? {} : { overrides }),
  };
  const chosen = await fetchDependencies(manifest, locked, desk, ports);
  const modules = path.join(desk, 'node_modules');
  if ((await stat(modules).catch(() => undefined)) !== undefined)
    await rename(modules, path.join(folder, 'node_modules'));
  return chosen;
}

function needsOf(dependencies: Readonly<Record<string, unknown>> | undefined): Pick<Plan, 'needs' | 'scripted'> {
  const all = Object.entries(dependencies ?? {})
    .filter(([at]) => at !== '')
    .map(([at, said]) => ({
      id: `${at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${String(fieldOf(said, 'version'))}`,
      hasScript: fieldOf(said, 'hasInstallScript') === true,
    }));
  return {
    needs: all.map(({ id }) => id).sort(),
    scripted: all.filter(({ hasScript }) => hasScript).map(({ id }) => id),
  };
}

function agree(
  name: string,
  lock: Locked,
  { integrity, content }: { readonly integrity: string | undefined; readonly content: string },
): void {
  if (lock.integrity !== undefined && integrity !== undefined && lock.integrity !== integrity)
    throw unlike(name, `its tarball is ${integrity}, and the lock file says ${lock.integrity}`);
  if (lock.content !== undefined && lock.content !== content)
    throw unlike(name, `its files are ${content}, and the lock file says ${lock.content}`);
}

const unlike = (name: string, why: string): KernError =>
  new KernError('package_integrity', `${name} is not what the lock file says, and was not taken: ${why}`, {
    hint: `Somebody published something else under that version. To take it all the same, look at it, and install ${name} anew.`,
  });

/** Throws away what was fetched. */
export async function discard({ staged }: Plan): Promise<void> {
  if (staged !== undefined) await rm(staged, { recursive: true, force: true });
}

export const lifecycleOf = ({ scripts }: Description): readonly string[] =>
  lifecycle.flatMap((script) => (scripts[script] === undefined ? [] : [`${script}: ${scripts[script]}`]));
