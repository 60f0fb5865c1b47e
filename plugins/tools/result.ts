import type { ToolResult } from './contract.ts';

/** A result of one text. */
export function textResult<D = unknown>(text: string, details?: D): ToolResult<D> {
  return details === undefined ? { content: [{ type: 'text', text }] } : { content: [{ type: 'text', text }], details };
}

/** A result that tells the model what went wrong and what to do about it. */
export function errorResult<D = unknown>(text: string, details?: D): ToolResult<D> {
  return { ...textResult(text, details), isError: true };
}

/** What of a result is text; images are named by their type. */
export function resultText(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** Takes what a tool answered for a result, if it is one: plugins written without types answer with a string, or nothing. */
export function asResult(value: unknown): ToolResult | undefined {
  if (typeof value === 'string') return textResult(value);
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined;
  if (typeof value.content === 'string') return { ...value, content: [{ type: 'text', text: value.content }] };
  return Array.isArray(value.content) && value.content.every(isPart) ? (value as ToolResult) : undefined;
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  if (part.type === 'text') return 'text' in part && typeof part.text === 'string';
  return (
    part.type === 'image' &&
    'data' in part &&
    typeof part.data === 'string' &&
    'mimeType' in part &&
    typeof part.mimeType === 'string'
  );
}
