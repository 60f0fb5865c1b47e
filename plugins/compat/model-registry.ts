import {
  type AgentSession,
  type AssistantMessage,
  type Message,
  type Model,
  type ModelRequest,
  models as modelsService,
  thinkingLevels,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { type Extension, isRecord } from './extension.ts';
import { type ForeignModel, foreignModel } from './model-shape.ts';

interface Asked {
  readonly systemPrompt?: string;
  readonly messages: readonly unknown[];
}
interface AskOptions {
  readonly signal?: AbortSignal;
  readonly maxTokens?: number;
  readonly reasoning?: string;
}

/** pi's way to models: those of kern, and requests that go through kern. Keys stay where they are. */
export function modelRegistry(
  extension: Extension,
  session: () => AgentSession,
  known: () => readonly Model[],
): object {
  const all = (): readonly Model[] => {
    const listed = known();
    const current = session().currentModel;
    return listed.some(({ id }) => id === current.id) ? listed : [current, ...listed];
  };
  const kernModel = ({ provider, id }: ForeignModel): Model => {
    const found = all().find((model) => model.provider === provider && model.model === id);
    if (found !== undefined) return found;
    throw new KernError(
      'model_unknown',
      `the extension ${extension.name} asks ${provider}/${id}, which is not known here`,
      {
        hint: '`kern models list` names those that are',
      },
    );
  };
  const stream = (model: ForeignModel, asked: Asked, options: AskOptions = {}) => {
    const level = thinkingLevels.find((one) => one === options.reasoning) ?? 'off';
    const request: ModelRequest = {
      model: kernModel(model),
      systemPrompt: asked.systemPrompt ?? '',
      messages: asked.messages.map(asMessage),
      tools: [],
      thinking: level,
      sessionId: session().id,
      // It is no turn of the conversation.
      purpose: 'summary',
      ...(options.maxTokens === undefined ? {} : { maxOutput: options.maxTokens }),
    };
    return extension.ctx.service(modelsService).stream(request, options.signal ?? extension.ctx.signal);
  };
  const complete = async (model: ForeignModel, asked: Asked, options?: AskOptions): Promise<AssistantMessage> => {
    for await (const event of stream(model, asked, options)) if (event.type === 'done') return event.message;
    throw new KernError('model_disconnected', `${model.provider}/${model.id} ended without a message`);
  };
  return {
    find: (provider: string, id: string) => {
      const found = all().find((model) => model.provider === provider && model.model === id);
      return found === undefined ? undefined : foreignModel(found);
    },
    getAll: () => all().map(foreignModel),
    getAvailable: () =>
      all()
        .filter(({ available }) => available)
        .map(foreignModel),
    hasConfiguredAuth: ({ provider, id }: ForeignModel) =>
      all().some((model) => model.provider === provider && model.model === id && model.available),
    getApiKeyAndHeaders: async ({ provider }: ForeignModel) => ({
      ok: false,
      error: `kern hands out no keys: ask ${provider} through ctx.modelRegistry.complete`,
    }),
    complete,
    completeSimple: complete,
    stream,
    streamSimple: stream,
    findOfType: () => undefined,
    getModelsOfType: () => [],
    getAvailableOfType: () => [],
    getModelOfType: () => undefined,
  };
}

function asMessage(message: unknown): Message {
  if (!isRecord(message)) throw new KernError('bad_message', 'a message is an object {role, content, timestamp}');
  const { content } = message;
  return {
    timestamp: Date.now(),
    ...message,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  } as unknown as Message;
}
