/** What replies came to. */
export interface ReplySum {
  replies: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  /** US dollars of what has a price. */
  cost: number;
  /** Replies whose price nobody knows. */
  unknownCosts: number;
}

/** What calls of a tool came to. `ms` of those whose time is known: `timed`. */
export interface ToolSum {
  calls: number;
  errors: number;
  ms: number;
  timed: number;
}

export interface DayReplies extends ReplySum {
  readonly day: string;
  readonly model: string;
}

export interface DayTools extends ToolSum {
  readonly day: string;
  readonly tool: string;
}

/** All that is known of a session file: small, however long the file. */
export interface SessionTally {
  readonly cwd: string;
  readonly replies: readonly DayReplies[];
  readonly tools: readonly DayTools[];
  /** Questions of people by day. */
  readonly questions: Readonly<Record<string, number>>;
}

export const noReplies = (): ReplySum => ({
  replies: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  cost: 0,
  unknownCosts: 0,
});

export const noCalls = (): ToolSum => ({ calls: 0, errors: 0, ms: 0, timed: 0 });

const replyKeys = Object.keys(noReplies()) as readonly (keyof ReplySum)[];
const callKeys = Object.keys(noCalls()) as readonly (keyof ToolSum)[];

export function addReplies(sum: ReplySum, more: ReplySum): void {
  for (const key of replyKeys) sum[key] += more[key];
}

export function addCalls(sum: ToolSum, more: ToolSum): void {
  for (const key of callKeys) sum[key] += more[key];
}

/** `2026-11-30`, as the clock of this machine says. */
export function dayOf(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
