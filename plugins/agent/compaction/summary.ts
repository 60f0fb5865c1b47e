import type { CompactionJob, Message } from 'kern/contracts';
import { codeOf } from 'kern/plugin';
import { branchText, type SummaryWords, summarySystem, summaryText, turnText } from './prompts.ts';
import { recordsOf, transcriptOf } from './transcript.ts';

/** Notes on what was said; those that there are already are brought up to date. */
export async function summarize(job: CompactionJob, signal: AbortSignal): Promise<{ readonly summary: string }> {
  const ofTurn = Math.floor(job.maxTokens * 0.6);
  const [notes, turn] = await Promise.all([
    job.messages.length > 0 ? noted(job, job.messages, signal) : job.previousSummary,
    job.turnPrefix.length > 0 ? onTurn(job, ofTurn, signal) : undefined,
  ]);
  return { summary: [notes, turn].filter((part) => part !== undefined).join('\n\n---\n\n') };
}

function noted(job: CompactionJob, messages: readonly Message[], signal: AbortSignal): Promise<string> {
  return overRecords(job, transcriptOf(messages), signal, summaryText, job.previousSummary, job.maxTokens);
}

async function onTurn(job: CompactionJob, maxTokens: number, signal: AbortSignal): Promise<string> {
  const notes = await overRecords(job, transcriptOf(job.turnPrefix), signal, turnText, undefined, maxTokens);
  return `The turn that is under way began like this:\n\n${notes}`;
}

/** Notes on a branch that is left. */
export function branchNotes(
  job: Pick<CompactionJob, 'ask' | 'instructions' | 'maxTokens' | 'maxInputTokens'>,
  pieces: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  return overRecords(job, pieces, signal, branchText, undefined, job.maxTokens);
}

/**
 * What is too much for one request is told in several, each with the notes on what was before. A model that takes less
 * than was thought is asked again with less.
 */
async function overRecords(
  job: Pick<CompactionJob, 'ask' | 'instructions' | 'maxInputTokens'>,
  pieces: readonly string[],
  signal: AbortSignal,
  firstText: (words: SummaryWords) => string,
  previous: string | undefined,
  maxTokens: number,
): Promise<string> {
  let room = job.maxInputTokens;
  for (let tries = 1; ; tries += 1) {
    try {
      let notes = previous;
      for (const record of recordsOf(pieces, Math.max(200, room - 1_000 - maxTokens))) {
        signal.throwIfAborted();
        const text = notes === undefined ? firstText : summaryText;
        notes = await job.ask({
          system: summarySystem,
          text: text({ record, previous: notes, instructions: job.instructions, maxTokens }),
          maxTokens,
        });
      }
      return notes ?? '';
    } catch (error) {
      if (codeOf(error) !== 'model_context_overflow' || tries === 3) throw error;
      room = Math.floor(room / 2);
    }
  }
}
