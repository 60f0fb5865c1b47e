import type { searching, ToolContext } from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';

/** `refused`: ripgrep does not take the pattern. `unusable`: this ripgrep does not work; another way has to be found. */
export type RipgrepRun =
  | { readonly state: 'ended'; readonly unreadable: number; readonly timedOut: boolean }
  | { readonly state: 'refused'; readonly why: string }
  | { readonly state: 'unusable' };

export interface Ripgrep {
  readonly program: string;
  /** Where it looks. */
  readonly root: string;
  readonly label: string;
  readonly context: ToolContext;
  readonly deadline: searching.Deadline;
}

/** What takes the output, and says when nothing more is wanted. */
export interface Taker {
  push(chunk: Uint8Array): void;
  readonly isDone: boolean;
}

/** Of what it says on stderr, the beginning: there is what is wrong with a pattern. */
const errorBytes = 16 * 1024;

/** Runs ripgrep until it ends, nothing more is wanted, `signal` says so or the time is over. */
export async function runRipgrep(
  { program, root, label, context, deadline }: Ripgrep,
  args: readonly string[],
  taker: Taker,
  signal?: AbortSignal,
): Promise<RipgrepRun> {
  const errors = createErrors();
  let isStopping = false;
  let hasOutput = false;
  const child = context.spawn(program, ['--no-config', ...args], {
    cwd: root,
    // Whatever the shell has set for a person's own searches is not for this one.
    env: { RIPGREP_CONFIG_PATH: undefined },
    keepBytes: 0,
    label,
    onOutput(chunk, stream) {
      if (stream === 'stderr') {
        errors.push(chunk);
        return;
      }
      hasOutput = true;
      if (!isStopping) taker.push(chunk);
      if (taker.isDone) stop();
    },
  });
  // It has nothing to put in order before it goes.
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    void child.kill(0);
  };
  const over = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
  over.addEventListener('abort', stop, { once: true });
  if (over.aborted) stop();
  let result: Awaited<typeof child.result>;
  try {
    result = await child.result;
  } catch (error) {
    if (codeOf(error) === 'processes_closed') throw error;
    return { state: 'unusable' };
  } finally {
    over.removeEventListener('abort', stop);
  }
  const ended: RipgrepRun = { state: 'ended', unreadable: errors.unreadable, timedOut: deadline.hasPassed };
  if (isStopping || result.exitCode === 0 || result.exitCode === 1) return ended;
  if (result.exitCode === undefined)
    throw new KernError('search_failed', `ripgrep was ended by ${result.signal ?? 'the system'}`, {
      hint: 'Search a smaller folder, or with fewer files: include, exclude, type.',
    });
  const why = errors.aboutPattern();
  if (why !== undefined) return { state: 'refused', why };
  return hasOutput || errors.areOfFiles() ? ended : { state: 'unusable' };
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
