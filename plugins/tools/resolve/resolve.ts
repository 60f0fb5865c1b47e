import {
  defineTool,
  errorResult,
  type PendingChanges,
  resultText,
  type ToolContext,
  type ToolResult,
  textResult,
} from 'kern/contracts';
import { z } from 'zod';

const parameters = z.object({
  action: z.enum(['apply', 'discard']),
  reason: z.string().describe('Why, in a sentence'),
  id: z.string().describe('One change, as it was named; without it all that wait').optional(),
});

type Arguments = z.infer<typeof parameters>;

export interface ResolveDetails {
  readonly action: 'apply' | 'discard';
  readonly reason: string;
  readonly changes: readonly { readonly id: string; readonly ok: boolean; readonly details?: unknown }[];
}

/** Offered only beside a tool that shows what it would do and waits. */
export const resolveTool = (pending: PendingChanges) =>
  defineTool<Arguments, ResolveDetails>({
    name: 'resolve',
    description: 'Applies or discards changes that were shown and not made yet.',
    parameters,
    hidden: true,
    executionMode: 'sequential',
    // Whose call it is cannot be seen here: what waits for another session only makes the answer stricter.
    effects: ({ action, id }) =>
      action === 'discard'
        ? []
        : pending.list().flatMap((one) => (id === undefined || id === one.id ? one.change.effects : [])),
    execute: (_id, args, signal, _onUpdate, context) => resolve(args, pending, signal, context),
  });

async function resolve(
  { action, reason, id }: Arguments,
  pending: PendingChanges,
  signal: AbortSignal,
  context: ToolContext,
): Promise<ToolResult<ResolveDetails>> {
  const waiting = pending.list(context.sessionId);
  const chosen = id === undefined ? waiting : waiting.filter((one) => one.id === id);
  if (chosen.length === 0) {
    const known = waiting.map((one) => `${one.id} (${one.change.title})`).join(', ');
    return errorResult(
      waiting.length === 0 ? 'Nothing waits to be applied or discarded.' : `There is no ${id}; these wait: ${known}.`,
    );
  }
  const texts: string[] = [];
  const changes: { readonly id: string; readonly ok: boolean; readonly details?: unknown }[] = [];
  for (const { id: name, change } of chosen) {
    // What was not come to yet goes on waiting.
    signal.throwIfAborted();
    if (pending.take(context.sessionId, name) === undefined) continue;
    if (action === 'discard') {
      change.discard?.();
      texts.push(`Discarded: ${change.title}.`);
      changes.push({ id: name, ok: true });
      continue;
    }
    const result = await change.apply(signal, context);
    texts.push(resultText(result));
    changes.push({ id: name, ok: result.isError !== true, details: result.details });
  }
  const details: ResolveDetails = { action, reason, changes };
  const text = texts.join('\n\n');
  return changes.every(({ ok }) => ok) ? textResult(text, details) : errorResult(text, details);
}
