import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KernError, type SpawnResult } from 'kern/plugin';
import { type Fetched, type FetchPorts, minutes } from './ports.ts';
import type { Source } from './source.ts';
import { unpack } from './tar.ts';

type GitSource = Extract<Source, { kind: 'git' }>;

const isLocal = (url: string): boolean => path.isAbsolute(url);
const isCommit = (text: string | undefined): text is string => text !== undefined && /^[0-9a-f]{40}$/.test(text);

/**
 * The files of a commit, without a working tree: no hook, no filter and no submodule of the repository has anything to do.
 */
export async function fetchGit(
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
export async function commitOf(
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
