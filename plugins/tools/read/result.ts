import { errorResult, formatBytes, formatTruncation, type ToolResult, textResult, truncateHead } from 'kern/contracts';

export interface ReadDetails {
  /** The real path. */
  readonly path: string;
  readonly kind: 'text' | 'image' | 'folder' | 'document' | 'notebook' | 'bytes';
  /** Of the file, in bytes; of a folder, its entries. */
  readonly size: number;
  /** Of a text. */
  readonly encoding?: string;
  /** The lines that are shown, from 1. */
  readonly lines?: readonly [from: number, to: number];
  /** Known when the end of the file was reached. */
  readonly totalLines?: number;
  readonly truncated: boolean;
}

export type ReadResult = ToolResult<ReadDetails>;

/** What is read, and how a person and a model call it. */
export interface Source {
  /** As it was asked for. */
  readonly path: string;
  readonly real: string;
  readonly size: number;
}

export interface PageWanted {
  /** From 1. */
  readonly offset: number;
  readonly limit: number | undefined;
}

/** A page of a text that was made of something else: a document, a notebook, a folder. `unit`: what its lines are. */
export function pageOf(
  text: string,
  { path }: Pick<Source, 'path'>,
  details: Omit<ReadDetails, 'lines' | 'totalLines' | 'truncated'>,
  { offset, limit }: PageWanted,
  [one, many]: readonly [one: string, many: string] = ['line', 'lines'],
): ReadResult {
  const lines = text.split('\n');
  const total = lines.length;
  if (offset > total)
    return errorResult(`${path} has ${total} ${total === 1 ? one : many}: there is no ${one} ${offset}.`);
  const shown = truncateHead(lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).join('\n'));
  // An empty last line is no line to `truncateHead`.
  const count = shown.truncated ? shown.shownLines : Math.min(limit ?? total, total - offset + 1);
  const last = offset + count - 1;
  const more = last < total;
  const cut = shown.cutLine
    ? `[Line ${last} is longer; its first ${formatBytes(Buffer.byteLength(shown.text))} are shown.]`
    : '';
  const next = more
    ? `[${formatTruncation({ direction: 'head', ...(shown.by === undefined ? {} : { by: shown.by }), from: offset, to: last, totalLines: total, nextOffset: last + 1, unit: many })}]`
    : '';
  const notices = [cut, next].filter((notice) => notice !== '').join('\n');
  return textResult(notices === '' ? shown.text : `${shown.text}\n\n${notices}`, {
    ...details,
    lines: [offset, last],
    totalLines: total,
    truncated: more || shown.cutLine,
  });
}
