import type { ToolResult } from 'kern/contracts';
import { taggedLine } from './hash-lines.ts';
import { lineTexts } from './lines.ts';
import type { Format } from './request.ts';
import type { SeenFiles } from './seen.ts';

interface Call {
  readonly tool: string;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
}

interface Reader {
  readonly seen: SeenFiles;
  readonly session: string;
  readonly format: Format;
}

/** A line that was cut is not known. */
const longestLine = 40_000;

/**
 * Notes what the model reads and writes of files; where it edits by line, the lines it reads get their names. Read
 * tells in its details which lines its text begins with.
 */
export function noted(call: Call, { seen, session, format }: Reader): Call | undefined {
  const { tool, args, result } = call;
  const details = detailsOf(result);
  if (result.isError === true || details === undefined) return undefined;
  if (tool === 'write' && typeof args.content === 'string') {
    seen.set(session, details.path, [{ from: 1, lines: lineTexts(args.content.replace(/^\ufeff/, '')) }]);
    return undefined;
  }
  if (tool !== 'read' || details.lines === undefined) return undefined;
  const [from, to] = details.lines;
  const [first, ...more] = result.content;
  if (first?.type !== 'text') return undefined;
  const all = first.text.split('\n');
  const lines = all.slice(0, to - from + 1);
  const rest = all.slice(to - from + 1);
  // What read found out by itself, edit does as well, and of the whole file.
  const forced = typeof args.encoding === 'string' ? details.encoding : undefined;
  // Read counts a lone CR as part of a line, and edit as its end: then numbers would not be the same.
  if (lines.some((line) => line.length > longestLine || line.includes('\r'))) {
    if (forced !== undefined) seen.add(session, details.path, { from, lines: [] }, forced);
    return undefined;
  }
  seen.add(session, details.path, { from, lines }, forced);
  if (format !== 'hashline') return undefined;
  const text = [...lines.map((line, at) => taggedLine(from + at, line)), ...rest].join('\n');
  return { ...call, result: { ...result, content: [{ ...first, text }, ...more] } };
}

function detailsOf({ details }: ToolResult):
  | {
      readonly path: string;
      readonly encoding?: string | undefined;
      readonly lines?: readonly [number, number] | undefined;
    }
  | undefined {
  if (typeof details !== 'object' || details === null || !('path' in details) || typeof details.path !== 'string')
    return undefined;
  const lines = 'kind' in details && details.kind === 'text' && 'lines' in details ? details.lines : undefined;
  const isRange = Array.isArray(lines) && lines.length === 2 && lines.every((line) => typeof line === 'number');
  return {
    path: details.path,
    encoding: 'encoding' in details && typeof details.encoding === 'string' ? details.encoding : undefined,
    lines: isRange ? (lines as unknown as readonly [number, number]) : undefined,
  };
}
