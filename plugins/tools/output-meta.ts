import type { ToolResult } from './contract.ts';
import { formatBytes, type Truncated } from './truncate.ts';

/** What is to be known of an output beside its text, in `details.meta`. The model is told of it in one place. */
export interface OutputMeta {
  readonly truncation?: TruncationMeta;
  readonly source?: SourceMeta;
  readonly diagnostics?: DiagnosticMeta;
  readonly limits?: LimitsMeta;
}

/** Which part of an output is shown, why not more, and how to get at the rest. */
export interface TruncationMeta {
  /** The part that is kept. `middle`: beginning and end, with a gap between them. */
  readonly direction: 'head' | 'tail' | 'middle';
  /** The limit that was reached; without one as much was asked for. */
  readonly by?: 'lines' | 'bytes';
  /** The first and the last line that are shown, from 1. */
  readonly from: number;
  readonly to: number;
  /** Between them, what is left out. */
  readonly gap?: { readonly from: number; readonly to: number };
  /** Without it the end was not looked for. */
  readonly totalLines?: number;
  readonly totalBytes?: number;
  /** Of the one line that is shown a part is missing; `shownBytes` of it are there. */
  readonly cutLine?: boolean;
  readonly shownBytes?: number;
  /** The limit of bytes that was in force. */
  readonly maxBytes?: number;
  /** Where to go on, for a tool that has an `offset`. */
  readonly nextOffset?: number;
  /** Where all of it is. */
  readonly artifactId?: string;
  readonly artifactPath?: string;
  /** The artifact holds the beginning only: the disk was full. `false`: nothing could be kept. */
  readonly artifactIs?: 'whole' | 'partial' | 'missing';
  /** What is counted. Default `lines`. */
  readonly unit?: string;
}

export interface SourceMeta {
  readonly type: 'path' | 'url' | 'internal';
  readonly value: string;
}

export interface DiagnosticMeta {
  readonly summary: string;
  readonly messages: readonly string[];
}

export interface LimitsMeta {
  /** Hits of a search. */
  readonly matches?: LimitReached;
  /** Entries of a list. */
  readonly results?: LimitReached;
  /** Lines that were asked for with `head`. */
  readonly head?: LimitReached;
  /** Lines longer than this are cut. */
  readonly columns?: number;
}

export interface LimitReached {
  readonly reached: number;
  /** What to ask for to see more. */
  readonly suggestion?: string;
}

const defaultBytes = 50 * 1024;

/** The notices that a model reads below an output, each in brackets; undefined where there is nothing to say. */
export function formatOutputNotice(meta: OutputMeta): string | undefined {
  const { truncation, limits = {}, diagnostics } = meta;
  const notices = [
    truncation === undefined ? undefined : `[${formatTruncation(truncation)}]`,
    limitNotice(limits.matches, 'matches'),
    limitNotice(limits.results, 'results'),
    limitNotice(limits.head, 'lines'),
    limits.columns === undefined ? undefined : `[Lines longer than ${limits.columns} characters are cut, marked by …]`,
    diagnostics === undefined ? undefined : `[${[diagnostics.summary, ...diagnostics.messages].join('\n')}]`,
  ].filter((notice) => notice !== undefined);
  return notices.length === 0 ? undefined : notices.join('\n');
}

/** `Showing lines 1-2000 of 5000. Use offset=2001 to continue.` */
export function formatTruncation(meta: TruncationMeta): string {
  const parts = [shownPart(meta), nextPart(meta), artifactPart(meta)];
  return parts.filter((part) => part !== undefined).join(' ');
}

function shownPart(meta: TruncationMeta): string {
  const { from, to, gap, totalLines, totalBytes, cutLine, by, maxBytes = defaultBytes, unit = 'lines' } = meta;
  const limit = limitText(maxBytes);
  if (gap !== undefined && totalLines !== undefined)
    return `Showing ${unit} ${from}-${gap.from - 1} and ${gap.to + 1}-${totalLines} of ${totalLines}.`;
  if (cutLine === true) {
    const part = meta.direction === 'tail' ? 'end' : 'beginning';
    const whole = totalBytes === undefined ? '' : `; the output has ${formatBytes(totalBytes)}`;
    return `Showing the ${part} of line ${to}, which is over ${limit}${whole}.`;
  }
  const total = totalLines ?? (totalBytes === undefined ? undefined : formatBytes(totalBytes));
  const why = by === 'bytes' ? ` (${limit} limit)` : '';
  if (total !== undefined) return `Showing ${unit} ${from}-${to} of ${total}${why}.`;
  return `Showing ${unit} ${from}-${to}${why}; there are more.`;
}

function nextPart({ nextOffset }: TruncationMeta): string | undefined {
  return nextOffset === undefined ? undefined : `Use offset=${nextOffset} to continue.`;
}

function artifactPart({ artifactId, artifactPath, artifactIs = 'whole' }: TruncationMeta): string | undefined {
  if (artifactIs === 'missing') return 'The rest could not be kept.';
  if (artifactId === undefined) return undefined;
  const where = `artifact://${artifactId}${artifactPath === undefined ? '' : ` = ${artifactPath}`}`;
  return `${artifactIs === 'partial' ? 'The beginning, as far as there was room' : 'Whole output'}: ${where}`;
}

/** `50 KB`: a limit is a round number. */
const limitText = (bytes: number): string => formatBytes(bytes).replace('.0 ', ' ');

function limitNotice(limit: LimitReached | undefined, what: string): string | undefined {
  if (limit === undefined) return undefined;
  const { reached, suggestion } = limit;
  return `[The first ${reached} ${what} are shown; there are more.${suggestion === undefined ? '' : ` ${suggestion}`}]`;
}

export interface TruncationOptions {
  /** The number of the first line of what was cut. Default 1. */
  readonly startLine?: number;
  readonly artifactId?: string;
  readonly artifactPath?: string;
  /** Of the tool's limit, where it is another than the default. */
  readonly maxBytes?: number;
  /** The tool has an `offset` to go on with. */
  readonly hasOffset?: boolean;
  readonly unit?: string;
}

/** What of a text that was cut is shown; undefined where nothing was cut. */
export function truncationOf(cut: Truncated, options: TruncationOptions = {}): TruncationMeta | undefined {
  if (!cut.truncated) return undefined;
  const { startLine = 1, hasOffset = false, ...given } = options;
  const { direction, shownLines, totalLines, gap } = cut;
  const before = startLine - 1;
  const from = before + (direction === 'tail' ? totalLines - shownLines + 1 : 1);
  const to = before + (direction === 'head' ? shownLines : totalLines);
  return {
    direction,
    ...(cut.by === undefined ? {} : { by: cut.by }),
    from,
    to,
    ...(gap === undefined ? {} : { gap: { from: before + gap.from, to: before + gap.to } }),
    totalLines: before + totalLines,
    totalBytes: cut.totalBytes,
    ...(cut.cutLine ? { cutLine: true } : {}),
    ...(hasOffset && direction === 'head' && to < before + totalLines ? { nextOffset: to + 1 } : {}),
    ...given,
  };
}

/** What `details.meta` says, if it says anything. */
export function metaOf(result: ToolResult): OutputMeta | undefined {
  const { details } = result;
  if (typeof details !== 'object' || details === null || !('meta' in details)) return undefined;
  const { meta } = details;
  return typeof meta === 'object' && meta !== null ? meta : undefined;
}

/**
 * The result with the notices of its `details.meta` below its last text. A tool that wrote them at a place of its own is
 * left alone, and so is a meta that is none of ours.
 */
export function withOutputNotice<D>(result: ToolResult<D>): ToolResult<D> {
  const notice = noticeOf(metaOf(result));
  if (notice === undefined) return result;
  const at = result.content.findLastIndex(({ type }) => type === 'text');
  const last = result.content[at];
  if (last?.type !== 'text') return { ...result, content: [...result.content, { type: 'text', text: notice }] };
  if (last.text.includes(notice)) return result;
  const text = last.text === '' ? notice : `${last.text.trimEnd()}\n\n${notice}`;
  return { ...result, content: result.content.with(at, { ...last, text }) };
}

function noticeOf(meta: OutputMeta | undefined): string | undefined {
  try {
    return meta === undefined ? undefined : formatOutputNotice(meta);
  } catch {
    // A plugin without types may have anything there.
    return undefined;
  }
}
