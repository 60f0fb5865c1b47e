import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KernError, type SpawnResult } from 'kern/plugin';
import { type FetchPorts, minutes } from './ports.ts';

/** A registry that does not answer is told in seconds: by itself npm tries for more than a minute, in silence. */
const quick: readonly string[] = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=1000',
  '--fetch-timeout=10000',
];

/**
 * npm in a folder with a package.json of its own: what a project says about npm, its registry included, does not count, for
 * nobody has trusted it. What the person's own npm is set to does.
 */
export async function npm(
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
    [
      verb,
      ...quick,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--loglevel=error',
      ...rest,
    ],
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
  const network = networkIn(result.stderr);
  if (network !== undefined)
    throw new KernError(
      'package_fetch',
      `npm could not fetch ${what}: ${network.host} does not answer (${network.code})`,
      {
        hint: 'Look whether the registry can be reached, and is the one that you mean: npm ping, npm config get registry',
      },
    );
  const isUnknown = /E404|ETARGET|ENOVERSIONS/.test(result.stderr + result.stdout);
  throw new KernError(isUnknown ? 'package_not_found' : 'package_fetch', `npm could not fetch ${what}: ${why}`, {
    hint: isUnknown
      ? 'Look whether the name and the version are spelt as the registry has them.'
      : 'Look whether the registry can be reached: npm ping',
  });
}

function reasonOf(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const said = lines.filter((line) => line !== '' && !/^code E|^A complete log|^This command was run|_logs/.test(line));
  return said.slice(0, 3).join(' ') || 'it does not say why';
}

/** That nobody answered, and who; undefined where somebody did. */
function networkIn(stderr: string): { readonly host: string; readonly code: string } | undefined {
  const code =
    /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|E\w*TIMEDOUT|ERR_SOCKET_TIMEOUT|E\w+TIMEOUT)\b/.exec(
      stderr,
    )?.[1];
  if (code === undefined) return undefined;
  const host = /https?:\/\/(?:[^/\s@]*@)?([^/\s"']+)/.exec(stderr.replace(/https?:\/\/docs\.npmjs\S*/g, ''))?.[1];
  return { host: host ?? 'the registry', code };
}
