import {
  type PermissionQuestion,
  permissions,
  type ToolCallInput,
  type ToolResult,
  type ToolVeto,
} from 'kern/contracts';
import type { Said } from './asked.ts';
import type { Desk } from './desk.ts';
import { asTyped } from './input.ts';
import { type Merged, merged } from './merged.ts';
import { sceneOf, sessionBy, sessionIdOf } from './scenes.ts';

type Args = Readonly<Record<string, unknown>>;

interface Judged extends Merged {
  /** What the judgement is about: with the changes that were made then. */
  readonly args: Args;
}

const asText = (value: unknown): string => JSON.stringify(value) ?? '';

/** Hooks around tool calls: asked on the arguments as all others leave them, before `tool.call`, and again where those are others by then. */
export class Calls {
  readonly #desk: Desk;
  readonly #judged = new Map<string, Judged>();
  /** For the model, with the result of the call. */
  readonly #contexts = new Map<string, readonly string[]>();
  /** By the arguments that the keeper asks about: a yes of the person's own hooks, or of the person. */
  readonly #allowed = new WeakMap<object, string>();
  /** A person has to be asked, whatever others allow. */
  readonly #toAsk = new WeakSet<object>();
  readonly #began = new Map<string, number>();
  /** By the same arguments: which call they are of. */
  readonly #ids = new WeakMap<object, string>();
  /** Runs that are to end, by session, and why. */
  readonly #stopped = new Map<string, string>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Before the arguments are final: what they are changed to, and by whom. */
  async input(call: {
    readonly tool: string;
    readonly callId: string;
    readonly args: Args;
  }): Promise<{ readonly args: Args; readonly by?: string } | undefined> {
    const judged = await this.#judge(call);
    const args = this.#withExports(call.tool, judged.args);
    this.#judged.set(this.#key(call.callId), { ...judged, args });
    if (args === call.args) return undefined;
    return { args, ...(judged.change === undefined ? {} : { by: `the hook ${judged.change.by}` }) };
  }

  /** With what hooks have the shell export; what the call says itself counts more. */
  #withExports(tool: string, args: Args): Args {
    const variables = tool === 'bash' ? this.#desk.exported(sessionIdOf(this.#desk.ctx) ?? '') : undefined;
    if (variables === undefined) return args;
    return { ...args, env: { ...variables, ...(typeof args.env === 'object' ? args.env : {}) } };
  }

  /** On the final arguments: refuses, or lets others judge. */
  async call(call: ToolCallInput): Promise<ToolVeto | undefined> {
    this.#ids.set(call.args, call.callId);
    const before = this.#judged.get(this.#key(call.callId));
    this.#judged.delete(this.#key(call.callId));
    let judged = before;
    if (judged === undefined || !isStill(judged.args, call.args)) {
      judged = await this.#judge(call);
      if (judged.change !== undefined && judged.decision !== 'deny' && !isStill(judged.args, call.args))
        return { block: `the hook ${judged.change.by} changes the arguments when it is too late` };
    }
    const { decision, reason, stop, contexts } = judged;
    if (stop !== undefined) return { block: stop, terminate: true };
    if (decision === 'deny') return { block: [reason, ...contexts].join('\n') };
    if (contexts.length > 0) this.#contexts.set(this.#key(call.callId), contexts);
    this.#began.set(this.#key(call.callId), performance.now());
    if (decision === 'allow') this.#allowed.set(call.args, reason);
    return decision === 'ask' ? this.#askPerson(call, reason) : undefined;
  }

  /** Where the keeper would let it pass without a word, the person is asked here. */
  async #askPerson(call: ToolCallInput, reason: string): Promise<ToolVeto | undefined> {
    const { ctx } = this.#desk;
    const { tool, args, effects, where } = call;
    const { verdict } = ctx.service(permissions).judge({ tool, args, effects, cwd: where.cwd });
    if (verdict === 'deny') return undefined; // refused anyway
    if (verdict === 'ask' && call.by === 'model') {
      this.#toAsk.add(args);
      return undefined;
    }
    const { ui } = ctx;
    if (!ui.available)
      return {
        block: `${reason}: a person has to be asked, and nobody can be asked here. Run it where somebody can answer, or change the hook.`,
      };
    await this.notify(tool);
    const yes = await ctx.asking(ui.confirm(`Allow ${tool}?`, reason));
    return yes === true ? undefined : { block: `the person said no: ${reason}` };
  }

  /** What hooks answer instead of the person. */
  async permission(
    question: PermissionQuestion & { readonly reasons: readonly string[] },
  ): Promise<{ readonly verdict: 'allow' | 'deny'; readonly reason: string } | undefined> {
    const { tool, args, reasons } = question;
    const said = await this.#desk.ask({
      event: 'PermissionRequest',
      call: { tool, callId: this.#ids.get(args) ?? '', args },
      fields: { reasons },
    });
    const { decision, reason, change } = merged(said, false);
    if (decision === 'deny') return { verdict: 'deny', reason };
    // A yes to other arguments is none to these.
    if (change !== undefined)
      this.#desk.tell(
        `the hook ${change.by} changes arguments at PermissionRequest, which is too late: use PreToolUse`,
      );
    const allowed = decision === 'allow' && change === undefined ? reason : this.#allowed.get(args);
    if (allowed !== undefined && !this.#toAsk.has(args)) return { verdict: 'allow', reason: allowed };
    if (this.#desk.ctx.ui.available) await this.notify(tool);
    return undefined;
  }

  async notify(tool: string): Promise<void> {
    this.#desk.begin({
      event: 'Notification',
      matched: 'permission_prompt',
      fields: {
        message: `kern needs permission to use ${tool}`,
        title: 'kern',
        notification_type: 'permission_prompt',
      },
    });
  }

  /** After a call: what its result is then. */
  async result(call: {
    readonly tool: string;
    readonly callId: string;
    readonly args: Args;
    readonly result: ToolResult;
  }): Promise<ToolResult | undefined> {
    const { callId, result } = call;
    const key = this.#key(callId);
    const before = this.#contexts.get(key) ?? [];
    this.#contexts.delete(key);
    const sessionId = sessionIdOf(this.#desk.ctx) ?? '';
    const said = await this.#desk.ask({
      event: result.isError === true ? 'PostToolUseFailure' : 'PostToolUse',
      call,
      // From where it was asked about: what it took a person to answer counts.
      fields: { duration_ms: Math.round(performance.now() - (this.#began.get(key) ?? performance.now())) },
    });
    const { decision, reason, contexts, output, stop } = merged(said, false);
    if (stop !== undefined) this.#stopped.set(sessionId, stop);
    const ending = this.#stopped.get(sessionId);
    const texts = [...before, ...(decision === 'deny' ? [reason] : []), ...contexts];
    if (texts.length === 0 && output === undefined && ending === undefined) return undefined;
    const content = output === undefined ? result.content : [{ type: 'text' as const, text: output }];
    return {
      ...result,
      content: [...content, ...texts.map((text) => ({ type: 'text' as const, text: `[hook] ${text}` }))],
      ...(ending === undefined ? {} : { terminate: true }),
    };
  }

  /** What was remembered for a call that is over. */
  ended(callId: string): void {
    this.#judged.delete(this.#key(callId));
    this.#contexts.delete(this.#key(callId));
    this.#began.delete(this.#key(callId));
  }

  /** A batch is over: where only a part of it ended the run, the run is ended now. */
  turnEnded(sessionId: string, goesOn: boolean): void {
    const stop = this.#stopped.get(sessionId);
    this.#stopped.delete(sessionId);
    if (stop === undefined) return;
    this.#desk.tell(`a hook ended the run: ${stop}`);
    if (goesOn) sessionBy(this.#desk.ctx, sessionId)?.abort();
  }

  async #judge({
    tool,
    callId,
    args,
  }: {
    readonly tool: string;
    readonly callId: string;
    readonly args: Args;
  }): Promise<Judged> {
    const said: readonly Said[] = await this.#desk.ask({ event: 'PreToolUse', call: { tool, callId, args } });
    const result = merged(said, true);
    for (const name of result.unheard)
      this.#desk.tell(`the hook ${name} changes arguments that ${result.change?.by} changes too: it is not heard`);
    const { change } = result;
    if (change === undefined) return { ...result, args };
    const input = asTyped(args, change.input, tool, sceneOf(this.#desk.ctx).cwd);
    // Gemini CLI lays what a hook says over what was there, the others put it in its place.
    return { ...result, args: change.dialect === 'gemini' ? { ...args, ...input } : input };
  }

  readonly #key = (callId: string): string => `${sessionIdOf(this.#desk.ctx) ?? ''}\0${callId}`;
}

/** Nothing of it has become another thing; what was added are defaults. */
function isStill(judged: Args, final: Args): boolean {
  return Object.entries(judged).every(([key, value]) => value === undefined || asText(final[key]) === asText(value));
}
