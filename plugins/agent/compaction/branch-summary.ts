import { abortError } from 'kern/contracts';
import { unlessAborted } from '../runner-abort.ts';
import { asker } from './ask.ts';
import { leftBranch } from './branch.ts';
import { summaryTokens } from './budget.ts';
import { noRequests } from './details.ts';
import { type CompactorParts, summarizerOf } from './parts.ts';
import { ownPins, withPins } from './pins.ts';
import { branchNotes } from './summary.ts';

/** From one leaf to another. */
export interface BranchWay {
  readonly from: string | null;
  readonly to: string | null;
  readonly instructions?: string | undefined;
}

/** Notes on what is left on the way; empty where nothing is. */
export async function summarizeBranch(parts: CompactorParts, way: BranchWay, signal: AbortSignal): Promise<string> {
  const { view, store, settings, sessionId } = parts;
  const { model } = await summarizerOf(parts, undefined, signal);
  const reserve = Math.min(settings().branchSummary.reserveTokens, Math.floor(model.contextWindow / 2));
  const maxInputTokens = model.contextWindow - reserve;
  const { pieces, files } = leftBranch(store(), way.from, way.to, Math.max(200, maxInputTokens - 2_000));
  if (pieces.length === 0) return '';
  const { ask } = asker({ view: view(), model, sessionId: sessionId(), retry: () => settings().retry, signal });
  const maxTokens = summaryTokens(model, reserve);
  const job = { ask, maxTokens, maxInputTokens: model.contextWindow, instructions: way.instructions };
  const notes = await unlessAborted(branchNotes(job, pieces, signal), signal);
  if (notes === undefined) throw abortError();
  return withPins(notes, ownPins(noRequests, files));
}
