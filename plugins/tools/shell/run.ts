import { KernError, type SpawnOptions, type SpawnResult } from 'kern/plugin';
import { newArtifact } from '../artifact.ts';
import type { ToolContext, ToolResult } from '../contract.ts';
import { errorResult, textResult } from '../result.ts';
import { createSink, type Output, type OutputSink, type Wanted } from './sink.ts';
import { howItEnded, inputHint, noticeOf } from './told.ts';

export interface ShellDetails {
  /** Undefined where a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** Where the shell is afterwards. */
  readonly cwd: string;
  readonly truncated: boolean;
  /** The whole output, where it is longer than what is shown. */
  readonly artifactId?: string;
  /** It runs in the background. */
  readonly jobId?: string;
}

/** How a shell is to run a command, and what is wanted of its output. */
export interface ShellPlan {
  /** The command, for the list of what runs. */
  readonly label: string;
  readonly cwd: string;
  readonly env?: SpawnOptions['env'];
  /** Seconds. */
  readonly timeout: number;
  readonly wanted?: Wanted;
  /** Once the wanted head is there the rest is of no use: it is ended, as a closed pipe would end it. */
  readonly endAfterHead?: boolean;
  readonly pty?: boolean;
  /** What is to be said beside the output. */
  readonly notices?: readonly string[];
  start(options: SpawnOptions): Promise<SpawnResult>;
  /** Called when it is over: where the shell is now, and what there is to say of that. */
  finish?(): { readonly cwd: string; readonly notices: readonly string[] };
}

/** Between two updates. */
const updateMs = 100;
const updateBytes = 8 * 1024;
/** Who follows a command does not want more; the rest goes to the artifact alone. */
const followedBytes = 10 * 1024 * 1024;
/** How long a command may go on when nobody wants more of its output. */
const afterHeadMs = 1_000;
/** And how much it may print in that time: nobody needs a disk full of it. */
const afterHeadBytes = 1024 * 1024;

/** Runs a command to its end, its time limit or its abort. However it ends, the result says so and holds what it printed. */
export async function runShell(
  plan: ShellPlan,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
  context: ToolContext,
): Promise<ToolResult<ShellDetails>> {
  const { label, cwd, env, timeout, wanted, pty = false, endAfterHead = false, notices = [] } = plan;
  const sink = createSink(async () => newArtifact(await context.artifacts(), 'bash.log'), wanted);
  const update = throttled(updateMs, () => onUpdate(textResult(partial(sink), { cwd })));
  const enough = new AbortController();
  let after: NodeJS.Timeout | undefined;
  let headAt: number | undefined;
  let waited = false;
  let followed = true;
  let end = { cwd, notices: [] as readonly string[] };
  try {
    const result = await plan.start({
      cwd,
      merge: true,
      timeoutMs: timeout * 1000,
      keepBytes: 0,
      label,
      signal: enough.signal,
      ...(env === undefined ? {} : { env }),
      ...(pty
        ? {
            terminal: {
              columns: 120,
              rows: 40,
              onWaiting() {
                waited = true;
                enough.abort();
              },
            },
          }
        : {}),
      onOutput(chunk) {
        // What still comes between the order to end and the end: a fast command prints megabytes meanwhile.
        if (headAt !== undefined && enough.signal.aborted) return;
        sink.push(headAt === undefined ? chunk : chunk.subarray(0, headAt + afterHeadBytes - sink.totalBytes));
        if (endAfterHead && sink.hasHead) {
          headAt ??= sink.totalBytes;
          if (sink.totalBytes - headAt >= afterHeadBytes) enough.abort();
          after ??= setTimeout(() => enough.abort(), afterHeadMs);
        }
        if (followed) update.soon();
        followed = sink.totalBytes <= followedBytes;
      },
    });
    end = plan.finish?.() ?? end;
    const output = await sink.close();
    // Ended by us, for good reason: that is no abort of the person's.
    const byUs = enough.signal.aborted && result.aborted && !signal.aborted;
    const words = waited && byUs ? waitedFor : byUs ? undefined : howItEnded(result, timeout);
    const hint = words === undefined || waited || result.aborted ? undefined : inputHint(output.text);
    const asHead = byUs && !waited;
    const said = [noticeOf(output), asHead ? endedAsHead : undefined, ...notices, ...end.notices, words, hint];
    return told(asHead ? {} : result, output, said, end.cwd, words !== undefined);
  } catch (error) {
    if (!(error instanceof KernError)) throw error;
    return errorResult(`${error.message}.${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    clearTimeout(after);
    update.stop();
    // A command may have written anything: whoever watches files below need not wait to be told.
    context.touched([...new Set([cwd, end.cwd, context.where.root])]);
  }
}

const endedAsHead = '[The command had more to print and was ended, as head ends it.]';

const waitedFor =
  'Command was ended: it waited for input from the terminal, and nobody can type there. Give the answer with an option (-y, --yes) or pipe it in: echo y | …';

function partial(sink: OutputSink): string {
  const text = sink.tail(updateBytes);
  return sink.totalBytes > followedBytes ? `${text}\n[over 10 MB: the rest goes to the artifact alone]` : text;
}

function told(
  { exitCode, signal }: Partial<Pick<SpawnResult, 'exitCode' | 'signal'>>,
  output: Output,
  said: readonly (string | undefined)[],
  cwd: string,
  isError: boolean,
): ToolResult<ShellDetails> {
  const shown = output.text.trimEnd();
  const text = [
    shown !== '' ? shown : output.totalBytes === 0 ? '(no output)' : '(no visible output)',
    ...said.filter((part) => part !== undefined),
  ].join('\n\n');
  const details: ShellDetails = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    cwd,
    truncated: output.truncated,
    ...(output.file === undefined ? {} : { artifactId: output.file.id }),
  };
  return isError ? errorResult(text, details) : textResult(text, details);
}

/** Calls `send` at most once in `ms`, and after the last `soon` before `stop`. */
function throttled(ms: number, send: () => void): { soon(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        send();
      }, ms);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
