import {
  formatBytes,
  truncateHead as head,
  truncateLine as line,
  outputLimits,
  type Truncated,
  truncateTail as tail,
} from 'kern/contracts';

export const DEFAULT_MAX_LINES = outputLimits.lines;
export const DEFAULT_MAX_BYTES = outputLimits.bytes;

interface Options {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** What pi says of a text that was cut. */
interface Result {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: 'lines' | 'bytes' | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly firstLineExceedsLimit: boolean;
  readonly lastLinePartial: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

const limitsOf = ({ maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: Options) => ({
  lines: maxLines,
  bytes: maxBytes,
});

export function truncateHead(text: string, options: Options = {}): Result {
  const cut = head(text, limitsOf(options));
  // Of a first line that is too long by itself pi shows nothing, and says so.
  return resultOf(cut, options, cut.cutLine ? '' : cut.text, cut.cutLine, false);
}

export function truncateTail(text: string, options: Options = {}): Result {
  const cut = tail(text, limitsOf(options));
  return resultOf(cut, options, cut.text, false, cut.cutLine);
}

export function truncateLine(text: string, maxChars = 500): { readonly text: string; readonly wasTruncated: boolean } {
  const cut = line(text, maxChars);
  return { text: cut.text, wasTruncated: cut.isCut };
}

export const formatSize = (bytes: number): string => formatBytes(bytes);

function resultOf(
  cut: Truncated,
  options: Options,
  content: string,
  isFirstTooLong: boolean,
  isLastPartial: boolean,
): Result {
  const { lines, bytes } = limitsOf(options);
  return {
    content,
    truncated: cut.truncated,
    truncatedBy: cut.by ?? null,
    totalLines: cut.totalLines,
    totalBytes: cut.totalBytes,
    outputLines: content === '' && isFirstTooLong ? 0 : cut.shownLines,
    outputBytes: Buffer.byteLength(content),
    firstLineExceedsLimit: isFirstTooLong,
    lastLinePartial: isLastPartial,
    maxLines: lines,
    maxBytes: bytes,
  };
}
