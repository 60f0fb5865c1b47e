import {
  defineTool,
  errorResult,
  type Job,
  type Jobs,
  outputLimits,
  shells,
  type ToolResult,
  textResult,
  truncateTail,
} from 'kern/contracts';
import { z } from 'zod';

const parameters = z.object({
  action: z.enum(['list', 'read', 'wait', 'kill']),
  job: z.string().describe('Its id; not for list').optional(),
  timeout: z.number().min(1).max(3600).describe('Seconds to wait; default 60').optional(),
});

export interface JobsDetails {
  readonly jobs: readonly {
    readonly id: string;
    readonly command: string;
    readonly state: 'running' | 'ended';
    readonly exitCode?: number;
    readonly signal?: string;
    readonly cwd: string;
    readonly pid?: number;
    readonly startedAt: number;
    readonly artifactId: string;
  }[];
}

const defaultWait = 60;

/** The tool jobs. It is offered to the model once there is a job: until then its description would cost every request. */
export function createJobsTool(jobs: () => Jobs) {
  const tool = defineTool<z.infer<typeof parameters>, JobsDetails>({
    name: 'jobs',
    description:
      'Commands in the background: list, read (new output), wait (until it ends, or the timeout), kill (the whole tree).',
    parameters,
    effects: () => [],
    async execute(_id, { action, job: id, timeout = defaultWait }, signal, _onUpdate, context) {
      const own = jobs().list(context.sessionId);
      if (action === 'list') return listed(own);
      const job = own.find((one) => one.id === id);
      if (job === undefined) return unknown(id, own);
      if (action === 'kill') {
        // Who ends it need not be told that it ended.
        job.setKnown(true);
        await job.kill();
      }
      if (action === 'wait') await overOr(job, timeout * 1000, signal);
      return shown(job);
    },
  });
  return Object.defineProperty(tool, 'hidden', { enumerable: true, get: () => jobs().list().length === 0 });
}

function listed(jobs: readonly Job[]): ToolResult<JobsDetails> {
  const lines = jobs.map((job) => `${headline(job)}  ${job.label.split('\n', 1)[0]}`);
  return textResult(lines.length === 0 ? 'No commands run in the background.' : lines.join('\n'), detailsOf(jobs));
}

function unknown(id: string | undefined, jobs: readonly Job[]): ToolResult<JobsDetails> {
  const what = id === undefined ? 'job: which one is missing.' : `There is no job ${JSON.stringify(id)}.`;
  const there = jobs.length === 0 ? 'There are none.' : `There are: ${jobs.map((job) => job.id).join(', ')}.`;
  return errorResult(`${what} ${there}`);
}

/** The new output of a job, and how it stands. */
function shown(job: Job): ToolResult<JobsDetails> {
  const { bytes, skipped } = job.readNew(outputLimits.bytes * 2);
  if (job.end !== undefined) job.setKnown(true);
  const { text, truncated } = truncateTail(shells.plainText(new TextDecoder().decode(bytes)));
  const { id, path } = job.log;
  const notice =
    truncated || skipped > 0
      ? `[Only the end of the new output is shown. Whole output: artifact://${id} = ${path}]`
      : undefined;
  const words = [text.trimEnd() === '' ? '(no new output)' : text.trimEnd(), notice, headline(job)];
  return textResult(words.filter((part) => part !== undefined).join('\n\n'), detailsOf([job]));
}

function headline(job: Job): string {
  const seconds = Math.round(((job.endedAt ?? Date.now()) - job.startedAt) / 1000);
  return job.end === undefined
    ? `${job.id}: running for ${seconds} s`
    : `${job.id}: ended after ${seconds} s: ${shells.endOfJob(job)}`;
}

function detailsOf(jobs: readonly Job[]): JobsDetails {
  return {
    jobs: jobs.map(({ id, label, end, cwd, pid, startedAt, log }) => {
      const result = end !== undefined && 'result' in end ? end.result : undefined;
      return {
        id,
        command: label,
        state: end === undefined ? 'running' : 'ended',
        ...(result?.exitCode === undefined ? {} : { exitCode: result.exitCode }),
        ...(result?.signal === undefined ? {} : { signal: result.signal }),
        cwd,
        ...(pid === undefined ? {} : { pid }),
        startedAt,
        artifactId: log.id,
      };
    }),
  };
}

async function overOr(job: Job, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) resolve();
  // While somebody waits for it, its end is no news.
  job.setKnown(true);
  await Promise.race([job.over, promise]);
  if (job.end === undefined) job.setKnown(false);
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
}
