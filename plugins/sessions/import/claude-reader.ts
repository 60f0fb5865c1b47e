import type { ImageContent, StopReason, TextContent } from 'kern/contracts';
import type { Row } from './claude-line.ts';
import { type Draft, type DraftReply, type ReplyPart, usageOf } from './draft.ts';
import { at, countOf, isRaw, type Raw, textOf } from './transcript-lines.ts';

type Shown = TextContent | ImageContent;

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'toolUse',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

/** Reads lines of Claude Code into a conversation. */
export class ClaudeReader {
  readonly #draft: Draft;
  /** Replies whose parts may not all have come yet, by their id. */
  readonly #replies = new Map<string, DraftReply>();
  /** The entry that says where older words end, and what they took. */
  #boundary: { readonly id: string; readonly tokens: number } | undefined;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  read(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.raw.type === 'user') this.#user(row);
      else if (row.raw.type === 'assistant') this.#assistant(row);
      else if (row.raw.type === 'attachment') this.#attachment(row);
      else if (row.raw.subtype === 'compact_boundary') this.#compacted(row);
    }
  }

  #assistant({ raw, time, reply, number, uuid }: Row): void {
    const message = isRaw(raw.message) ? raw.message : {};
    const parts = (Array.isArray(message.content) ? message.content : []).flatMap((block: unknown) =>
      this.#part(block, number),
    );
    const known = reply === undefined ? undefined : this.#replies.get(reply);
    const isFailure = raw.isApiErrorMessage === true || message.model === '<synthetic>';
    const draft =
      known ??
      this.#draft.reply(
        time,
        { parts: [], provider: 'anthropic', model: isFailure ? '' : (textOf(message.model) ?? '') },
        uuid,
      );
    if (known === undefined && reply !== undefined) this.#replies.set(reply, draft);
    if (isFailure) {
      draft.stopReason = 'error';
      draft.errorMessage = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return;
    }
    draft.parts.push(...parts);
    // Each line repeats what is known of the whole; the last knows most.
    draft.usage = usage(message.usage) ?? draft.usage;
    draft.stopReason = stopReasons[textOf(message.stop_reason) ?? ''] ?? draft.stopReason;
    draft.responseId = textOf(message.id) ?? draft.responseId;
  }

  #part(block: unknown, number: number): readonly ReplyPart[] {
    if (!isRaw(block)) return typeof block === 'string' ? [{ type: 'text', text: block }] : [];
    const { type } = block;
    if (type === 'text') return [{ type, text: textOf(block.text) ?? '' }];
    if (type === 'thinking') {
      const signature = textOf(block.signature);
      return [
        {
          type,
          thinking: textOf(block.thinking) ?? '',
          ...(signature === undefined || signature === '' ? {} : { thinkingSignature: signature }),
        },
      ];
    }
    if (type === 'redacted_thinking')
      return [{ type: 'thinking', thinking: '', thinkingSignature: textOf(block.data) ?? '', redacted: true }];
    if (type === 'tool_use' || type === 'server_tool_use') {
      const { input } = block;
      const call = {
        type: 'toolCall' as const,
        id: textOf(block.id) ?? `call_${number}`,
        name: textOf(block.name) ?? '',
      };
      if (isRaw(input)) return [{ ...call, arguments: input }];
      return [{ ...call, arguments: {}, invalidArguments: textOf(input) ?? JSON.stringify(input ?? null) }];
    }
    if (typeof type === 'string' && type.endsWith('_tool_result')) {
      const text = JSON.stringify(block.content ?? null);
      this.#draft.result(textOf(block.tool_use_id) ?? '', {
        content: [{ type: 'text', text }],
        isError: false,
        time: 0,
      });
      return [];
    }
    this.#draft.problem(`a part of the kind ${String(type)} was left out`, number);
    return [];
  }

  #user({ raw, time, number, uuid }: Row): void {
    const content = at(raw, 'message', 'content');
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    for (const block of blocks)
      if (isRaw(block) && block.type === 'tool_result') this.#result(block, raw, time, number);
    const shown = blocks.flatMap((block) => this.#shown(block, number));
    if (shown.length === 0) return;
    if (raw.isCompactSummary === true) this.#summary(time, shown, uuid);
    else if (raw.isMeta === true)
      // The model read it, and nobody said it.
      this.#draft.add(
        time,
        { type: 'custom_message', customType: 'claude.meta', content: shown, display: false },
        uuid,
      );
    else this.#draft.user(time, shown, uuid);
  }

  #result(block: Raw, raw: Raw, time: number, number: number): void {
    const { content } = block;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    const took = at(raw, 'toolUseResult', 'durationMs') ?? at(raw, 'toolUseResult', 'totalDurationMs');
    this.#draft.result(textOf(block.tool_use_id) ?? '', {
      content: blocks.flatMap((part) => this.#shown(part, number)),
      isError: block.is_error === true,
      durationMs: typeof took === 'number' ? took : undefined,
      time,
    });
  }

  #shown(block: unknown, number: number): readonly Shown[] {
    if (typeof block === 'string') return block === '' ? [] : [{ type: 'text', text: block }];
    if (!isRaw(block) || block.type === 'tool_result') return [];
    if (block.type === 'text') return [{ type: 'text', text: textOf(block.text) ?? '' }];
    const [data, mimeType] = [at(block, 'source', 'data'), at(block, 'source', 'media_type')];
    if (block.type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
      return [{ type: 'image', data, mimeType }];
    if (block.type === 'tool_reference') return [{ type: 'text', text: `(tool: ${textOf(block.tool_name) ?? ''})` }];
    this.#draft.problem(`content of the kind ${String(block.type)} was left out`, number);
    return [{ type: 'text', text: `(${String(block.type)}, not taken over)` }];
  }

  /** Files that were named with `@`, and what was typed while a turn ran. The rest is told to the model anew. */
  #attachment({ raw, time, number, uuid }: Row): void {
    const kind = at(raw, 'attachment', 'type');
    if (kind === 'queued_command') {
      const prompt = at(raw, 'attachment', 'prompt');
      const blocks: readonly unknown[] = Array.isArray(prompt) ? prompt : [prompt];
      this.#draft.user(
        time,
        blocks.flatMap((block) => this.#shown(block, number)),
        uuid,
      );
    }
    const content = at(raw, 'attachment', 'content', 'file', 'content');
    if (kind === 'file' && typeof content === 'string') {
      const path =
        textOf(at(raw, 'attachment', 'filename')) ?? textOf(at(raw, 'attachment', 'content', 'file', 'filePath'));
      const files = [{ path: path ?? '', content }];
      this.#draft.add(time, { type: 'message', message: { role: 'fileMention', files, timestamp: time } }, uuid);
    }
  }

  #compacted({ raw, time, uuid }: Row): void {
    const data = at(raw, 'compactMetadata');
    this.#boundary = { id: uuid, tokens: countOf(at(data, 'preTokens')) };
    this.#draft.add(time, { type: 'custom', customType: 'claude.compact-boundary', data }, uuid);
  }

  /** Nothing before the boundary is read as it was said: so it is the first that is kept, and says nothing. */
  #summary(time: number, shown: readonly Shown[], uuid: string): void {
    const summary = shown.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
    if (this.#boundary === undefined) {
      this.#boundary = { id: `${uuid}-boundary`, tokens: 0 };
      this.#draft.add(time, { type: 'custom', customType: 'claude.compact-boundary' }, this.#boundary.id);
    }
    const { id, tokens } = this.#boundary;
    this.#boundary = undefined;
    this.#draft.add(
      time,
      { type: 'compaction', summary, firstKeptEntryId: id, tokensBefore: tokens, fromHook: true },
      uuid,
    );
  }
}

function usage(raw: unknown) {
  if (!isRaw(raw)) return undefined;
  return usageOf({
    input: countOf(raw.input_tokens),
    output: countOf(raw.output_tokens),
    cacheRead: countOf(raw.cache_read_input_tokens),
    cacheWrite: countOf(raw.cache_creation_input_tokens),
    reasoning: countOf(at(raw, 'output_tokens_details', 'thinking_tokens')),
  });
}
