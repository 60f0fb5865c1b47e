import type { ToolResult } from './contract.ts';
import {
  type LimitsMeta,
  type OutputMeta,
  type TruncationMeta,
  type TruncationOptions,
  truncationOf,
} from './output-meta.ts';
import type { Output } from './shell/sink.ts';
import { type OutputLimits, type Truncated, truncateHead, truncateTail } from './truncate.ts';

type Content = ToolResult['content'];

/** What `done` makes of the details: `meta` beside them where there is any. */
export type WithMeta<D> = D & { readonly meta?: OutputMeta };

/**
 * Puts a result together: content, details, and what is to be known of the output. What was cut is told to the model by
 * itself; a tool writes no notice.
 */
export class ToolResultBuilder<D extends object = object> {
  readonly #details: D | undefined;
  #content: Content = [];
  #meta: OutputMeta = {};
  #isError = false;
  #terminate = false;

  constructor(details?: D) {
    this.#details = details;
  }

  text(text: string): this {
    this.#content = [{ type: 'text', text }];
    return this;
  }

  content(content: Content): this {
    this.#content = content;
    return this;
  }

  error(isError = true): this {
    this.#isError = isError;
    return this;
  }

  /** Ends the run, if every result of the batch says so. */
  terminate(): this {
    this.#terminate = true;
    return this;
  }

  /** Of a text that `truncateHead`, `truncateTail` or `truncateMiddle` cut. */
  truncation(cut: Truncated, options?: TruncationOptions): this {
    return this.#truncated(truncationOf(cut, options));
  }

  /** Of what an output sink kept. */
  truncationFromSummary(output: Output): this {
    return this.#truncated(truncationOfOutput(output));
  }

  /** Cuts a text, shows what is left, and says what is not. */
  truncationFromText(
    text: string,
    options: TruncationOptions & { readonly direction?: 'head' | 'tail'; readonly limits?: OutputLimits } = {},
  ): this {
    const { direction = 'head', limits, ...rest } = options;
    const cut = (direction === 'head' ? truncateHead : truncateTail)(text, limits);
    return this.text(cut.text).truncation(cut, limits === undefined ? rest : { maxBytes: limits.bytes, ...rest });
  }

  limits(limits: LimitsMeta): this {
    this.#meta = { ...this.#meta, limits: { ...this.#meta.limits, ...limits } };
    return this;
  }

  matchLimit(reached: number, suggestion?: string): this {
    return this.limits({ matches: suggestion === undefined ? { reached } : { reached, suggestion } });
  }

  resultLimit(reached: number, suggestion?: string): this {
    return this.limits({ results: suggestion === undefined ? { reached } : { reached, suggestion } });
  }

  headLimit(reached: number, suggestion?: string): this {
    return this.limits({ head: suggestion === undefined ? { reached } : { reached, suggestion } });
  }

  columnTruncated(columns: number): this {
    return this.limits({ columns });
  }

  sourcePath(value: string): this {
    return this.#source('path', value);
  }

  sourceUrl(value: string): this {
    return this.#source('url', value);
  }

  sourceInternal(value: string): this {
    return this.#source('internal', value);
  }

  diagnostics(summary: string, messages: readonly string[] = []): this {
    this.#meta = { ...this.#meta, diagnostics: { summary, messages } };
    return this;
  }

  /** The result. `details.meta` is there only if there is something to say, `details` only if there are any. */
  done(): ToolResult<WithMeta<D>> {
    const given = Object.entries(this.#details ?? {}).filter(([, value]) => value !== undefined);
    const meta = Object.keys(this.#meta).length === 0 ? [] : [['meta', this.#meta] as const];
    const details = Object.fromEntries([...given, ...meta]) as WithMeta<D>;
    return {
      content: this.#content,
      ...(given.length + meta.length === 0 ? {} : { details }),
      ...(this.#isError ? { isError: true } : {}),
      ...(this.#terminate ? { terminate: true } : {}),
    };
  }

  #truncated(truncation: TruncationMeta | undefined): this {
    if (truncation !== undefined) this.#meta = { ...this.#meta, truncation };
    return this;
  }

  #source(type: 'path' | 'url' | 'internal', value: string): this {
    this.#meta = { ...this.#meta, source: { type, value } };
    return this;
  }
}

/** Begins a result. */
export const toolResultBuilder = <D extends object = object>(details?: D): ToolResultBuilder<D> =>
  new ToolResultBuilder(details);

/** What of a streamed output is shown, and where the whole of it is. */
export function truncationOfOutput(output: Output): TruncationMeta | undefined {
  if (!output.truncated) return undefined;
  const { shownFrom, shownTo, leftOut, totalLines, totalBytes, by, cutLine, file } = output;
  const direction = leftOut !== undefined ? 'middle' : shownTo === totalLines ? 'tail' : 'head';
  return {
    direction,
    ...(by === undefined ? {} : { by }),
    from: shownFrom,
    to: shownTo,
    ...(leftOut === undefined ? {} : { gap: leftOut }),
    totalLines,
    totalBytes,
    ...(cutLine ? { cutLine: true } : {}),
    ...(file === undefined
      ? { artifactIs: 'missing' as const }
      : {
          artifactId: file.id,
          artifactPath: file.path,
          ...(file.partly ? { artifactIs: 'partial' as const } : {}),
        }),
  };
}
