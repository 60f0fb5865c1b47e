import { type ImageContent, type TextContent, thinkingLevels } from 'kern/contracts';
import { type Draft, type DraftCall, type DraftReply, usageOf } from './draft.ts';
import { at, countOf, isRaw, type Raw, textOf } from './transcript-lines.ts';

type Shown = TextContent | ImageContent;

/** What Codex tells the model by itself; kern says its own. */
const ownWords =
  /^\s*(<(environment_context|user_instructions|permissions instructions|skills_instructions|turn_aborted|collaboration_mode|user_shell_command)\b|# AGENTS\.md instructions)/;

/** Reads lines of a rollout into a conversation. */
export class CodexReader {
  provider = 'openai';
  cwd: string | undefined;
  readonly #draft: Draft;
  readonly #messages = new Set<string>();
  /** Replies that stand only in events: the file ends before they were said as items. */
  readonly #announced: { readonly id: string; readonly text: string; readonly time: number; readonly model: string }[] =
    [];
  readonly #durations = new Map<string, number>();
  readonly #results: {
    readonly id: string;
    readonly output: unknown;
    readonly time: number;
    readonly number: number;
  }[] = [];
  #model = '';
  #thinking: string | undefined;
  /** The reply that is being said; what follows a result or a question begins another. */
  #reply: DraftReply | undefined;
  /** The reply that the next count of tokens belongs to. */
  #uncounted: DraftReply | undefined;
  #time = 0;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  line(type: string, payload: Raw, time: number | undefined, number: number): void {
    this.#time = time ?? this.#time;
    switch (type) {
      case 'response_item':
        this.#item(payload, number);
        break;
      case 'turn_context':
        this.#context(payload);
        break;
      case 'token_usage_record':
        this.#count(payload.usage);
        break;
      case 'event_msg':
        this.#event(payload);
        break;
      case 'compacted':
        this.#compacted(payload, number);
        break;
      case 'session_meta': // of what this one was forked from
      case 'world_state':
        break;
      default:
        this.#draft.problem(`lines of the kind ${type || '(none)'} mean nothing to kern`, number);
    }
  }

  /** Durations come after the calls, and the last reply may be in an event only. */
  end(): void {
    for (const { id, output, time, number } of this.#results) this.#result(id, output, time, number);
    for (const { id, text, time, model } of this.#announced) {
      if (this.#messages.has(id) || text === '') continue;
      this.#draft.reply(time, { parts: [{ type: 'text', text }], provider: this.provider, model });
    }
  }

  #context(payload: Raw): void {
    this.#model = textOf(payload.model) ?? this.#model;
    this.cwd ??= textOf(payload.cwd);
    const effort =
      textOf(payload.effort) ?? textOf(at(payload, 'collaboration_mode', 'settings', 'reasoning_effort')) ?? undefined;
    const level = effort === 'none' ? 'off' : effort;
    if (level === undefined || level === this.#thinking) return;
    this.#thinking = level;
    if ((thinkingLevels as readonly string[]).includes(level))
      this.#draft.add(this.#time, { type: 'thinking_level_change', thinkingLevel: level });
  }

  #event(payload: Raw): void {
    const { type } = payload;
    if (type === 'token_count') this.#count(at(payload, 'info', 'last_token_usage'));
    else if (type === 'thread_name_updated') this.#draft.name = textOf(payload.thread_name);
    else if (type === 'thread_rolled_back') {
      this.#close();
      this.#draft.rollBack(countOf(payload.num_turns));
    } else if (type === 'item_completed' && isRaw(payload.item)) this.#completed(payload.item);
    else if (type === 'exec_command_end') this.#took(textOf(payload.call_id), payload.duration);
  }

  #completed(item: Raw): void {
    const id = textOf(item.id) ?? '';
    if (item.type === 'CommandExecution') this.#took(id, item.duration);
    if (item.type !== 'AgentMessage') return;
    const parts: readonly unknown[] = Array.isArray(item.content) ? item.content : [];
    const text = parts.map((part) => textOf(at(part, 'text')) ?? '').join('');
    this.#announced.push({ id, text, time: this.#time, model: this.#model });
  }

  #took(id: string | undefined, duration: unknown): void {
    const [secs, nanos] = [at(duration, 'secs'), at(duration, 'nanos')];
    if (id === undefined || typeof secs !== 'number') return;
    this.#durations.set(id, Math.round(secs * 1_000 + countOf(nanos) / 1_000_000));
  }

  #item(item: Raw, number: number): void {
    switch (item.type) {
      case 'message':
        this.#message(item, number);
        break;
      case 'reasoning':
        this.#reasoning(item);
        break;
      case 'function_call':
        this.#call(item, argumentsOf(item.arguments));
        break;
      case 'custom_tool_call':
        this.#call(item, { arguments: { input: item.input } });
        break;
      case 'local_shell_call':
        this.#call({ ...item, name: 'local_shell' }, { arguments: isRaw(item.action) ? item.action : {} });
        break;
      case 'tool_search_call':
        this.#call({ ...item, name: 'tool_search' }, argumentsOf(item.arguments));
        break;
      case 'web_search_call':
        this.#searched(item, number);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'tool_search_output':
      case 'mcp_tool_call_output':
        this.#close();
        this.#results.push({
          id: textOf(item.call_id) ?? '',
          output: item.output ?? item.tools,
          time: this.#time,
          number,
        });
        break;
      case 'additional_tools':
      case 'compaction':
      case 'compaction_summary':
      case 'context_compaction':
      case 'ghost_snapshot':
        break;
      default:
        this.#draft.problem(`an item of the kind ${String(item.type)} was left out`, number);
    }
  }

  #message(item: Raw, number: number): void {
    const { role, id } = item;
    if (typeof id === 'string') this.#messages.add(id);
    const shown = this.#shown(item.content, number);
    if (role === 'assistant') {
      for (const part of shown) if (part.type === 'text') this.#open().parts.push(part);
      return;
    }
    if (role !== 'user' || isOwn(item, shown)) return;
    this.#close();
    this.#draft.user(this.#time, shown);
  }

  #reasoning(item: Raw): void {
    const parts = [item.content, item.summary].find((list) => Array.isArray(list) && list.length > 0) as
      | readonly unknown[]
      | undefined;
    const thinking = (parts ?? []).map((part) => textOf(at(part, 'text')) ?? '').join('\n\n');
    // What is encrypted is of use only to the account that it was made for.
    if (thinking !== '') this.#open().parts.push({ type: 'thinking', thinking });
  }

  #call(item: Raw, given: Pick<DraftCall, 'arguments' | 'invalidArguments'>): void {
    const id = textOf(item.call_id) ?? textOf(item.id) ?? '';
    this.#open().parts.push({ type: 'toolCall', id, name: textOf(item.name) ?? '', ...given });
  }

  /** It ran at the provider, which tells what was searched for and not what came of it. */
  #searched(item: Raw, number: number): void {
    const id = textOf(item.id) ?? `web_search_${number}`;
    this.#open().parts.push({
      type: 'toolCall',
      id,
      name: 'web_search',
      arguments: isRaw(item.action) ? item.action : {},
    });
    const text = 'It ran at the provider; what it found is not in the transcript.';
    this.#draft.result(id, { content: [{ type: 'text', text }], isError: false, time: this.#time });
  }

  #result(id: string, output: unknown, time: number, number: number): void {
    const durationMs = this.#durations.get(id);
    const shown = this.#shown(
      isRaw(output) ? (output.content ?? output.body ?? JSON.stringify(output)) : output,
      number,
    );
    this.#draft.result(id, { ...unwrapped(shown, output), durationMs, time });
  }

  #shown(content: unknown, number: number): readonly Shown[] {
    if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
    if (!Array.isArray(content))
      return content === undefined || content === null ? [] : [{ type: 'text', text: JSON.stringify(content) }];
    return content.flatMap((part: unknown): readonly Shown[] => {
      const text = textOf(at(part, 'text'));
      if (text !== undefined) return [{ type: 'text', text }];
      const found = /^data:([\w/+.-]+);base64,(.*)$/s.exec(textOf(at(part, 'image_url')) ?? '');
      if (found !== null) return [{ type: 'image', mimeType: found[1] ?? '', data: found[2] ?? '' }];
      this.#draft.problem(`content of the kind ${String(at(part, 'type'))} was left out`, number);
      return [{ type: 'text', text: `(${String(at(part, 'type'))}, not taken over)` }];
    });
  }

  #open(): DraftReply {
    this.#reply ??= this.#draft.reply(this.#time, { parts: [], provider: this.provider, model: this.#model });
    this.#uncounted = this.#reply;
    return this.#reply;
  }

  #close(): void {
    this.#reply = undefined;
  }

  /** It comes once a reply, in one of two shapes, or in both. */
  #count(raw: unknown): void {
    if (!isRaw(raw) || this.#uncounted === undefined) return;
    const cacheRead = countOf(raw.cached_input_tokens);
    const cacheWrite = countOf(raw.cache_write_input_tokens);
    this.#uncounted.usage = usageOf({
      input: Math.max(0, countOf(raw.input_tokens) - cacheRead - cacheWrite),
      output: countOf(raw.output_tokens),
      cacheRead,
      cacheWrite,
      reasoning: countOf(raw.reasoning_output_tokens),
    });
    this.#uncounted = undefined;
    this.#close();
  }

  #compacted(payload: Raw, number: number): void {
    const summary = textOf(payload.message) ?? '';
    this.#close();
    if (summary.trim() === '') {
      this.#draft.problem('a summary is encrypted: what it stands for is taken over as it was said', number);
      return;
    }
    // Nothing before it is read as it was said: so it is the first that is kept, and says nothing.
    const id = `compacted-${number}`;
    this.#draft.add(this.#time, { type: 'custom', customType: 'codex.compacted' }, id);
    this.#draft.add(this.#time, {
      type: 'compaction',
      summary,
      firstKeptEntryId: id,
      tokensBefore: 0,
      fromHook: true,
    });
  }
}

/** Newer versions say who a message is of; before, it had to be told by its words. */
function isOwn(item: Raw, shown: readonly Shown[]): boolean {
  const kinds = at(item, 'internal_chat_message_metadata_passthrough', 'content_item_kinds');
  if (Array.isArray(kinds) && kinds.length > 0)
    return kinds.every((kind: unknown) => typeof kind === 'string' && kind !== 'unknown' && !kind.startsWith('user.'));
  return shown.length > 0 && shown.every((part) => part.type === 'text' && ownWords.test(part.text));
}

function argumentsOf(raw: unknown): Pick<DraftCall, 'arguments' | 'invalidArguments'> {
  if (isRaw(raw)) return { arguments: raw };
  const text = textOf(raw) ?? '';
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRaw(parsed)) return { arguments: parsed };
  } catch {
    // It is kept as it came.
  }
  return text.trim() === '' ? { arguments: {} } : { arguments: {}, invalidArguments: text };
}

/** Older versions put the output and the exit code into JSON; newer ones say it in words before the output. */
function unwrapped(
  shown: readonly Shown[],
  output: unknown,
): { readonly content: readonly Shown[]; readonly isError: boolean } {
  const [first] = shown;
  const failed = at(output, 'success') === false;
  if (shown.length !== 1 || first?.type !== 'text') return { content: shown, isError: failed };
  const exit = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(first.text.slice(0, 500))?.[1];
  try {
    const parsed: unknown = first.text.startsWith('{"output"') ? JSON.parse(first.text) : undefined;
    const inner = textOf(at(parsed, 'output'));
    const code = at(parsed, 'metadata', 'exit_code');
    if (inner !== undefined)
      return { content: [{ type: 'text', text: inner }], isError: failed || (typeof code === 'number' && code !== 0) };
  } catch {
    // It only looks like that.
  }
  return { content: shown, isError: failed || (exit !== undefined && exit !== '0') };
}
