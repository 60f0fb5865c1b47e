import { resolve } from 'node:path';
import { type AgentEvent, type AgentSession, type Rule, rules } from 'kern/contracts';
import { codeOf, type Handle } from 'kern/plugin';
import { whenTold } from './applies.ts';
import { ruleTriggered } from './contract.ts';
import { shownPath } from './place.ts';
import { matchesOf, type Part, type Watch, watchOf } from './stream-condition.ts';
import type { ToldTexts } from './told-texts.ts';
import { isAmong, warmUp } from './touched-files.ts';

/** Of which type the entries are that say which rules a session was told because they matched; read back as `ttsr_injection`. */
const injectionType = 'kern.ttsr_injection';

/** Follows the replies of a session while rules watch them. */
export class StreamRules {
  readonly #session: AgentSession;
  readonly #texts: ToldTexts;
  readonly #signal: AbortSignal;
  readonly #following: Handle;
  /** By part of the reply that is being written. */
  #parts = new Map<number, Part>();
  #watches: readonly Watch[] = [];
  readonly #told: Set<string>;
  /** Read when a reply begins: what matches is to be stopped at once. */
  readonly #ready = new Map<Rule, string>();

  constructor(session: AgentSession, texts: ToldTexts, signal: AbortSignal) {
    this.#session = session;
    this.#texts = texts;
    this.#signal = signal;
    this.#told = new Set(toldRules(session));
    const { dispose } = session.subscribe((event) => this.#hear(event));
    this.#following = { dispose, [Symbol.dispose]: dispose };
  }

  dispose(): void {
    this.#following.dispose();
  }

  /** Reads what may have to be told before the reply begins: a match stops it at once, and a short reply is over soon. */
  async ready(): Promise<void> {
    await Promise.all(this.#watching().map((rule) => (this.#ready.has(rule) ? undefined : this.#prepare(rule))));
  }

  #hear(event: AgentEvent): void {
    if (event.type === 'message_start') {
      this.#parts = new Map();
      if (event.message.role === 'assistant') this.#arm();
    }
    if (event.type !== 'message_update' || this.#watches.length === 0) return;
    const at = this.#grown(event.assistantMessageEvent);
    if (at === undefined) return;
    const part = this.#parts.get(at);
    if (part !== undefined) this.#look(part);
  }

  /** The rules as they are when a reply begins, without those that were told. */
  #arm(): void {
    this.#watches = this.#watching().map((rule) =>
      watchOf(rule, (why) => this.#texts.say(rule.path, why), this.#texts.slow),
    );
    if (this.#watches.length > 0) warmUp();
    for (const { rule } of this.#watches) void this.#prepare(rule);
  }

  #watching(): readonly Rule[] {
    const all = this.#session.view.use(rules).items();
    return all.filter((rule) => whenTold(rule) === 'match' && !this.#told.has(rule.name));
  }

  /** Adds what came; answers with the part that it came to. */
  #grown(event: Extract<AgentEvent, { type: 'message_update' }>['assistantMessageEvent']): number | undefined {
    switch (event.type) {
      case 'toolcall_start':
        this.#parts.set(event.contentIndex, { kind: 'tool', tool: event.toolName, written: '' });
        return undefined;
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta': {
        const kind = event.type === 'text_delta' ? 'text' : event.type === 'thinking_delta' ? 'thinking' : 'tool';
        const part = this.#parts.get(event.contentIndex) ?? { kind, written: '' };
        this.#parts.set(
          event.contentIndex,
          withPath({ ...part, written: part.written + event.delta, looked: part.written.length }),
        );
        return event.contentIndex;
      }
      case 'toolcall_end': {
        const { name: tool, arguments: args } = event.toolCall;
        // Escapes are gone: what a condition looks for may hold a quote.
        const written = Object.values(args)
          .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
          .join('\n');
        const path = typeof args.path === 'string' ? { path: args.path } : {};
        this.#parts.set(event.contentIndex, { kind: 'tool', tool, written, ...path });
        return event.contentIndex;
      }
      default:
        return undefined;
    }
  }

  #look(part: Part): void {
    const { where } = this.#session.view;
    const isFile = (path: string, globs: readonly string[]): boolean => isAmong(resolve(where.cwd, path), globs, where);
    for (const { watch, match } of matchesOf(this.#watches, part, isFile)) {
      // At once, so that what follows of the reply does not match again.
      this.#watches = this.#watches.filter((one) => one !== watch);
      void this.#tell(watch.rule, match);
    }
  }

  async #prepare(rule: Rule): Promise<void> {
    const text = await this.#texts.read(rule, this.#signal);
    if (text !== undefined) this.#ready.set(rule, text);
  }

  async #tell(rule: Rule, match: string): Promise<void> {
    const session = this.#session;
    this.#told.add(rule.name);
    if (!this.#ready.has(rule)) await this.#prepare(rule);
    const text = this.#ready.get(rule);
    if (text === undefined) return;
    const { name, path } = rule;
    const shown = shownPath(path, session.view.where);
    const interruption = `<system-interrupt reason="rule" rule="${name}" path="${shown}">\nWhat you were writing goes against a rule, so it was stopped. Keep to the rule, and go on with the task.\n\n${text}\n</system-interrupt>`;
    const details = { rule: name, path, match };
    try {
      session.interrupt({
        text: interruption,
        custom: { customType: 'kern.rule', display: true, details },
        by: `the rule ${name}`,
      });
      session.appendEntry(injectionType, { injectedRules: [name] });
    } catch (error) {
      // The session was left while the rule was read: nobody writes any more.
      if (codeOf(error) !== 'stale_session') throw error;
      return;
    }
    session.view.call(ruleTriggered, { sessionId: session.id, rule: name, path, match });
  }
}

/** The file of a call stands in its arguments before most of what is written to it. */
function withPath(part: Part): Part {
  if (part.kind !== 'tool' || part.path !== undefined) return part;
  const path = /"(?:path|file_path)"\s*:\s*"([^"\\]+)"/.exec(part.written)?.[1];
  return path === undefined ? part : { ...part, path };
}

/** Those that a session was told before it was resumed, in whatever branch. */
function toldRules(session: AgentSession): readonly string[] {
  return session.nodes().flatMap(({ id, type, customType }) => {
    const isOne = type === 'ttsr_injection' || customType === injectionType;
    const entry = isOne ? session.entry(id) : undefined;
    return entry?.type === 'ttsr_injection' && 'injectedRules' in entry
      ? (entry.injectedRules as readonly string[])
      : [];
  });
}
