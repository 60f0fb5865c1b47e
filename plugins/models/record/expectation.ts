import type { ModelRequest, ScriptTurn, ToolResultMessage } from 'kern/contracts';

/** What the next player of a turn is to find in the request: the results that came since the last reply. */
export function expectationOf({ messages }: ModelRequest): ScriptTurn['expect'] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages
    .slice(last + 1)
    .filter((message): message is ToolResultMessage => message.role === 'toolResult');
  if (results.length === 0) return undefined;
  return { toolResult: results.map(({ toolName, isError }) => ({ tool: toolName, isError })) };
}
