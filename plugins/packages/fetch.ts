import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KernError, type SpawnOptions, type SpawnResult } from 'kern/plugin';
import type { Source } from './source.ts';
import { unpack } from './tar.ts';

/** Runs a program to its end. */
export type Run = (command: string, args: readonly string[], options: SpawnOptions) => Promise<SpawnResult>;

export interface FetchPorts {
  readonly run: Run;
  readonly signal: AbortSignal;
}

/** What was fetched; its own files lie in the folder that was given. */
export interface Fetched {
  readonly resolved: string;
  /** SHA-512 of the tarball, where there was one. */
  readonly integrity: string | undefined;
  /** What lay in it and is no plain file, and was left out. */
  readonly leftOut: readonly string[];
}

const minutes = 60_000;

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
  const versions = parsedList(stdout).filter((one) => typeof one === 'string');
  return versions.at(-1) as string | undefined;
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

/**
 * npm in a folder with a package.json of its own: what a project says about npm, its registry included, does not count, for
 * nobody has trusted it. What the person's own npm is set to does.
 */
async function npm(
  args: readonly string[],
  folder: string,
  { run, signal }: FetchPorts,
  what: string,
): Promise<SpawnResult> {
  const file = path.join(folder, 'package.json');
  await writeFile(file, '{"private":true}', { flag: 'wx' }).catch(() => undefined); // there is one already
  const [verb = '', ...rest] = args;
  const result = await run(
    'npm',
    [verb, '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', ...rest],
    {
      cwd: folder,
      signal,
      timeoutMs: 10 * minutes,
      keepBytes: 8 * 1_048_576,
      env: {
        GIT_ALLOW_PROTOCOL: 'https:ssh',
        GIT_TERMINAL_PROMPT: '0',
        npm_config_yes: 'false',
        NODE_OPTIONS: undefined,
      },
      label: `npm ${verb}`,
    },
  ).catch((cause: unknown) => {
    throw new KernError('npm_missing', 'npm does not run on this machine', {
      cause,
      hint: 'Install Node with npm, or use a git address or a folder.',
    });
  });
  if (result.exitCode === 0) return result;
  signal.throwIfAborted();
  const why = result.timedOut ? 'it took longer than ten minutes' : reasonOf(result.stderr);
  const isUnknown = /E404|ETARGET|ENOVERSIONS/.test(result.stderr + result.stdout);
  throw new KernError(isUnknown ? 'package_not_found' : 'package_fetch', `npm could not fetch ${what}: ${why}`, {
    hint: isUnknown
      ? 'Look whether the name and the version are spelt as the registry has them.'
      : 'Look whether the registry can be reached: npm ping',
  });
}

function reasonOf(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const said = lines.filter((line) => line !== '' && !/^A complete log|^This command was run|_logs/.test(line));
  return said.slice(0, 3).join(' ') || 'it does not say why';
}

type GitSource = Extract<Source, { kind: 'git' }>;

const isLocal = (url: string): boolean => path.isAbsolute(url);
const isCommit = (text: string | undefined): text is string => text !== undefined && /^[0-9a-f]{40}$/.test(text);

/**
 * The files of a commit, without a working tree: no hook, no filter and no submodule of the repository has anything to do.
 */
async function fetchGit(
  source: GitSource,
  folder: string,
  scratch: string,
  ports: FetchPorts,
  exact: string | undefined,
): Promise<Fetched> {
  const { commit, ref } = exact === undefined ? await commitOf(source, scratch, ports) : { commit: exact, ref: exact };
  if (!isCommit(commit))
    throw new KernError('package_fetch', `${commit} is no commit`, { hint: 'Install the package again.' });
  const store = path.join(scratch, 'repository');
  await git(['init', '--quiet', '--bare', '--template=', store], scratch, source, ports);
  await git(
    ['-C', store, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', source.url, commit],
    scratch,
    source,
    ports,
  )
    // Not every server gives a commit that no branch ends at by its name alone.
    .catch(() =>
      git(
        [
          '-C',
          store,
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-recurse-submodules',
          '--',
          source.url,
          isCommit(ref) ? '+refs/*:refs/all/*' : ref,
        ],
        scratch,
        source,
        ports,
      ),
    );
  // Above what the repository itself says about its files: they are taken as they are stored.
  await mkdir(path.join(store, 'info'), { recursive: true });
  await writeFile(
    path.join(store, 'info', 'attributes'),
    '* -text -filter -ident -export-subst -export-ignore -working-tree-encoding\n',
  );
  const archive = path.join(scratch, 'archive.tar');
  await git(['-C', store, 'archive', '--format=tar', `--output=${archive}`, commit], scratch, source, ports);
  const leftOut = await unpack(await readFile(archive), folder, { strip: false });
  await rm(path.join(folder, 'node_modules'), { recursive: true, force: true });
  return { resolved: commit, integrity: undefined, leftOut };
}

/** The commit that a reference leads to now. */
async function commitOf(
  source: GitSource,
  scratch: string,
  ports: FetchPorts,
): Promise<{ commit: string; ref: string }> {
  const { ref = 'HEAD', url } = source;
  if (isCommit(ref)) return { commit: ref, ref };
  const { stdout } = await git(['ls-remote', '--', url, ref, `refs/tags/${ref}^{}`], scratch, source, ports);
  const lines = stdout.split('\n').flatMap((line) => {
    const [commit, name] = line.split('\t');
    return isCommit(commit) && name !== undefined ? [{ commit, name }] : [];
  });
  const wanted = [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`, ref];
  const found = wanted.flatMap((name) => lines.filter((line) => line.name === name))[0];
  if (found === undefined)
    throw new KernError('package_not_found', `${url} has no ${ref}`, {
      hint: 'Name a branch, a tag, or a whole commit.',
    });
  return { commit: found.commit, ref: found.name === 'HEAD' ? 'HEAD' : found.name.replace(/\^\{\}$/, '') };
}

const quiet: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'transfer.bundleURI=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

async function git(
  args: readonly string[],
  cwd: string,
  { url }: GitSource,
  { run, signal }: FetchPorts,
): Promise<SpawnResult> {
  const result = await run('git', [...quiet.flatMap((setting) => ['-c', setting]), ...args], {
    cwd,
    signal,
    timeoutMs: 10 * minutes,
    keepBytes: 8 * 1_048_576,
    env: {
      GIT_TERMINAL_PROMPT: '0',
      // The disk of this machine only where a person named a path on it.
      GIT_ALLOW_PROTOCOL: isLocal(url) ? 'file' : /^http:/.test(url) ? 'http' : 'https:ssh',
      GIT_DIR: undefined,
      GIT_WORK_TREE: undefined,
      GIT_INDEX_FILE: undefined,
      GIT_CONFIG_COUNT: undefined,
      GIT_CEILING_DIRECTORIES: path.dirname(cwd),
      GIT_LFS_SKIP_SMUDGE: '1',
    },
    label: 'git',
  }).catch((cause: unknown) => {
    throw new KernError('git_missing', 'git does not run on this machine', {
      cause,
      hint: 'Install git, or use npm: or a folder.',
    });
  });
  if (result.exitCode === 0) return result;
  signal.throwIfAborted();
  const why = result.timedOut
    ? 'it took longer than ten minutes'
    : result.stderr.trim().split('\n').slice(-2).join(' ');
  throw new KernError('package_fetch', `git could not fetch ${url}: ${why}`, {
    hint: 'Look whether the address is right, and whether git can sign in there: git ls-remote',
  });
}
