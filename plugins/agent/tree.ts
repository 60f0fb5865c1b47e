import { sessionBeforeTree, sessionTree } from 'kern/contracts';
import type { SwitchAnswer } from 'kern/plugin';
import type { SessionGround } from './session-ground.ts';
import { unknownEntry, wordsOf } from './switch.ts';

export interface NavigateOptions {
  readonly summarize?: boolean;
  readonly instructions?: string;
  readonly label?: string;
}

export type NavigateAnswer = SwitchAnswer & { readonly text?: string };

/** Where the next message goes, and what stood there if it was one of the person. */
interface Target {
  readonly leaf: string | null;
  readonly text: string | undefined;
}

/** Moves the leaf within the file. Nothing is lost by it: every branch stays in the tree. */
export async function navigate(
  ground: SessionGround,
  to: string | null,
  { summarize = false, instructions, label }: NavigateOptions = {},
): Promise<NavigateAnswer> {
  const { view, gate, runner, conversation, broadcast, choice, compactor } = ground;
  return gate.change('navigateTree', (signal) =>
    view.enter(async (): Promise<NavigateAnswer> => {
      const { store } = conversation;
      const sessionId = store.header.id;
      const from = store.leaf;
      const { leaf, text } = targetOf(ground, to);
      const answered = text === undefined ? {} : { text };
      if (leaf === from) return { done: true, ...answered };
      const decided = await view.call(sessionBeforeTree, { sessionId, from, to, summarize });
      if (decided !== undefined && 'refuse' in decided) return { done: false, reason: decided.refuse };
      await runner.hold();
      try {
        const summary =
          decided?.summary ??
          (summarize
            ? await untilAborted(compactor.summarizeBranch({ from, to: leaf, instructions }, signal), signal)
            : undefined);
        if (signal.aborted) return { done: false, reason: 'it was aborted' };
        await store.moveLeaf(leaf);
        let labelled = to;
        if (summary !== undefined && summary !== '') {
          const fromHook = decided === undefined ? {} : { fromHook: true };
          labelled = conversation.write({ type: 'branch_summary', fromId: from ?? 'root', summary, ...fromHook });
        }
        if (label !== undefined && labelled !== null) conversation.write({ type: 'label', targetId: labelled, label });
        choice.reads(conversation.rebuild());
        view.call(sessionTree, { sessionId, from, to: leaf });
        broadcast.emit({ type: 'session_tree', leaf: store.leaf });
      } finally {
        runner.open();
      }
      return { done: true, ...answered };
    }),
  );
}

function targetOf({ conversation: { store } }: SessionGround, to: string | null): Target {
  if (to === null) return { leaf: null, text: undefined };
  const entry = store.entry(to);
  if (entry === undefined) throw unknownEntry(to);
  if (entry.type !== 'message' || entry.message.role !== 'user') return { leaf: to, text: undefined };
  return { leaf: entry.parentId, text: wordsOf(entry.message) };
}

/** An abort is no failure of what it ends. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
