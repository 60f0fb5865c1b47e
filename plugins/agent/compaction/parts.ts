import { type ContextMessage, type Model, models, type NewEntry, type SessionStore } from 'kern/contracts';
import { KernError, messageOf, type View } from 'kern/plugin';
import type { Broadcast } from '../broadcast.ts';
import type { AgentSettings } from '../settings.ts';
import type { SentHead } from './tokens.ts';

/** What compaction needs of a conversation. */
export interface CompactedConversation {
  contextEntries(): readonly ContextMessage[];
  write(entry: NewEntry): string;
  rebuild(): unknown;
}

/** What it works on, as it is at the moment of asking: a session goes on in other files, with other models. */
export interface CompactorParts {
  readonly view: () => View;
  readonly conversation: CompactedConversation;
  readonly store: () => SessionStore;
  readonly model: () => Model;
  readonly head: () => SentHead;
  readonly broadcast: Pick<Broadcast, 'emit'>;
  readonly sessionId: () => string;
  readonly settings: () => Pick<AgentSettings, 'compaction' | 'branchSummary' | 'retry'>;
}

export interface CompactOptions {
  readonly instructions?: string | undefined;
  readonly strategy?: string | undefined;
  readonly model?: string | undefined;
  readonly preview?: boolean | undefined;
}

/** Who writes a summary, and why it is not who was named. */
export interface Summarizer {
  readonly model: Model;
  readonly warning: string | undefined;
}

/** The model that is named for this once, else that of the setting, else that of the session. */
export async function summarizerOf(
  { view, model, settings }: CompactorParts,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Summarizer> {
  const set = named ?? settings().compaction.model;
  if (set === undefined) return { model: model(), warning: undefined };
  try {
    const { model: found, notice } = await view().service(models).find(set, signal);
    return { model: found, warning: notice };
  } catch (error) {
    if (named !== undefined) throw error;
    const warning = `plugins.agent.compaction.model: ${messageOf(error)}; the model of the session was asked`;
    return { model: model(), warning };
  }
}

export function assertWritable({ store }: CompactorParts): void {
  const why = store().readonly;
  if (why === undefined) return;
  throw new KernError('session_readonly', `the session cannot be compacted: ${why}`, {
    hint: 'go on in a copy of it: --fork',
  });
}
