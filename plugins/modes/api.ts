import { codeOf, messageOf } from 'kern/plugin';
import type { RunResult } from '../agent/contract.ts';
import type { Usage } from '../models/contract.ts';
import type { UnsavedEntries } from '../sessions/contract.ts';
import type { ModeRun } from './contract.ts';

/** What all prompts of a command line come to. */
export interface PromptsOutcome {
  readonly status: RunResult['status'];
  readonly text: string;
  readonly usage: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning'>;
  readonly cost: number | null;
  readonly turns: number;
  /** Whether a model was asked in the last prompt: a command may have done all by itself. */
  readonly wasAsked: boolean;
  readonly durationMs: number;
  readonly error: RunResult['error'];
  /** What was said is not in the session file; also where the run itself came to another end. */
  readonly unsaved?: RunResult['error'];
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
  let unsaved: UnsavedEntries | undefined;
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
  const durationMs = Math.round(performance.now() - started);
  try {
    unsaved = await session.save();
  } catch (error) {
    failure ??= error;
  }
  const outcome = outcomeOf(results, failure, signal, durationMs);
  return unsaved === undefined ? outcome : withUnsaved(outcome, unsaved);
}

/** What nobody can go on with was no success, whatever the model answered. */
function withUnsaved(outcome: PromptsOutcome, { count, why, copy }: UnsavedEntries): PromptsOutcome {
  const unsaved = {
    code: 'session_write_failed',
    message: `${count} ${count === 1 ? 'entry' : 'entries'} of this session ${count === 1 ? 'was' : 'were'} NOT saved: ${why}`,
    hint:
      copy === undefined
        ? 'There was no place for a copy of the session either: it is lost.'
        : `A copy of the whole session is in ${copy}; go on in it: kern --session '${copy}'`,
  };
  const { status, error, exitCode } = outcome;
  if (status !== 'ok') return { ...outcome, unsaved, error: error ?? unsaved };
  return { ...outcome, status: 'error', error: unsaved, unsaved, exitCode: exitCode === 0 ? 1 : exitCode };
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
  const status = isLimit
    ? 'limit'
    : error !== undefined
      ? 'error'
      : signal.aborted
        ? 'aborted'
        : (last?.status ?? 'ok');
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
    cost: results.some(({ cost }) => cost === null) ? null : billionths(sum(({ cost }) => cost ?? 0)),
    turns: sum(({ turns }) => turns),
    wasAsked: (last?.turns ?? 0) > 0,
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
  if (code === 'no_prompt' || code === 'usage') return 2;
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

/** Sums of dollars without the dust of adding: 0.3, not 0.30000000000000004. */
const billionths = (dollars: number): number => Number(dollars.toFixed(9));
