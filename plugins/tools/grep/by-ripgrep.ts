import type { ToolContext } from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';
import { createHeldHits } from './held-hits.ts';
import { type Ended, type Hits, type Query, searchLimitMs } from './query.ts';
import { columns, createOutputReader } from './ripgrep-output.ts';

/** `refused`: ripgrep does not take the pattern. `unusable`: this ripgrep does not work; another way has to be found. */
export type RipgrepEnd =
  | { readonly state: 'ended'; readonly ended: Ended }
  | { readonly state: 'refused'; readonly why: string }
  | { readonly state: 'unusable' };

/** Of what it says on stderr, the beginning: there is what is wrong with a pattern. */
const errorBytes = 16 * 1024;

/**
 * Searches with ripgrep, and ends it as soon as nothing more is wanted. In order of path it works with one thread alone,
 * so first it goes its own way, and what it finds is put in order afterwards; only where that is too much it is asked
 * again, in order. `preview` hears of hits as they come.
 */
export async function searchByRipgrep(
  rg: string,
  query: Query,
  { hits, preview }: { readonly hits: Hits; readonly preview: Hits },
  context: ToolContext,
  signal: AbortSignal,
): Promise<RipgrepEnd> {
  if (query.file === undefined) {
    const held = createHeldHits(query, preview);
    const end = await run(rg, argumentsFor(query, 'any'), query, held, context, signal);
    if (end.state !== 'ended') return end;
    if (!held.isDone) {
      held.tell(hits);
      return end;
    }
  }
  return run(rg, argumentsFor(query, 'path'), query, hits, context, signal);
}

/** Runs ripgrep until it ends or nothing more is wanted. */
async function run(
  rg: string,
  args: readonly string[],
  query: Query,
  hits: Hits,
  context: ToolContext,
  signal: AbortSignal,
): Promise<RipgrepEnd> {
  const output = createOutputReader(hits);
  const errors = createErrors();
  let isStopping = false;
  let hasOutput = false;
  const child = context.spawn(rg, args, {
    cwd: query.root,
    // Whatever the shell has set for a person's own searches is not for this one.
    env: { RIPGREP_CONFIG_PATH: undefined },
    keepBytes: 0,
    timeoutMs: searchLimitMs,
    label: `rg ${query.pattern.rust.slice(0, 60)}`,
    onOutput(chunk, stream) {
      if (stream === 'stderr') {
        errors.push(chunk);
        return;
      }
      hasOutput = true;
      if (!isStopping) output.push(chunk);
      if (!hits.isDone || isStopping) return;
      isStopping = true;
      void child.kill(0);
    },
  });
  let result: Awaited<typeof child.result>;
  try {
    result = await child.result;
  } catch (error) {
    if (codeOf(error) === 'processes_closed') throw error;
    return { state: 'unusable' };
  }
  signal.throwIfAborted();
  if (!isStopping) output.end();
  const ended: Ended = { unreadable: errors.unreadable, timedOut: result.timedOut, slow: [], large: [] };
  if (isStopping || result.timedOut || result.exitCode === 0 || result.exitCode === 1) return { state: 'ended', ended };
  if (result.exitCode === undefined)
    throw new KernError('search_failed', `ripgrep was ended by ${result.signal ?? 'the system'}`, {
      hint: 'Search a smaller folder, or with fewer files: include, exclude, type.',
    });
  const why = errors.aboutPattern();
  if (why !== undefined) return { state: 'refused', why };
  return hasOutput || errors.areOfFiles() ? { state: 'ended', ended } : { state: 'unusable' };
}

function argumentsFor(query: Query, order: 'path' | 'any'): readonly string[] {
  const {
    pattern,
    ignoreCase,
    multiline,
    dotAll,
    context,
    mostHits,
    names,
    excluded,
    folders,
    file,
    isIgnored,
    isInRepository,
  } = query;
  return [
    '--no-config',
    '--hidden',
    '--no-ignore-messages',
    '--color=never',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--null',
    '--crlf',
    '--no-context-separator',
    `--max-columns=${columns}`,
    '--max-columns-preview',
    ...(order === 'path' ? ['--sort=path'] : []),
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    // Across lines it would count matches, and there may be many in a line.
    ...(multiline ? ['--multiline'] : [`--max-count=${mostHits}`]),
    ...(dotAll ? ['--multiline-dotall'] : []),
    ...(context > 0 ? [`--context=${context}`] : []),
    ...(isIgnored ? ['--no-ignore-parent'] : []),
    // Where there is no repository, .gitignore counts as well. With this, its rules would reach into repositories below.
    ...(isInRepository && !isIgnored ? [] : ['--no-require-git']),
    // A type, unlike a glob, does not bring back what git ignores.
    ...names.flatMap((name) => ['--type-add', `kern:${name}`]),
    ...(names.length > 0 ? ['--type=kern'] : []),
    '--glob=!.git',
    ...excluded.map((glob) => `--glob=!${glob}`),
    '-e',
    pattern.rust,
    '--',
    ...(file === undefined ? folders.map((folder) => `./${folder}`) : [`./${file}`]),
  ];
}

function createErrors() {
  let text = '';
  let rest = '';
  let unreadable = 0;
  let files = 0;
  let others = 0;
  const line = (said: string): void => {
    const code = /\(os error (\d+)\)\s*$/.exec(said)?.[1];
    // A file that went while it was being looked for is no longer any concern.
    if (code !== undefined && code !== '2') unreadable += 1;
    if (code !== undefined) files += 1;
    else if (said.trim() !== '') others += 1;
  };
  return {
    push(chunk: Uint8Array): void {
      const said = Buffer.from(chunk).toString('utf8');
      if (text.length < errorBytes) text += said.slice(0, errorBytes - text.length);
      const lines = (rest + said).split('\n');
      rest = (lines.pop() ?? '').slice(-errorBytes);
      for (const one of lines) line(one);
    },
    get unreadable() {
      return unreadable;
    },
    /** ripgrep's own words on the pattern, without its advice on flags that are not ours. */
    aboutPattern(): string | undefined {
      const found =
        /regex parse error:|regex could not be compiled|[Cc]ompiled regex exceeds|is not allowed in a regex|error parsing regex/.exec(
          text,
        );
      if (found === null) return undefined;
      return text
        .slice(found.index)
        .split('\n')
        .filter((said) => !/--\w+/.test(said))
        .join('\n')
        .trim();
    },
    areOfFiles: (): boolean => files > 0 && others === 0 && rest === '',
  };
}
