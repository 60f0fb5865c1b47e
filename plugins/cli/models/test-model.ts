import {
  type AssistantMessage,
  type CommandArgs,
  type CommandHost,
  columns,
  exitCodeOf,
  type Model,
  models,
  type StreamEvent,
  type ToolFace,
} from 'kern/contracts';
import { codeOf, messageOf, visible } from 'kern/plugin';
import { moneyText } from './words.ts';

/** What one request showed. */
interface Outcome {
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  /** It called the tool that it was asked to call. */
  readonly tools: boolean;
  /** Its words came in more than one piece. */
  readonly streaming: boolean;
  readonly message: AssistantMessage | undefined;
  readonly error: unknown;
}

const tool: ToolFace = {
  name: 'report',
  description: 'Takes the numbers that were asked for.',
  inputSchema: {
    type: 'object',
    properties: { numbers: { type: 'string', description: 'The numbers one to ten, in words' } },
    required: ['numbers'],
  },
};
const task = 'Count from one to ten in words, on one line. Then call the tool report with these words.';

/** `kern models test [model]`. */
export async function testModel(args: CommandArgs, host: CommandHost): Promise<number> {
  await host.view.use(models).load();
  const wanted = args.positionals.join(' ').trim();
  const { model, notice } = await host.view.service(models).find(wanted === '' ? undefined : wanted, host.signal);
  if (notice !== undefined) host.say(`kern: ${notice}`);
  const outcome = await asked(model, host);
  const { error, message, firstTokenMs, totalMs, tools, streaming } = outcome;
  host.signal.throwIfAborted();
  const { usage } = message ?? {};
  if (args.shared.json) {
    const failure = error === undefined ? null : { code: codeOf(error) ?? 'failed', message: messageOf(error) };
    const cost = usage?.cost?.total ?? null;
    host.json({
      model: model.id,
      ok: error === undefined,
      firstTokenMs,
      totalMs,
      tools,
      streaming,
      usage: usage ?? null,
      cost,
      error: failure,
    });
    return error === undefined ? 0 : exitCodeOf(error);
  }
  if (error !== undefined) throw error;
  const rows = [
    ['model', model.id],
    ['answers', `yes, after ${firstTokenMs ?? totalMs} ms; done after ${totalMs} ms`],
    ['streams', streaming ? 'yes' : 'no: all of it came at once'],
    ['calls tools', tools ? 'yes' : 'no: it was asked to, and did not'],
    [
      'tokens',
      usage === undefined ? '?' : `${usage.input + usage.cacheRead + usage.cacheWrite} in, ${usage.output} out`,
    ],
    ['cost', usage?.cost === null || usage === undefined ? 'unknown' : moneyText(usage.cost.total)],
  ];
  for (const line of columns(rows.map((row) => row.map(visible)))) host.print(line);
  return 0;
}

async function asked(model: Model, { view, signal }: CommandHost): Promise<Outcome> {
  const startedAt = performance.now();
  const since = (): number => Math.round(performance.now() - startedAt);
  let firstTokenMs: number | null = null;
  let pieces = 0;
  let message: AssistantMessage | undefined;
  let error: unknown;
  try {
    for await (const event of view.service(models).stream(requestTo(model), signal)) {
      if (isPiece(event)) {
        firstTokenMs ??= since();
        pieces += 1;
      }
      if (event.type === 'done') message = event.message;
    }
  } catch (thrown) {
    error = thrown;
  }
  const tools = message?.content.some((block) => block.type === 'toolCall' && block.name === tool.name) ?? false;
  return { firstTokenMs, totalMs: since(), tools, streaming: pieces > 1, message, error };
}

const isPiece = ({ type }: StreamEvent): boolean =>
  type === 'text_delta' || type === 'thinking_delta' || type === 'toolcall_delta';

function requestTo(model: Model) {
  return {
    model,
    systemPrompt: 'You are being tested. Do exactly what is asked.',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: task }], timestamp: Date.now() }],
    tools: [tool],
    thinking: model.thinking[0] ?? 'off',
    maxOutput: Math.min(model.maxOutput, 2_000),
    sessionId: 'models-test',
    purpose: 'turn' as const,
  };
}
