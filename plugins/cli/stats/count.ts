import {
  addCalls,
  addReplies,
  type DayReplies,
  type DayTools,
  dayOf,
  noCalls,
  noReplies,
  type SessionTally,
} from './tally.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Longer lines hold no count that would be missed. */
const longestLine = 16 * 1024 * 1024;

/** Lines that count say so in one of these ways; the others are not parsed. */
const counting = ['"session"', '"assistant"', '"toolResult"', '"user"', '"usage"', '"compaction"'].map((text) =>
  Buffer.from(text),
);

/** Counts a session file while it is read: of it no more than a line is in memory. */
export async function countSession(chunks: AsyncIterable<Uint8Array>): Promise<SessionTally> {
  const counter = new Counter();
  let held: Buffer[] = [];
  let size = 0;
  const take = (): void => {
    if (size <= longestLine) counter.line(held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held));
    held = [];
    size = 0;
  };
  const hold = (bytes: Buffer): void => {
    size += bytes.length;
    if (size <= longestLine) held.push(bytes);
    else held = [];
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
      hold(bytes.subarray(from, end));
      take();
      from = end + 1;
    }
    if (from < bytes.length) hold(bytes.subarray(from));
  }
  take();
  return counter.tally();
}

class Counter {
  #cwd = '';
  /** What is older was copied from the session that this one was forked from. */
  #since = 0;
  readonly #replies = new Map<string, DayReplies>();
  readonly #tools = new Map<string, DayTools>();
  readonly #questions = new Map<string, number>();

  line(bytes: Buffer): void {
    if (!counting.some((text) => bytes.includes(text))) return;
    const raw = parsed(bytes);
    if (raw === undefined) return;
    if (raw.type === 'session') this.#header(raw);
    const time = Date.parse(String(raw.timestamp));
    if (Number.isNaN(time) || time < this.#since) return;
    // pi notes what was not said in the conversation, such as a summary, in entries of their own.
    if (raw.type === 'usage') this.#reply(raw, time);
    if (raw.type === 'compaction') this.#summary(raw, time);
    if (raw.type !== 'message' || !isRaw(raw.message)) return;
    const { message } = raw;
    if (message.role === 'user') this.#questions.set(dayOf(time), (this.#questions.get(dayOf(time)) ?? 0) + 1);
    else if (message.role === 'assistant') this.#reply(message, time);
    else if (message.role === 'toolResult') this.#call(message, time);
  }

  tally(): SessionTally {
    return {
      cwd: this.#cwd,
      replies: [...this.#replies.values()],
      tools: [...this.#tools.values()],
      questions: Object.fromEntries(this.#questions),
    };
  }

  #header({ cwd, timestamp, parentSession }: Raw): void {
    this.#cwd = typeof cwd === 'string' ? cwd : '';
    const began = Date.parse(String(timestamp));
    this.#since = typeof parentSession === 'string' && !Number.isNaN(began) ? began : 0;
  }

  #reply({ usage, provider, model, stopReason }: Raw, time: number): void {
    if (!isRaw(usage)) return;
    const name = [provider, model].filter((part) => typeof part === 'string' && part !== '').join('/');
    const cost = isRaw(usage.cost) && usage.costUnknown !== true ? usage.cost.total : undefined;
    const isKnown = typeof cost === 'number' && Number.isFinite(cost);
    const more = {
      // A try that failed was no reply, whatever it took.
      replies: stopReason === 'error' ? 0 : 1,
      input: countOf(usage.input),
      output: countOf(usage.output),
      cacheRead: countOf(usage.cacheRead),
      cacheWrite: countOf(usage.cacheWrite),
      reasoning: countOf(usage.reasoning),
      cost: isKnown ? cost : 0,
      unknownCosts: isKnown ? 0 : 1,
    };
    // A request that failed before anything was counted costs nothing that could be unknown.
    if (more.input + more.output + more.cacheRead + more.cacheWrite === 0) {
      if (more.replies === 0) return;
      more.unknownCosts = 0;
    }
    const day = dayOf(time);
    const key = `${day} ${name}`;
    const sum = this.#replies.get(key) ?? { day, model: name === '' ? 'unknown' : name, ...noReplies() };
    this.#replies.set(key, sum);
    addReplies(sum, more);
  }

  /** What kern's own summaries took. Who wrote them may be another model than that of the conversation. */
  #summary({ details }: Raw, time: number): void {
    const kept = isRaw(details) ? details.kern : undefined;
    if (isRaw(kept)) this.#reply({ usage: kept.usage, model: '(summaries)' }, time);
  }

  #call({ toolName, isError, durationMs }: Raw, time: number): void {
    const day = dayOf(time);
    const tool = typeof toolName === 'string' && toolName !== '' ? toolName : 'unknown';
    const key = `${day} ${tool}`;
    const sum = this.#tools.get(key) ?? { day, tool, ...noCalls() };
    const isTimed = typeof durationMs === 'number' && Number.isFinite(durationMs);
    this.#tools.set(key, sum);
    addCalls(sum, { calls: 1, errors: isError === true ? 1 : 0, ms: isTimed ? durationMs : 0, timed: isTimed ? 1 : 0 });
  }
}

function parsed(bytes: Buffer): Raw | undefined {
  try {
    const raw: unknown = JSON.parse(bytes.toString('utf8'));
    return isRaw(raw) ? raw : undefined;
  } catch {
    return undefined; // `kern sessions doctor` tells
  }
}

const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

const countOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
