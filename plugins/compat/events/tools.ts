import { type ToolResult, toolCall, toolEnd, toolInput, toolResult, toolStart, toolUpdate } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import { isRecord, type Payload } from '../extension.ts';
import { foreignDetails } from './details.ts';
import { around, copied, type Wire, type WireParts } from './wire.ts';

interface Judged {
  /** Why it does not run. */
  readonly block: string | undefined;
  readonly terminate: boolean;
  readonly input: Payload;
  /** Keys that a handler gave another value. */
  readonly changed: readonly string[];
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

/** Handlers see the final arguments but for what those after them change, and a call that one refuses or fails on does not run. */
async function judge({ extension }: WireParts, tool: string, callId: string, args: Payload): Promise<Judged> {
  const event: Payload = { type: 'tool_call', toolName: tool, toolCallId: callId, input: copied(args) };
  const context = extension.makeContext(around(extension));
  let block: string | undefined;
  let terminate = false;
  for (const handler of extension.handlersOf('tool_call')) {
    try {
      const answer = await extension.within(() => handler(event, context));
      if (!isRecord(answer)) continue;
      if (isRecord(answer.input)) event.input = answer.input;
      if (answer.additionalContext !== undefined)
        extension.notice('additionalContext', 'what its tool_call says beside the call is not told to the model');
      if (answer.block !== true) continue;
      block = typeof answer.reason === 'string' ? answer.reason : `the extension ${extension.name} blocks it`;
      terminate = answer.terminate === true;
    } catch (error) {
      extension.failed('tool_call', error);
      block = `the extension ${extension.name} failed while it looked at the call: ${messageOf(error)}`;
    }
    if (block !== undefined) break;
  }
  const input = isRecord(event.input) ? event.input : args;
  const keys = new Set([...Object.keys(args), ...Object.keys(input)]);
  return { block, terminate, input, changed: [...keys].filter((key) => text(args[key]) !== text(input[key])) };
}

/**
 * One event for two hooks: `tool.input` asks the handlers, late, so that they see what others make of the arguments, and
 * takes their changes; `tool.call` refuses what they refused. Where the first was skipped, the second asks.
 */
export const wireToolCall: Wire = (parts) => {
  const { ctx } = parts.extension;
  const judged = new Map<string, Promise<Judged>>();
  ctx.tap(
    toolInput,
    async ({ tool, callId, args }) => {
      const judging = judge(parts, tool, callId, args);
      judged.set(callId, judging);
      const { input, changed } = await judging;
      return changed.length === 0 ? undefined : { tool, callId, args: input };
    },
    { order: 1_000_000 },
  );
  ctx.tap(toolCall, async ({ tool, callId, args }) => {
    const before = judged.get(callId);
    judged.delete(callId);
    const { block, terminate, input, changed } = await (before ?? judge(parts, tool, callId, args));
    if (block !== undefined) return { block, ...(terminate ? { terminate } : {}) };
    // It came too late for the arguments: what it would not have let through must not run.
    const lost = changed.filter((key) => text(args[key]) !== text(input[key]));
    if (lost.length === 0) return undefined;
    return { block: `the extension ${parts.extension.name} changed ${lost.join(', ')} when it was too late` };
  });
  ctx.tap(toolEnd, ({ toolCallId }) => void judged.delete(toolCallId));
};

export const wireToolResult: Wire = ({ extension }) => {
  extension.ctx.tap(toolResult, async (value) => {
    const { tool, callId, args, result } = value;
    const event: Payload = {
      toolName: tool,
      toolCallId: callId,
      input: copied(args),
      content: copied(result.content),
      details: foreignDetails(tool, copied(result.details)),
      isError: result.isError === true,
    };
    let patch: Partial<Record<'content' | 'details' | 'isError', unknown>> = {};
    await extension.ask('tool_result', event, around(extension), (answer) => {
      if (!isRecord(answer)) return undefined;
      const { content, details, isError } = answer;
      const given = Object.fromEntries(
        Object.entries({ content, details, isError }).filter(([, part]) => part !== undefined),
      );
      Object.assign(event, given);
      patch = { ...patch, ...given };
      return undefined;
    });
    if (Object.keys(patch).length === 0) return undefined;
    return { ...value, result: { ...result, ...patch } as ToolResult };
  });
};

export const wireToolExecutionStart: Wire = ({ extension }) => {
  extension.ctx.tap(toolStart, (call) => extension.tell('tool_execution_start', { ...call }, around(extension)));
};
export const wireToolExecutionUpdate: Wire = ({ extension }) => {
  extension.ctx.tap(toolUpdate, (call) => extension.tell('tool_execution_update', { ...call }, around(extension)));
};
export const wireToolExecutionEnd: Wire = ({ extension }) => {
  extension.ctx.tap(toolEnd, (call) => extension.tell('tool_execution_end', { ...call }, around(extension)));
};
