import type { ToolCall } from '../contract.ts';

/** Arguments are a JSON object or they are kept as they came; nothing at all means none. */
export function argumentsOf(text: string): Pick<ToolCall, 'arguments' | 'invalidArguments'> {
  if (text.trim() === '') return { arguments: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { arguments: value as Record<string, unknown> };
  } catch {
    // cut off, or never JSON: said below
  }
  return { arguments: {}, invalidArguments: text };
}
