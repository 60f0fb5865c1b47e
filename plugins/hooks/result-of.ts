import type { KnownToolResultEvent, ToolDetails, ToolResultEvent } from './contract.ts';

/** Whether a result is one of this tool of kern's: then its details are known. */
export function isResultOf<T extends keyof ToolDetails>(
  event: ToolResultEvent,
  tool: T,
): event is Extract<KnownToolResultEvent, { toolName: T }> {
  return event.toolName === tool;
}
