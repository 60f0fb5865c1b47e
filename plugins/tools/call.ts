import {
  codeOf,
  didYouMean,
  type Entry,
  type KernError,
  messageOf,
  nearNames,
  parseLater,
  processes,
  type View,
} from 'kern/plugin';
import { problemsOf } from './check.ts';
import { coerce } from './coerce.ts';
import {
  type AnyTool,
  artifactStore,
  type Effect,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  toolUpdate,
} from './contract.ts';
import { inputSchemaOf } from './face.ts';
import { problemsBySchema } from './foreign-schema.ts';
import { isRecord, shapeOf } from './json-schema.ts';
import { withOutputNotice } from './output-meta.ts';
import { asResult, errorResult, limitedError, writableResult } from './result.ts';

export interface ToolCallRequest {
  readonly name: string;
  /** As they came. */
  readonly args: unknown;
  readonly callId: string;
  readonly sessionId: string;
  readonly by: 'model' | 'person';
  readonly signal: AbortSignal;
  /** Where long outputs go, if not beside the session or, without one, to a folder that goes with the run. */
  readonly artifacts?: (() => Promise<string>) | undefined;
}

/**
 * A call that may run, or the result that says why not. `unknown`: no such tool. `invalid`: its arguments. `blocked`:
 * refused by a tap of `tool.call`. `failed`: the tool threw before it ran. `aborted`: before it ran.
 */
export type PreparedToolCall =
  | {
      readonly state: 'ready';
      readonly args: Readonly<Record<string, unknown>>;
      readonly effects: readonly Effect[];
      /** Runs it, once. Never rejects: what goes wrong is an error result. */
      execute(onUpdate?: (partial: ToolResult) => void): Promise<ToolResult>;
    }
  | {
      readonly state: 'refused';
      readonly reason: 'unknown' | 'invalid' | 'blocked' | 'failed' | 'aborted';
      readonly result: ToolResult;
    };

type Refused = Extract<PreparedToolCall, { state: 'refused' }>;
type Arguments = Readonly<Record<string, unknown>>;
/** A tool whose arguments have been validated. */
type CheckedTool = Tool<Arguments, unknown>;

/** How long an aborted tool may take to end by itself. */
const abortGraceMs = 5_000;

/**
 * From a call as it came to one that may run: find the tool, bend and validate its arguments, let `tool.input` change
 * them, validate again, ask `tool.call`. The view has to be the one of the turn: tool and taps come from it.
 */
export async function prepareToolCall(view: View, request: ToolCallRequest): Promise<PreparedToolCall> {
  if (view.taps(toolStart) > 0)
    view.call(toolStart, { toolCallId: request.callId, toolName: request.name, args: request.args });
  const prepared = await prepare(view, request);
  if (prepared.state === 'refused') ended(view, request, prepared.result, 0);
  return prepared;
}

async function prepare(view: View, request: ToolCallRequest): Promise<PreparedToolCall> {
  const { name, callId, signal } = request;
  if (signal.aborted) return refused('aborted', `${name} was not run: aborted.`);
  const entry = view.use(tools).get(name);
  if (entry === undefined) return refused('unknown', noSuchTool(view, name));
  try {
    // Of a plugin that slept, the tool that answers is another one than the entry's: it woke for this.
    const { tool, came } = await view.run(entry, async (tool) => ({
      tool,
      came: tool.prepareArguments === undefined ? request.args : await tool.prepareArguments(request.args),
    }));
    const first = await validated(tool, came ?? {});
    if (!first.ok) return refused('invalid', badArguments(entry, first.issues));
    const last = view.taps(toolInput) === 0 ? first : await throughInput(view, tool, callId, first.input);
    if (!last.ok)
      return refused(
        'invalid',
        badArguments(entry, last.issues, ` (${last.by ?? 'a plugin'} changed them through tool.input)`),
      );
    const { args } = last;
    const effects = await view.run(
      entry,
      async (tool) => (tool as CheckedTool).effects?.(args, view.where) ?? [{ kind: 'everything' } as const],
    );
    const veto = await view.call(toolCall, {
      tool: name,
      callId,
      args: Object.freeze({ ...args }),
      effects,
      where: view.where,
      sessionId: request.sessionId,
      by: request.by,
    });
    if (veto !== undefined) {
      const result = errorResult(`${name} was not run: ${veto.block}`);
      return {
        state: 'refused',
        reason: 'blocked',
        result: veto.terminate === true ? { ...result, terminate: true } : result,
      };
    }
    // While the person was asked, the turn may have been given up.
    if (signal.aborted) return refused('aborted', `${name} was not run: aborted.`);
    return { state: 'ready', args, effects, execute: (onUpdate) => execute(view, entry, request, args, onUpdate) };
  } catch (error) {
    return refused('failed', failure(entry, error));
  }
}

async function execute(
  view: View,
  entry: Entry<AnyTool>,
  request: ToolCallRequest,
  args: Arguments,
  onUpdate: ((partial: ToolResult) => void) | undefined,
): Promise<ToolResult> {
  const { name, callId, signal } = request;
  const began = performance.now();
  let running = true;
  const update = (came: ToolResult): void => {
    if (!running) return;
    const partial = writableResult(named(entry), came);
    if (view.taps(toolUpdate) > 0)
      view.call(toolUpdate, { toolCallId: callId, toolName: name, args, partialResult: partial });
    onUpdate?.(partial);
  };
  let result: ToolResult;
  if (signal.aborted) {
    result = errorResult(`${name} was not run: aborted.`);
  } else {
    try {
      const answer: unknown = await orAborted(
        view.run(entry, (tool) =>
          (tool as CheckedTool).execute(callId, args, signal, update, contextOf(view, request, entry.origin.plugin)),
        ),
        signal,
        () =>
          errorResult(
            `${name} was aborted and did not end within ${abortGraceMs / 1000} s; what it did until then stands.`,
          ),
      );
      result =
        asResult(answer) ??
        errorResult(
          `${named(entry)} answered with something that is no result. A tool returns {content: [{type: "text", text}]}.`,
        );
    } catch (error) {
      result = errorResult(signal.aborted ? `${name} was aborted.` : failure(entry, error));
    }
  }
  running = false;
  const whole = limitedError(withOutputNotice(writableResult(named(entry), result)));
  const final = writableResult(named(entry), await patched(view, name, callId, args, whole));
  ended(view, request, final, performance.now() - began);
  return final;
}

/** Through `tool.result`. A patch that is no result leaves the result as it was. */
async function patched(
  view: View,
  tool: string,
  callId: string,
  args: Arguments,
  result: ToolResult,
): Promise<ToolResult> {
  if (view.taps(toolResult) === 0) return result;
  const patch = await view.call(toolResult, { tool, callId, args, result });
  return asResult(patch.result) ?? result;
}

function ended(view: View, { callId, name }: ToolCallRequest, result: ToolResult, durationMs: number): void {
  if (view.taps(toolEnd) > 0)
    view.call(toolEnd, { toolCallId: callId, toolName: name, result, isError: result.isError === true, durationMs });
}

function contextOf(view: View, { sessionId, signal, artifacts }: ToolCallRequest, owner: string): ToolContext {
  return {
    where: view.where,
    sessionId,
    touched: (paths) => view.touched(paths),
    spawn: (command, args, options = {}) =>
      view.service(processes).spawn(command, args, {
        cwd: view.where.cwd,
        ...options,
        owner,
        signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
      }),
    async artifacts() {
      if (artifacts !== undefined) return artifacts();
      await view.use(artifactStore).load();
      return view.service(artifactStore).folder(view.session?.file);
    },
  };
}

// --- Arguments ---------------------------------------------------------------------------------------------------

type Validated =
  | { readonly ok: true; readonly input: Arguments; readonly args: Arguments }
  | { readonly ok: false; readonly issues: readonly string[]; readonly by?: string };

/** As they are, and if that does not do, bent into shape. `input` is what was taken, `args` what the schema made of it. */
async function validated(tool: AnyTool, came: unknown): Promise<Validated> {
  const asIs = await check(tool, came);
  if (asIs.ok) return asIs;
  const bent = coerce({ type: 'object', ...inputSchemaOf(tool) }, came);
  return bent === came ? asIs : check(tool, bent);
}

async function check(tool: AnyTool, input: unknown): Promise<Validated> {
  if (!isRecord(input))
    return {
      ok: false,
      issues: [`the arguments are not an object but ${Array.isArray(input) ? 'a list' : `a ${typeof input}`}`],
    };
  if (tool.parameters === undefined) {
    const issues = await problemsBySchema(inputSchemaOf(tool), input);
    return issues.length === 0 ? { ok: true, input, args: input } : { ok: false, issues };
  }
  const parsed = await parseLater<unknown>(tool.parameters, input);
  if (!parsed.ok) return { ok: false, issues: inPlainWords(tool, input, parsed.issues) };
  return isRecord(parsed.value)
    ? { ok: true, input, args: parsed.value }
    : { ok: false, issues: ['the schema made something else than an object of the arguments'] };
}

/** An issue of zod's where several shapes are possible, and none fits. It says nothing of why. */
const saysNothing = /(^|: )Invalid input$/;

/** zod's words where they say it, else what our own look at the schema found. */
function inPlainWords(tool: AnyTool, input: unknown, issues: readonly string[]): readonly string[] {
  if (issues.some((issue) => saysNothing.test(issue))) {
    const found = problemsOf(inputSchemaOf(tool), input);
    if (found.length > 0) return found;
  }
  return issues.map((issue) =>
    issue
      .replace(/Invalid input: expected (\w+), received undefined$/, 'is missing ($1)')
      .replace('Invalid input: expected', 'expected'),
  );
}

async function throughInput(view: View, tool: AnyTool, callId: string, input: Arguments): Promise<Validated> {
  const changed = await view.call(toolInput, { tool: tool.name, callId, args: Object.freeze({ ...input }) });
  const checked = await check(tool, changed.args);
  return checked.ok || typeof changed.by !== 'string' ? checked : { ...checked, by: changed.by };
}

function badArguments(entry: Entry<AnyTool>, issues: readonly string[], why = ''): string {
  const { name } = entry.item;
  return `${name} was not run: its arguments are not right${why}.\n${issues.map((issue) => `- ${issue}`).join('\n')}\nRight shape: ${shapeOf(inputSchemaOf(entry.item))}`;
}

// --- Words -------------------------------------------------------------------------------------------------------

function refused(reason: Refused['reason'], text: string): Refused {
  return { state: 'refused', reason, result: limitedError(errorResult(text)) };
}

function noSuchTool(view: View, name: string): string {
  const known = view
    .use(tools)
    .items()
    .map((tool) => tool.name);
  if (known.length === 0) return `There is no tool ${JSON.stringify(name)}: no tools are available.`;
  const near = nearNames(name, known);
  const rest = known.filter((other) => !near.includes(other));
  return `There is no tool ${JSON.stringify(name)}.${near.length === 0 ? '' : ` ${didYouMean(near)}`} Known tools: ${[...near, ...rest].join(', ')}.`;
}

const named = (entry: Entry<AnyTool>): string => `${entry.item.name} (plugin ${entry.origin.plugin})`;

function failure(entry: Entry<AnyTool>, error: unknown): string {
  // The kernel's wrapping names the plugin, as we do.
  const cause =
    codeOf(error) === 'plugin_failed' && error instanceof Error && error.cause !== undefined ? error.cause : error;
  const hint = typeof cause === 'object' && cause !== null && 'hint' in cause ? (cause as KernError).hint : undefined;
  return `${named(entry)} failed: ${messageOf(cause)}${hint === undefined ? '' : `\n${hint}`}`;
}

/** The work's own end; after an abort only as long as the grace lasts. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal, late: () => ToolResult): Promise<T | ToolResult> {
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(late()), abortGraceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
