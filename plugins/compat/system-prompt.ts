import type { AgentSession } from 'kern/contracts';

/** The system prompt as it was sent last; empty before the first request. */
export function systemPromptOf(session: AgentSession): string {
  const node = session.nodes().findLast(({ type, role }) => type === 'message' && role === 'system');
  const entry = node === undefined ? undefined : session.entry(node.id);
  return entry?.type === 'message' && entry.message.role === 'system' ? entry.message.content : '';
}
