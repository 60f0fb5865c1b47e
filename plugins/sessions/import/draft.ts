import type {
  AssistantMessage,
  ImageContent,
  ImportedEntry,
  ImportedSession,
  NewEntry,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
  Usage,
} from 'kern/contracts';

/** What a reply of another program says, part by part; a call without our shape yet. */
export type ReplyPart = TextContent | ThinkingContent | DraftCall;

export interface DraftCall {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly invalidArguments?: string;
}

export interface DraftReply {
  parts: ReplyPart[];
  readonly provider: string;
  readonly model: string;
  usage?: Usage | undefined;
  stopReason?: StopReason | undefined;
  errorMessage?: string | undefined;
  responseId?: string | undefined;
}

export interface DraftResult {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly isError: boolean;
  readonly durationMs?: number | undefined;
  readonly time: number;
}

type Step =
  | { readonly time: number; readonly id?: string | undefined; readonly entry: NewEntry }
  | { readonly time: number; readonly id?: string | undefined; readonly reply: DraftReply };

/**
 * A conversation that is being taken over. Results may come in any order: each stands right behind the reply that
 * called, and a call that has none gets one that says so, so that any model can go on from here.
 */
export class Draft {
  #steps: Step[] = [];
  readonly #results = new Map<string, DraftResult[]>();
  readonly #problems = new Map<string, number[]>();
  #name: string | undefined;
  readonly #api: string;

  /** `api`: what the replies are said to have come by. */
  constructor(api: string) {
    this.#api = api;
  }

  get length(): number {
    return this.#steps.length;
  }

  add(time: number, entry: NewEntry, id?: string): void {
    this.#steps.push({ time, id, entry });
  }

  user(time: number, content: readonly (TextContent | ImageContent)[], id?: string): void {
    if (content.length > 0)
      this.add(time, { type: 'message', message: { role: 'user', content, timestamp: time } }, id);
  }

  /** Answers with the reply, to which parts may still be added. */
  reply(time: number, reply: DraftReply, id?: string): DraftReply {
    this.#steps.push({ time, id, reply });
    return reply;
  }

  result(callId: string, result: DraftResult): void {
    const id = safeId(callId);
    const known = this.#results.get(id);
    if (known === undefined) this.#results.set(id, [result]);
    else known.push(result);
  }

  set name(name: string | undefined) {
    if (name !== undefined && name.trim() !== '') this.#name = name.trim();
  }

  /** Takes back the latest questions of a person, with all that followed. */
  rollBack(questions: number): void {
    let left = questions;
    while (left > 0 && this.#steps.length > 0) {
      const step = this.#steps.pop();
      if (step === undefined) return;
      if ('reply' in step) {
        for (const part of step.reply.parts) if (part.type === 'toolCall') this.#results.get(safeId(part.id))?.pop();
      } else if (step.entry.type === 'message' && step.entry.message.role === 'user') left -= 1;
    }
  }

  /** Something could not be taken over; told once with all its lines. */
  problem(what: string, line: number): void {
    const lines = this.#problems.get(what);
    if (lines === undefined) this.#problems.set(what, [line]);
    else lines.push(line);
  }

  finished(about: { readonly id: string; readonly cwd: string; readonly time: number | undefined }): ImportedSession {
    const entries: ImportedEntry[] = [];
    const start = about.time ?? this.#steps[0]?.time ?? 0;
    let model: string | undefined;
    let time = start;
    const put = (entry: NewEntry, id?: string): void => {
      entries.push({ timestamp: new Date(time).toISOString(), entry, ...(id === undefined ? {} : { id }) });
    };
    for (const step of this.#steps) {
      // A clock that was set back must not turn the order around.
      time = Math.max(time, step.time);
      if ('entry' in step) {
        put(step.entry, step.id);
        continue;
      }
      const { reply } = step;
      const name = `${reply.provider}/${reply.model}`;
      if (reply.model !== '' && name !== model) {
        model = name;
        put({ type: 'model_change', provider: reply.provider, modelId: reply.model });
      }
      const message = this.#message(reply, time);
      put({ type: 'message', message }, step.id);
      for (const part of message.content) {
        if (part.type !== 'toolCall') continue;
        const result = this.#resultOf(part.id, part.name, time);
        time = Math.max(time, result.timestamp);
        put({ type: 'message', message: result });
      }
    }
    const lost = [...this.#results.values()].flat().length;
    if (lost > 0) this.problem(`${lost} results of calls that are not in the transcript were left out`, 0);
    if (this.#name !== undefined) put({ type: 'session_info', name: this.#name });
    return {
      id: about.id,
      cwd: about.cwd,
      timestamp: new Date(start).toISOString(),
      ...(this.#name === undefined ? {} : { name: this.#name }),
      entries,
      warnings: Array.from(this.#problems, ([what, lines]) => warning(what, lines)),
    };
  }

  #message(reply: DraftReply, timestamp: number): AssistantMessage {
    const { provider, model, usage, errorMessage, responseId } = reply;
    const content = reply.parts.map((part) => (part.type === 'toolCall' ? { ...part, id: safeId(part.id) } : part));
    const calls = content.some(({ type }) => type === 'toolCall');
    return {
      role: 'assistant',
      content,
      api: this.#api,
      provider,
      model,
      usage: usage ?? noUsage,
      stopReason: calls ? 'toolUse' : (reply.stopReason ?? 'stop'),
      ...(errorMessage === undefined ? {} : { errorMessage }),
      ...(responseId === undefined ? {} : { responseId }),
      timestamp,
    };
  }

  #resultOf(callId: string, toolName: string, calledAt: number): ToolResultMessage {
    const given = this.#results.get(callId)?.shift();
    const message = { role: 'toolResult' as const, toolCallId: callId, toolName };
    if (given === undefined) {
      const text = 'The transcript holds no result of this call.';
      return { ...message, content: [{ type: 'text', text }], isError: true, timestamp: calledAt };
    }
    const { content, isError, durationMs, time } = given;
    return {
      ...message,
      content,
      isError,
      ...(durationMs === undefined ? {} : { durationMs }),
      timestamp: Math.max(calledAt, time),
    };
  }
}

/** What every wire takes as the id of a call. */
function safeId(id: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-64) || 'call';
}

/** Nothing was counted, and no price is known. */
export const noUsage: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  totalTokens: 0,
  cost: null,
};

export function usageOf(counts: {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}): Usage {
  const { input, output, cacheRead, cacheWrite } = counts;
  return { ...counts, totalTokens: input + output + cacheRead + cacheWrite, cost: null };
}

function warning(what: string, lines: readonly number[]): string {
  const known = lines.filter((line) => line > 0);
  if (known.length === 0) return what;
  const shown = known.slice(0, 5).join(', ');
  const more = known.length > 5 ? ` and ${known.length - 5} more` : '';
  return `${known.length === 1 ? 'line' : 'lines'} ${shown}${more}: ${what}`;
}
