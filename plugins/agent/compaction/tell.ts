import { type CompactionReason, type CompactionResult, compactionEnd, compactionStart } from 'kern/contracts';
import { KernError, messageOf, type View } from 'kern/plugin';
import type { Broadcast } from '../broadcast.ts';

export interface Telling {
  readonly view: View;
  readonly broadcast: Pick<Broadcast, 'emit'>;
  readonly sessionId: string;
  readonly reason: CompactionReason;
  readonly strategy: string;
  readonly signal: AbortSignal;
}

/** Tells the beginning and the end of a compaction, each once, however it ends. */
export async function tellAround(
  { view, broadcast, sessionId, reason, strategy, signal }: Telling,
  work: () => Promise<{ readonly result: CompactionResult; readonly warning: string | undefined }>,
): Promise<CompactionResult> {
  view.call(compactionStart, { sessionId, reason });
  broadcast.emit({ type: 'auto_compaction_start', reason, strategy });
  const end = (result: CompactionResult | undefined, error: string | undefined): void => {
    view.call(compactionEnd, { sessionId, reason, result, error });
    broadcast.emit({
      type: 'auto_compaction_end',
      reason,
      result,
      aborted: result === undefined && signal.aborted,
      willRetry: result !== undefined && reason === 'overflow',
      ...(error === undefined ? {} : { errorMessage: error }),
    });
  };
  try {
    const { result, warning } = await work();
    end(result, warning);
    return result;
  } catch (error) {
    end(undefined, signal.aborted ? undefined : sentence(error));
    throw error;
  }
}

function sentence(error: unknown): string {
  const hint = error instanceof KernError ? error.hint : undefined;
  return hint === undefined ? messageOf(error) : `${messageOf(error)} (${hint})`;
}
