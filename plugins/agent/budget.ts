import type { AgentEvent, AssistantMessage, Budget, Model, RunLimits } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { AgentSettings } from './settings.ts';

/** What a session may use, and what it has used. Time is that of its runs. */
export class SessionBudget implements Budget {
  readonly #limits: () => RunLimits;
  readonly #parent: Budget | undefined;
  readonly #now: () => number;
  #cost = 0;
  #turns = 0;
  /** Tokens of the last reply that told: what the next one begins with. */
  #read = 0;
  #timeMs = 0;
  #runsSince: number | undefined;

  /** `limits` are asked for each time; `parent` is paid from, too. */
  constructor(limits: () => RunLimits, parent: Budget | undefined, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#parent = parent;
    this.#now = now;
  }

  get limits(): RunLimits {
    return this.#limits();
  }

  get used(): Budget['used'] {
    const running = this.#runsSince === undefined ? 0 : this.#now() - this.#runsSince;
    return { cost: this.#cost, turns: this.#turns, timeMs: Math.round(this.#timeMs + running) };
  }

  pay(cost: number): void {
    this.#cost += cost;
    this.#parent?.pay(cost);
  }

  /** What an event says was paid: for a reply, or for a summary, which is no message of its own. `cost`: of the model now. */
  heard(event: AgentEvent, cost: Model['cost']): void {
    if (event.type === 'entry_appended') this.pay(summaryCost(event.entry));
    if (event.type !== 'message_end' || event.message.role !== 'assistant') return;
    const { usage } = event.message;
    this.pay(usage.totalTokens > 0 ? (usage.cost?.total ?? 0) : brokenCost(event.message, cost, this.#read));
    if (usage.totalTokens > 0) this.#read = usage.totalTokens;
  }

  turnBegins(): void {
    this.#turns += 1;
  }

  timeLeftMs(): number | undefined {
    const { maxTimeMs } = this.limits;
    const own = maxTimeMs === undefined ? undefined : Math.max(0, maxTimeMs - this.used.timeMs);
    const above = this.#parent?.timeLeftMs();
    return own === undefined || above === undefined ? (own ?? above) : Math.min(own, above);
  }

  over(model: Pick<Model, 'id' | 'cost'>): ReturnType<Budget['over']> {
    const { maxCost, maxTurns } = this.limits;
    const { cost, turns } = this.used;
    if (maxTurns !== undefined && turns >= maxTurns)
      return limitError('turn_limit', `the limit of ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}`, '--max-turns');
    if (maxCost !== undefined && cost >= maxCost)
      return limitError('cost_limit', `the limit of $${maxCost} ($${cost.toFixed(4)} was paid)`, '--max-cost');
    if (maxCost !== undefined && model.cost === null) return unknownPrice(model.id);
    if (this.timeLeftMs() === 0) return this.timeError();
    return this.#parent?.over(model);
  }

  timeError(): KernError {
    const { maxTimeMs } = this.limits;
    const limit = maxTimeMs === undefined ? 'the limit of time' : `the limit of ${spanOf(maxTimeMs)}`;
    return limitError('time_limit', limit, '--max-time');
  }

  /** The clock of a run: it calls `ended` when the time is used up. */
  run(ended: () => void): RunClock {
    this.#runsSince = this.#now();
    const left = this.timeLeftMs();
    const clock: RunClock = {
      isOver: false,
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        if (this.#runsSince !== undefined) this.#timeMs += this.#now() - this.#runsSince;
        this.#runsSince = undefined;
      },
    };
    const end = (): void => {
      clock.isOver = true;
      ended();
    };
    const timer = left === undefined ? undefined : setTimeout(end, Math.min(left, longestTimer));
    return clock;
  }
}

export interface RunClock extends Disposable {
  /** The run was stopped by it. */
  isOver: boolean;
}

/** What setTimeout takes, in ms. */
const longestTimer = 2 ** 31 - 1;

/** A limit of money means nothing where nobody knows the price. */
export function unknownPrice(model: string): KernError {
  return new KernError('price_unknown', `the price of ${model} is not known, so a limit of cost cannot be kept`, {
    hint: 'give its price in models.yml (0 where it costs nothing), use another model, or limit turns or time instead: --max-turns, --max-time',
  });
}

function limitError(code: string, limit: string, option: string): KernError {
  return new KernError(code, `stopped: ${limit} is used up`, {
    hint: `what was done so far is kept; give more with ${option}, and go on with \`kern -c\``,
  });
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 100) / 10;
  return seconds < 120 || seconds % 60 !== 0 ? `${seconds} s` : `${seconds / 60} min`;
}

/** The limits that were asked for, and the settings where nothing was. */
export function limitsOf(
  asked: RunLimits | undefined,
  { maxCost, maxTurns, maxSeconds }: AgentSettings['budget'],
): RunLimits {
  const maxTimeMs = maxSeconds === undefined ? undefined : maxSeconds * 1_000;
  return {
    maxCost: asked?.maxCost ?? maxCost,
    maxTurns: asked?.maxTurns ?? maxTurns,
    maxTimeMs: asked?.maxTimeMs ?? maxTimeMs,
  };
}

/** What a reply that broke off took, as far as it can be guessed: nobody says it, and it is paid for all the same. */
function brokenCost({ content, stopReason }: AssistantMessage, cost: Model['cost'], read: number): number {
  const isBroken = stopReason === 'error' || stopReason === 'aborted';
  if (!isBroken || cost === null || content.length === 0) return 0;
  const written = JSON.stringify(content).length / charactersOfToken;
  return (read * (cost.cacheRead > 0 ? cost.cacheRead : cost.input) + written * cost.output) / 1_000_000;
}

const charactersOfToken = 4;

function summaryCost(entry: unknown): number {
  const { type, details } = mapOf(entry);
  if (type !== 'compaction' && type !== 'branch_summary') return 0;
  const { total } = mapOf(mapOf(mapOf(mapOf(details).kern).usage).cost);
  return typeof total === 'number' && Number.isFinite(total) ? total : 0;
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
