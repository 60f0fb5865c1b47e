import { codeOf, messageOf } from 'kern/plugin';
import type { RunResult } from '../agent/contract.ts';
import type { Usage } from '../models/contract.ts';
import type { ModeRun } from './contract.ts';

/** What all prompts of a command line come to. */
export interface PromptsOutcome {
  readonly status: RunResult['status'];
  readonly text: string;
  readonly usage: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning'>;
  readonly cost: number | null;
  readonly turns: number;
  readonly durationMs: number;
  readonly error: RunResult['error'];
  readonly exitCode: number;
}

/** Says the prompts one after the other, until one does not end well. An abort from outside ends the one that runs. */
export async function runPrompts({
  session,
  prompts,
  signal,
}: Pick<ModeRun, 'session' | 'prompts' | 'signal'>): Promise<PromptsOutcome> {
  const onAbort = (): void => void session.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const results: RunResult[] = [];
  let failure: unknown;
  const started = performance.now();
  try {
    if (prompts.length === 0)
      failure = { code: 'no_prompt', message: 'there is nothing to do', hint: 'give a message: kern -p "what to do"' };
    for (const prompt of prompts) {
      // A plugin may have begun a run of its own.
      await session.waitForIdle();
      if (signal.aborted) break;
      const result = await session.prompt(prompt);
      results.push(result);
      if (result.status !== 'ok') break;
    }
    await session.waitForIdle();
  } catch (error) {
    failure = error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return outcomeOf(results, failure, signal, Math.round(performance.now() - started));
}

function outcomeOf(
  results: readonly RunResult[],
  failure: unknown,
  signal: AbortSignal,
  durationMs: number,
): PromptsOutcome {
  const last = results.at(-1);
  const error = failure === undefined ? last?.error : errorOf(failure);
  const isLimit = failure === undefined && last?.status === 'limit';
  const status = isLimit ? 'limit' : error !== undefined ? 'error' : signal.aborted ? 'aborted' : (last?.status ?? 'ok');
  const sum = (of: (result: RunResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  return {
    status,
    text: last?.text ?? '',
    usage: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cacheRead: sum(({ usage }) => usage.cacheRead),
      cacheWrite: sum(({ usage }) => usage.cacheWrite),
      reasoning: sum(({ usage }) => usage.reasoning),
    },
    cost: results.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
    turns: sum(({ turns }) => turns),
    durationMs,
    error,
    exitCode: exitCodeOf(status, error?.code, signal),
  };
}

function errorOf(thrown: unknown): NonNullable<RunResult['error']> {
  const hint =
    typeof thrown === 'object' && thrown !== null && 'hint' in thrown && typeof thrown.hint === 'string'
      ? thrown.hint
      : undefined;
  return { code: codeOf(thrown) ?? 'run_failed', message: messageOf(thrown), ...(hint === undefined ? {} : { hint }) };
}

/** 130 where an interrupt ended it; whoever aborts for another cause says the code as the signal's reason. */
function exitCodeOf(status: PromptsOutcome['status'], code: string | undefined, signal: AbortSignal): number {
  if (status === 'ok') return 0;
  if (code === 'no_prompt') return 2;
  if (code === 'time_limit') return 124;
  if (status !== 'aborted' || !signal.aborted) return 1;
  const { reason } = signal;
  return typeof reason === 'object' && reason !== null && 'exitCode' in reason && typeof reason.exitCode === 'number'
    ? reason.exitCode
    : 130;
}

/** All that was written to a stream has left it, or its reader has. */
export function drained(out: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('error', done);
      out.off('close', done);
      resolve();
    };
    out.once('error', done);
    out.once('close', done);
    // Called when all that was written before is through.
    out.write('', done);
  });
}
