import {
  compactionEnd,
  sessionBeforeBranch,
  sessionBeforeCompact,
  sessionBeforeSwitch,
  sessionBeforeTree,
  sessionBranch,
  sessionCompact,
  sessionSwitch,
  sessionTree,
} from 'kern/contracts';
import { isRecord, type Payload } from '../extension.ts';
import { sessionManager } from '../session-manager.ts';
import type { Wire, WireParts } from './wire.ts';

/** Asks, and answers with a refusal where a handler cancels. */
async function cancelled(
  { extension }: WireParts,
  event: string,
  payload: Payload,
  sessionId: string,
): Promise<{ readonly refuse: string } | undefined> {
  let isCancelled = false;
  await extension.ask(event, payload, extension.byId(sessionId), (answer) => {
    if (!isRecord(answer)) return undefined;
    if (answer.skipConversationRestore === true)
      extension.notice(
        'skipConversationRestore',
        'kern has nothing to restore, so skipConversationRestore says nothing',
      );
    isCancelled = answer.cancel === true;
    return isCancelled;
  });
  return isCancelled ? { refuse: `the extension ${extension.name} cancels it` } : undefined;
}

export const wireBeforeSwitch: Wire = (parts) => {
  parts.extension.ctx.tap(sessionBeforeSwitch, ({ sessionId, reason, target }) =>
    reason === 'fork'
      ? undefined
      : cancelled(
          parts,
          'session_before_switch',
          { reason, ...(target === undefined ? {} : { targetSessionFile: target }) },
          sessionId,
        ),
  );
};

/** pi's fork is kern's branch, and its clone kern's fork. */
export const wireBeforeFork: Wire = (parts) => {
  const { ctx } = parts.extension;
  ctx.tap(sessionBeforeBranch, ({ sessionId, entryId }) =>
    cancelled(parts, 'session_before_fork', { entryId, position: 'before' }, sessionId),
  );
  ctx.tap(sessionBeforeSwitch, ({ sessionId, reason }) => {
    if (reason !== 'fork') return undefined;
    const entryId = parts.extension.byId(sessionId)?.leaf ?? '';
    return cancelled(parts, 'session_before_fork', { entryId, position: 'at' }, sessionId);
  });
};

export const wireBeforeBranch: Wire = (parts) => {
  parts.extension.ctx.tap(sessionBeforeBranch, ({ sessionId, entryId }) =>
    cancelled(parts, 'session_before_branch', { entryId }, sessionId),
  );
};

export const wireSwitch: Wire = ({ extension }) => {
  extension.ctx.tap(sessionSwitch, ({ sessionId, reason }) => {
    const session = extension.byId(sessionId);
    extension.tell('session_switch', { reason, previousSessionFile: session?.header.parentSession }, session);
  });
};

export const wireBranch: Wire = ({ extension }) => {
  extension.ctx.tap(sessionBranch, ({ sessionId }) => {
    const session = extension.byId(sessionId);
    extension.tell('session_branch', { previousSessionFile: session?.header.parentSession }, session);
  });
};

type Manager = { getBranch(): readonly { readonly id: string }[] };

export const wireBeforeTree: Wire = ({ extension }) => {
  extension.ctx.tap(sessionBeforeTree, async ({ sessionId, from, to, summarize }) => {
    const session = extension.byId(sessionId);
    const manager = session === undefined ? undefined : (sessionManager(() => session) as BranchReader);
    const left = from === null ? [] : (manager?.getBranch(from) ?? []);
    const kept = new Set((to === null ? [] : (manager?.getBranch(to) ?? [])).map(({ id }) => id));
    const preparation = {
      targetId: to,
      oldLeafId: from,
      commonAncestorId: left.findLast(({ id }) => kept.has(id))?.id ?? null,
      entriesToSummarize: left.filter(({ id }) => !kept.has(id)),
      userWantsSummary: summarize,
    };
    let answered: { readonly refuse: string } | { readonly summary: string } | undefined;
    const event = { preparation, signal: extension.ctx.signal };
    await extension.ask('session_before_tree', event, session, (answer) => {
      if (!isRecord(answer)) return undefined;
      if (answer.cancel === true) {
        answered = { refuse: `the extension ${extension.name} cancels it` };
        return true;
      }
      const summary = isRecord(answer.summary) ? answer.summary.summary : undefined;
      if (typeof summary === 'string' && summarize) answered = { summary };
      if (answer.customInstructions !== undefined || answer.label !== undefined)
        extension.notice('session_before_tree', 'instructions and labels that it gives for a summary are left out');
      return undefined;
    });
    return answered;
  });
};

type BranchReader = { getBranch(from: string): readonly { readonly id: string }[] };

export const wireTree: Wire = ({ extension }) => {
  extension.ctx.tap(sessionTree, ({ sessionId, from, to }) => {
    const session = extension.byId(sessionId);
    const leaf = session?.leaf;
    const entry = leaf === null || leaf === undefined ? undefined : session?.entry(leaf);
    const summary =
      entry?.type === 'branch_summary' ? { summaryEntry: entry, fromExtension: entry.fromHook === true } : {};
    extension.tell('session_tree', { newLeafId: to, oldLeafId: from, ...summary }, session);
  });
};

export const wireBeforeCompact: Wire = ({ extension }) => {
  extension.ctx.tap(sessionBeforeCompact, async ({ sessionId, reason, job }) => {
    const session = extension.byId(sessionId);
    const preparation = {
      firstKeptEntryId: job.firstKeptEntryId,
      messagesToSummarize: job.messages,
      turnPrefixMessages: job.turnPrefix,
      isSplitTurn: job.turnPrefix.length > 0,
      tokensBefore: job.tokensBefore,
      previousSummary: job.previousSummary,
      fileOps: { read: new Set(job.files.read), written: new Set<string>(), edited: new Set(job.files.changed) },
    };
    let answered: { readonly refuse: string } | { readonly summary: string; readonly details?: unknown } | undefined;
    const event = {
      preparation,
      branchEntries: session === undefined ? [] : (sessionManager(() => session) as Manager).getBranch(),
      customInstructions: job.instructions,
      reason,
      willRetry: reason === 'overflow',
      signal: extension.ctx.signal,
    };
    await extension.ask('session_before_compact', event, session, (answer) => {
      if (!isRecord(answer)) return undefined;
      if (answer.cancel === true) {
        answered = { refuse: `the extension ${extension.name} cancels it` };
        return true;
      }
      const made = isRecord(answer.compaction) ? answer.compaction : undefined;
      if (typeof made?.summary !== 'string') return undefined;
      if (made.firstKeptEntryId !== undefined && made.firstKeptEntryId !== job.firstKeptEntryId)
        extension.notice('firstKeptEntryId', 'kern itself says from where on what was said stays as it is');
      answered = { summary: made.summary, ...(made.details === undefined ? {} : { details: made.details }) };
      return undefined;
    });
    return answered;
  });
};

export const wireCompact: Wire = ({ extension }) => {
  extension.ctx.tap(sessionCompact, ({ sessionId, reason, result }) => {
    const session = extension.byId(sessionId);
    const compactionEntry = result.entryId === undefined ? undefined : session?.entry(result.entryId);
    const fromExtension = compactionEntry?.type === 'compaction' && compactionEntry.fromHook === true;
    extension.tell(
      'session_compact',
      { compactionEntry, fromExtension, reason, willRetry: reason === 'overflow' },
      session,
    );
  });
};

export const wireCompactFailed: Wire = ({ extension }) => {
  extension.ctx.tap(compactionEnd, ({ sessionId, reason, result, error }) => {
    if (result !== undefined) return;
    const payload = { reason, aborted: error === undefined, willRetry: false, fromExtension: false };
    const session = extension.byId(sessionId);
    extension.tell(
      'session_compact_failed',
      { ...payload, ...(error === undefined ? {} : { errorMessage: error }) },
      session,
    );
  });
};
