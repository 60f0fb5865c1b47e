import {
  type AssistantMessage,
  auth,
  describeModel,
  keptModel,
  type Model,
  ModelError,
  type ModelProvider,
  type ModelWire,
  modelNamed,
  providerKey,
  replyOver,
  type StreamEvent,
  whenAsked,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { type Extension, isRecord, type Payload } from './extension.ts';
import { foreignModel } from './model-shape.ts';

const wires: Readonly<Record<string, ModelWire>> = {
  'anthropic-messages': 'anthropic',
  'openai-completions': 'openai-chat',
  'openai-responses': 'openai-responses',
  'google-generative-ai': 'google',
};

type StreamSimple = (model: unknown, context: unknown, options: unknown) => AsyncIterable<unknown>;

/** A provider as pi's `registerProvider(name, config)` describes one. */
export function foreignProvider(extension: Extension, name: string, config: unknown): ModelProvider {
  const { ctx } = extension;
  const fail = (message: string, hint: string): never => {
    throw new KernError('bad_provider', `the extension ${extension.name}: ${message}`, { hint });
  };
  if (!isRecord(config))
    return fail('pi.registerProvider takes (name, config)', 'a whole Provider of pi-ai is not taken');
  const { baseUrl, apiKey, api, headers, streamSimple, oauth, refreshModels } = config;
  const listed = Array.isArray(config.models) ? config.models.filter(isRecord) : [];
  const wire = wires[String(api ?? listed[0]?.api)];
  if (listed.length === 0)
    return fail(
      `the provider ${name} brings no models`,
      `another address for a provider of kern is a setting: see \`kern docs models\``,
    );
  if (wire === undefined && typeof streamSimple !== 'function')
    return fail(`kern does not speak ${String(api)}`, `it speaks ${Object.keys(wires).join(', ')}`);
  if (oauth !== undefined) extension.notice('oauth', `the sign-in of its provider ${name} is not taken: give a key`);
  if (refreshModels !== undefined)
    extension.notice('refreshModels', `models of ${name} are those that it lists`, 'info');
  const key = providerKey({
    provider: name,
    keys: () => (typeof apiKey === 'string' ? [keyWords(apiKey)] : []),
    auth: () => ctx.service(auth),
  });
  const models = (): readonly Model[] =>
    listed.map((model) =>
      describeModel(name, String(model.id), {
        name: typeof model.name === 'string' ? model.name : undefined,
        contextWindow: numberOf(model.contextWindow),
        maxOutput: numberOf(model.maxTokens),
        input: inputsOf(model.input),
        thinking: model.reasoning === true ? ['off', 'low', 'medium', 'high'] : ['off'],
        cost: costOf(model.cost),
      }),
    );
  const kept = keptModel();
  return {
    id: name,
    displayName: typeof config.name === 'string' ? config.name : name,
    models,
    model: (wanted) => modelNamed(models(), wanted),
    keys: key.keys,
    stream(request, signal) {
      if (typeof streamSimple === 'function') {
        const { model, systemPrompt, messages, tools } = request;
        const asked = {
          systemPrompt,
          messages,
          tools: tools.map(({ inputSchema, ...tool }) => ({ ...tool, parameters: inputSchema })),
        };
        const options = {
          signal,
          maxTokens: request.maxOutput,
          reasoning: request.thinking,
          sessionId: request.sessionId,
        };
        const shown = { ...foreignModel(model), api: String(api ?? ''), baseUrl: String(baseUrl ?? '') };
        return ownStream(name, (streamSimple as StreamSimple)(shown, asked, options));
      }
      const own = listed.find(({ id }) => id === request.model.model);
      const endpoint = {
        provider: name,
        baseUrl: String(own?.baseUrl ?? baseUrl ?? ''),
        kept,
        fix: `look at the extension ${extension.name}`,
      };
      const given = { ...textsOf(headers), ...textsOf(own?.headers) };
      return whenAsked(async () => {
        await ctx.use(auth).load(signal);
        return key.reply(request, signal, (sent) =>
          replyOver(
            wire as ModelWire,
            { ...endpoint, ...sent, headers: { ...given, ...sent.headers } },
            request,
            signal,
          ),
        );
      });
    },
  };
}

/** pi's events of a reply as kern's. */
async function* ownStream(provider: string, events: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    if (!isRecord(event)) continue;
    const at = numberOf(event.contentIndex) ?? 0;
    switch (event.type) {
      case 'text_start':
      case 'thinking_start':
        yield { type: event.type, contentIndex: at };
        break;
      case 'text_delta':
      case 'thinking_delta':
        yield { type: event.type, contentIndex: at, delta: String(event.delta) };
        break;
      case 'text_end':
      case 'thinking_end':
        yield { type: event.type, contentIndex: at, content: String(event.content) };
        break;
      case 'toolcall_start': {
        const part = partAt(event.partial, at);
        yield {
          type: 'toolcall_start',
          contentIndex: at,
          id: String(part?.id ?? ''),
          toolName: String(part?.name ?? ''),
        };
        break;
      }
      case 'toolcall_delta':
        yield { type: 'toolcall_delta', contentIndex: at, delta: String(event.delta) };
        break;
      case 'toolcall_end':
        yield { type: 'toolcall_end', contentIndex: at, toolCall: event.toolCall as never };
        break;
      case 'done':
        yield { type: 'done', message: event.message as AssistantMessage };
        return;
      case 'error': {
        const failed = isRecord(event.error) ? event.error : undefined;
        throw new ModelError('model_bad_response', String(failed?.errorMessage ?? `${provider} failed`));
      }
      default:
        break;
    }
  }
}

function partAt(message: unknown, at: number): Payload | undefined {
  const content = isRecord(message) && Array.isArray(message.content) ? message.content : [];
  const part: unknown = content[at];
  return isRecord(part) ? part : undefined;
}

/** `NAME` alone meant a variable in older versions; in all of them `$NAME` and `!command` do. */
const keyWords = (apiKey: string): string => (/^[A-Z][A-Z0-9_]+$/.test(apiKey) ? `$${apiKey}` : apiKey);

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function inputsOf(value: unknown): readonly ('text' | 'image')[] {
  const given = Array.isArray(value) ? value : [];
  const inputs = (['text', 'image'] as const).filter((kind) => given.includes(kind));
  return inputs.length === 0 ? ['text'] : inputs;
}

function costOf(value: unknown): Model['cost'] {
  if (!isRecord(value)) return null;
  const { input, output, cacheRead, cacheWrite } = value;
  return {
    input: numberOf(input) ?? 0,
    output: numberOf(output) ?? 0,
    cacheRead: numberOf(cacheRead) ?? 0,
    cacheWrite: numberOf(cacheWrite) ?? 0,
  };
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}
