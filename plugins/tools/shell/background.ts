import { closeSync } from 'node:fs';
import { messageOf, type SessionHandle, type SpawnResult } from 'kern/plugin';
import { newArtifact } from '../artifact.ts';
import type { ToolContext, ToolResult } from '../contract.ts';
import { textResult } from '../result.ts';
import { plainText } from './plain-text.ts';
import type { ShellDetails } from './run.ts';
import { howItEnded } from './told.ts';

/** What is asked of a command in the background. */
export interface BackgroundJob {
  readonly id: string;
  readonly label: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly end: { readonly result: SpawnResult } | { readonly failure: unknown } | undefined;
  readonly over: Promise<void>;
  peekNew(bytes: number): { readonly bytes: Uint8Array; readonly skipped: number };
  isKnown(): boolean;
}

export interface BackgroundPlan {
  readonly cwd: string;
  /** Who hears of its end; where no session runs, nobody. */
  readonly session: SessionHandle | undefined;
  readonly notices: readonly string[];
  /** Starts it; all of its output goes to that file. */
  start(log: { readonly id: string; readonly path: string }): Promise<BackgroundJob>;
}

/** Starts a command that runs on after the call, and tells the session when it has ended. */
export async function startBackground(plan: BackgroundPlan, context: ToolContext): Promise<ToolResult<ShellDetails>> {
  const { cwd, session, notices } = plan;
  const { id, path, fd } = newArtifact(await context.artifacts(), 'job.log');
  closeSync(fd);
  const job = await plan.start({ id, path });
  void job.over.then(() => {
    context.touched([...new Set([cwd, context.where.root])]);
    if (session !== undefined && !job.isKnown()) tell(session, job);
  });
  const text = [
    `Started in the background as job ${job.id}. You are told when it ends; the tool jobs reads its output, waits for it or ends it. Its whole output: artifact://${id} = ${path}`,
    ...notices,
  ].join('\n\n');
  return textResult(text, { cwd, truncated: false, artifactId: id, jobId: job.id });
}

/** At work, the model hears of it between two calls; otherwise with the next prompt: the end of a job starts no run. */
function tell(session: SessionHandle, job: BackgroundJob): void {
  try {
    session.sendMessage(endNotice(job), { as: session.isIdle() ? 'nextTurn' : 'steer' });
  } catch {
    // The session was left: nobody is there to hear it, and the list of jobs still says it.
  }
}

const shownLines = 10;
const shownBytes = 2_000;

function endNotice(job: BackgroundJob): string {
  const { bytes, skipped } = job.peekNew(shownBytes);
  const lines = plainText(Buffer.from(bytes).toString('utf8')).trimEnd().split('\n');
  const isAll = skipped === 0 && lines.length <= shownLines;
  const output = lines.slice(-shownLines).join('\n');
  const seconds = (((job.endedAt ?? Date.now()) - job.startedAt) / 1000).toFixed(1);
  const shown = output === '' ? '' : `\n${isAll ? 'New output' : 'The end of its new output'}:\n${output}`;
  return `[Job ${job.id} (${job.label.split('\n', 1)[0]?.slice(0, 100)}) ended after ${seconds} s: ${endOf(job)}]${shown}`;
}

/** How a job ended, or that it did not. */
export function endOf({ end }: Pick<BackgroundJob, 'end'>): string {
  if (end === undefined) return 'it runs';
  if ('failure' in end) return `it could not be started: ${messageOf(end.failure)}`;
  return howItEnded(end.result) ?? 'exit code 0';
}
