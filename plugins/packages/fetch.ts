import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KernError } from 'kern/plugin';
import { commitOf, fetchGit } from './git.ts';
import { npm } from './npm.ts';
import type { Fetched, FetchPorts } from './ports.ts';
import { compareVersions } from './range.ts';
import type { Source } from './source.ts';
import { unpack } from './tar.ts';

/** Fetches a package into a folder. Nothing of it is run. `exact`: what a lock file says it was. */
export async function fetchPackage(
  source: Exclude<Source, { kind: 'folder' }>,
  folder: string,
  scratch: string,
  ports: FetchPorts,
  exact?: string,
): Promise<Fetched> {
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(scratch, { recursive: true })]);
  if (source.kind === 'git') return fetchGit(source, folder, scratch, ports, exact);
  if (source.kind === 'tarball' && !/^https?:/.test(source.at))
    return fromTarball(await readFile(source.at), folder, source.at);
  const asked = source.kind === 'npm' ? (exact ?? `${source.name}@${source.range}`) : source.at;
  const { file, id } = await packed(asked, scratch, ports);
  const resolved = source.kind === 'npm' ? id : asked;
  return fromTarball(await readFile(path.join(scratch, file)), folder, resolved);
}

async function fromTarball(bytes: Buffer, folder: string, resolved: string): Promise<Fetched> {
  const leftOut = await unpack(bytes, folder, { strip: true });
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  // Packages that a tarball brings along are those that npm fetches anyway, and checks.
  await rm(path.join(folder, 'node_modules'), { recursive: true, force: true });
  return { resolved, integrity, leftOut };
}

/** `npm pack`: the tarball of a package, as the registry of the person's npm has it. */
async function packed(asked: string, scratch: string, ports: FetchPorts): Promise<{ file: string; id: string }> {
  const { stdout } = await npm(['pack', '--json', '--pack-destination', scratch, '--', asked], scratch, ports, asked);
  const said = parsedList(stdout)[0];
  const { filename, name, version } = (said ?? {}) as { filename?: unknown; name?: unknown; version?: unknown };
  if (typeof filename !== 'string' || typeof name !== 'string' || typeof version !== 'string')
    throw new KernError('package_fetch', `npm did not say what ${asked} is`, {
      hint: 'Look whether `npm pack` works by itself.',
    });
  return { file: filename.replace(/^@/, '').replace(/\//g, '-'), id: `${name}@${version}` };
}

/** The newest version that a source leads to, without fetching it. */
export async function newest(source: Source, scratch: string, ports: FetchPorts): Promise<string | undefined> {
  await mkdir(scratch, { recursive: true });
  if (source.kind === 'git') return (await commitOf(source, scratch, ports)).commit;
  if (source.kind !== 'npm') return undefined;
  const asked = `${source.name}@${source.range}`;
  const { stdout } = await npm(['view', '--json', '--', asked, 'version'], scratch, ports, asked);
  // In the order in which they were published.
  return parsedList(stdout)
    .filter((one) => typeof one === 'string')
    .toSorted(compareVersions)
    .at(-1);
}

function parsedList(text: string): readonly unknown[] {
  try {
    const said: unknown = JSON.parse(text);
    return Array.isArray(said) ? said : [said];
  } catch {
    return []; // told by who asked
  }
}

/** Fetches the packages that a package needs, into a `node_modules` in `folder`. Answers what was chosen, in npm's words. */
export async function fetchDependencies(
  manifest: Readonly<Record<string, unknown>>,
  locked: Readonly<Record<string, unknown>> | undefined,
  folder: string,
  ports: FetchPorts,
): Promise<Readonly<Record<string, unknown>>> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'package-lock.json');
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  if (locked !== undefined)
    await writeFile(
      file,
      JSON.stringify({
        name: manifest.name,
        version: manifest.version,
        lockfileVersion: 3,
        requires: true,
        packages: locked,
      }),
    );
  const what = `the packages that ${String(manifest.name)} needs`;
  await npm(
    [
      locked === undefined ? 'install' : 'ci',
      '--omit=dev',
      '--legacy-peer-deps',
      '--install-strategy=hoisted',
      '--package-lock',
    ],
    folder,
    ports,
    what,
  );
  const said = JSON.parse(await readFile(file, 'utf8')) as { packages?: Readonly<Record<string, unknown>> };
  return said.packages ?? {};
}
