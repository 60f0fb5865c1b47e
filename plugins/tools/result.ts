import { messageOf } from 'kern/plugin';
import type { ToolResult } from './contract.ts';
import { formatBytes, outputLimits, truncateMiddle } from './truncate.ts';

/** A result of one text. */
export function textResult<D = unknown>(text: string, details?: D): ToolResult<D> {
  return details === undefined ? { content: [{ type: 'text', text }] } : { content: [{ type: 'text', text }], details };
}

/** A result that tells the model what went wrong and what to do about it. */
export function errorResult<D = unknown>(text: string, details?: D): ToolResult<D> {
  return { ...textResult(text, details), isError: true };
}

/** Above the limit of an output: one that was cut for it, and has notices below, is left as it is. */
const longestError = outputLimits.bytes + 14 * 1024;

/** An error in as many words as an output may have: of one with thousands of problems the beginning and the end. */
export function limitedError(result: ToolResult): ToolResult {
  if (result.isError !== true) return result;
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const bytes = Buffer.byteLength(text);
  if (bytes <= longestError) return result;
  const shown = truncateMiddle(text).text;
  const notice = `[This error has ${formatBytes(bytes)}; its middle is left out. Mend what is shown first, or ask for less at a time.]`;
  return {
    ...result,
    content: [
      { type: 'text', text: `${shown.trimEnd()}\n\n${notice}` },
      ...result.content.filter(({ type }) => type !== 'text'),
    ],
  };
}

/** With details that can be written down: what JSON cannot hold would fail the whole run instead of this one tool. */
export function writableResult(tool: string, result: ToolResult): ToolResult {
  if (result.details === undefined) return result;
  try {
    JSON.stringify(result.details);
    return result;
  } catch (error) {
    const [why] = messageOf(error).split('\n', 1);
    return { ...result, details: { note: `the details of ${tool} could not be kept: ${why}` } };
  }
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
