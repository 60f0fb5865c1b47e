import type { AssistantMessage, SessionEntry } from 'kern/contracts';

/** An entry as pi reads it, on one line. */
export function lineOf(entry: SessionEntry): string {
  const written =
    entry.type === 'message' && entry.message.role === 'assistant'
      ? { ...entry, message: piAssistant(entry.message) }
      : entry;
  return `${JSON.stringify(written)}\n`;
}

/** pi adds up prices without asking whether they are known, and has no word for a refusal: what it would not read is said beside. */
function piAssistant(message: AssistantMessage): object {
  const { usage, stopReason } = message;
  const unknown =
    usage.cost === null
      ? { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }, costUnknown: true }
      : usage;
  const stop = stopReason === 'refusal' ? { stopReason: 'stop', rawStopReason: 'refusal' } : { stopReason };
  return { ...message, usage: unknown, ...stop };
}
