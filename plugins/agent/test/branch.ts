import type { ContextMessage, CustomMessage, Message, SessionContext, SessionEntry } from 'kern/contracts';

/** What a branch comes to, for tests in which every file is sound. */
export function contextOf(branch: readonly SessionEntry[]): SessionContext {
  const compaction = branch.findLast((entry) => entry.type === 'compaction');
  const kept = compaction === undefined ? 0 : branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const hidden = new Set(branch.flatMap((entry) => (entry.type === 'context_edit' ? [entry.targetId] : [])));
  const messages: ContextMessage[] = [];
  if (compaction !== undefined)
    messages.push({ message: custom('kern.compaction', compaction.summary), entryId: compaction.id });
  for (const entry of branch.slice(kept)) {
    const message = messageOf(entry);
    if (message !== undefined && !hidden.has(entry.id)) messages.push({ message, entryId: entry.id });
  }
  const models: Record<string, string> = {};
  for (const entry of branch)
    if (entry.type === 'model_change') models[entry.role ?? 'default'] = `${entry.provider}/${entry.modelId}`;
  const system = branch.findLast((entry) => entry.type === 'message' && entry.message.role === 'system');
  return {
    messages,
    models,
    thinking: branch.findLast((entry) => entry.type === 'thinking_level_change')?.thinkingLevel as never,
    mode: undefined,
    name: branch.findLast((entry) => entry.type === 'session_info')?.name,
    injectedRules: [],
    system: system?.type === 'message' && system.message.role === 'system' ? system.message : undefined,
  };
}

function messageOf(entry: SessionEntry): Message | undefined {
  if (entry.type === 'branch_summary') return custom('kern.branch-summary', entry.summary);
  if (entry.type === 'custom_message')
    return {
      ...custom(entry.customType, ''),
      content: entry.content as CustomMessage['content'],
      details: entry.details,
    };
  if (entry.type !== 'message') return undefined;
  const { message } = entry;
  if (message.role === 'fileMention')
    return custom('kern.file-mention', message.files.map(({ content }) => content).join('\n'));
  return message.role === 'system' || message.role === 'bashExecution' ? undefined : message;
}

const custom = (customType: string, text: string): CustomMessage => ({
  role: 'custom',
  customType,
  content: [{ type: 'text', text }],
  display: true,
  timestamp: 0,
});
