import { type Context, type Entry, KernError, messageOf, nearNames, type Reader, type View } from 'kern/plugin';
import { whenAsked } from './api.ts';
import { ModelError } from './bridge/failure.ts';
import {
  type ExchangeObserver,
  type Model,
  type ModelProvider,
  type ModelRequest,
  type Models,
  modelProviders,
  modelRequest,
  modelResponse,
  type Network,
  type StreamEvent,
  type Usage,
} from './contract.ts';
import { splitModelId } from './describe.ts';
import { observersOf } from './observers.ts';
import { withHeaders } from './request-headers.ts';

type Source = Entry<ModelProvider>;

/** The models service. It asks for providers at every call and keeps none. */
export function createModels(ctx: Place & Pick<Context, 'log'>, network: Network | undefined): Models {
  return {
    list: (signal) => list(ctx, signal),
    async resolve(id, signal) {
      const wanted = id ?? ctx.setting('model');
      return typeof wanted === 'string' && wanted !== '' ? named(ctx, wanted, signal) : firstAvailable(ctx, signal);
    },
    stream: (request, signal) => stream(ctx, request, signal, network),
  };
}

type Place = Pick<Context, 'use' | 'pin' | 'run' | 'setting'>;

async function list(ctx: Place, signal: AbortSignal | undefined): Promise<readonly Model[]> {
  const sources = await sourcesOf(ctx, signal);
  const configured = await modelsOf(
    ctx,
    sources.filter(({ item }) => item.probes !== true),
    signal,
  );
  if (configured.some(({ available }) => available)) return configured;
  return [
    ...configured,
    ...(await modelsOf(
      ctx,
      sources.filter(({ item }) => item.probes === true),
      signal,
    )),
  ];
}

async function firstAvailable(ctx: Place, signal: AbortSignal | undefined): Promise<Model> {
  const first = (await list(ctx, signal)).find(({ available }) => available);
  if (first !== undefined) return first;
  throw new KernError('no_model', 'no model is configured, and no local server answers', { hint: waysToAModel });
}

const waysToAModel = [
  'three ways to a model:',
  '  1. set ANTHROPIC_API_KEY or OPENAI_API_KEY',
  '  2. start a local server (`ollama serve`, LM Studio, llama.cpp, vLLM), set OPENAI_BASE_URL, or describe one in models.yml',
  '  3. without any: `--model script/<file>` plays the replies of a file',
].join('\n');

async function named(ctx: Place, id: string, signal: AbortSignal | undefined): Promise<Model> {
  const parts = splitModelId(id);
  const reader = ctx.use(modelProviders);
  // Only what may have it: no other provider is loaded for a model that has a name.
  if (parts !== undefined) await reader.load(signal, parts.provider);
  const source = parts === undefined ? undefined : reader.get(parts.provider);
  if (parts === undefined || source === undefined) throw await unknown(ctx, id, await sourcesOf(ctx, signal), signal);
  const model = await ctx.run(source, (provider) => provider.model(parts.model));
  if (model === undefined) throw await unknown(ctx, id, [source], signal);
  if (model.available) return model;
  const why = source.item.missing?.() ?? `${source.item.displayName} cannot be used now`;
  throw new KernError('no_model', `the model ${id} cannot be used: ${why}`, { hint: waysToAModel });
}

async function unknown(
  ctx: Place,
  id: string,
  sources: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<KernError> {
  const known = (
    await modelsOf(
      ctx,
      sources.filter(({ item }) => item.probes !== true),
      signal,
    )
  ).map((model) => model.id);
  const tail = known.filter((name) => !id.includes('/') && name.endsWith(`/${id}`));
  const near = tail.length > 0 ? tail.slice(0, 3) : nearNames(id, known);
  const providers = sources.map(({ item }) => item.id).join(', ');
  const what =
    splitModelId(id) === undefined
      ? 'a model is named provider/model'
      : `no such model; the providers are ${providers}`;
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'see `kern --list-models`';
  return new KernError('model_unknown', `${id}: ${what}`, { hint });
}

/** All providers: those of plugins first, then what models.yml describes, then those that have to knock somewhere. */
async function sourcesOf(ctx: Place, signal: AbortSignal | undefined): Promise<readonly Source[]> {
  const reader = ctx.use(modelProviders);
  await reader.load(signal);
  const rank = ({ item, origin }: Source): number =>
    item.probes === true ? 2 : origin.provider === origin.plugin ? 0 : 1;
  return winners(reader).sort((a, b) => rank(a) - rank(b));
}

function winners(reader: Reader<ModelProvider>): Source[] {
  return reader.entries().filter(({ verdict }) => verdict.state === 'won');
}

/** A provider that fails to tell its models has none; the others are not held up. */
async function modelsOf(
  ctx: Place,
  sources: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<readonly Model[]> {
  const lists = await Promise.all(
    sources.map((source) => ctx.run(source, (provider) => provider.models(signal)).catch(() => [])),
  );
  return lists.flat();
}

function stream(
  ctx: Place & Pick<Context, 'log'>,
  request: ModelRequest,
  signal: AbortSignal,
  network: Network | undefined,
): AsyncIterable<StreamEvent> {
  return whenAsked(async () => {
    const view = ctx.pin();
    try {
      const changed = view.taps(modelRequest) > 0 ? await view.call(modelRequest, request) : request;
      const headed = await withHeaders(view, changed);
      const asked = network === undefined ? headed : { ...headed, network };
      const source = await sourceOf(view, asked.model, signal);
      const events = await view.run(source, (provider) => provider.stream(asked, signal));
      const observer = observersOf(view, asked, ctx.log);
      return watched(events, view, source, asked.model, signal, observer);
    } catch (error) {
      view[Symbol.dispose]();
      throw error;
    }
  });
}

async function sourceOf(view: View, model: Model, signal: AbortSignal): Promise<Source> {
  const reader = view.use(modelProviders);
  const known = reader.get(model.provider);
  if (known !== undefined) return known;
  await reader.load(signal, model.provider);
  const source = reader.get(model.provider);
  if (source !== undefined) return source;
  const providers = winners(reader).map(({ item }) => item.id);
  throw new KernError('model_unknown', `${model.id}: no provider ${model.provider}; there are ${providers.join(', ')}`);
}

/** Hands the events on as they are, keeps the provider loaded meanwhile, and tells how it ended. */
function watched(
  events: AsyncIterable<StreamEvent>,
  view: View,
  source: Source,
  model: Model,
  signal: AbortSignal,
  observer: ExchangeObserver | undefined,
): AsyncIterable<StreamEvent> {
  const startedAt = performance.now();
  const held = view.hold(source);
  let isOver = false;
  const over = (end: { readonly usage?: Usage; readonly error?: string }, thrown?: unknown): void => {
    if (isOver) return;
    isOver = true;
    const isFailed = end.error !== undefined;
    observer?.end?.({ aborted: isFailed && (thrown === undefined || isAbort(thrown, signal)), error: thrown });
    const durationMs = Math.round(performance.now() - startedAt);
    view.call(modelResponse, { model: model.id, status: end.error === undefined ? 'ok' : 'error', durationMs, ...end });
    held.dispose();
    view[Symbol.dispose]();
  };
  const failed = (error: unknown): never => {
    const own = ownError(error, model, signal);
    over({ error: messageOf(own) }, own);
    throw own;
  };
  const inner = events[Symbol.asyncIterator]();
  const seen = (step: IteratorResult<StreamEvent>): IteratorResult<StreamEvent> => {
    if (step.done === true) {
      if (!isOver)
        return failed(
          new ModelError('model_disconnected', `the provider ${model.provider} ended its stream without the message`),
        );
    } else {
      observer?.event?.(step.value);
      if (step.value.type === 'done') over({ usage: step.value.message.usage });
    }
    return step;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => inner.next().then(seen, failed),
      async return(value?: unknown) {
        over({ error: 'left before its end' });
        await inner.return?.();
        return { done: true, value };
      },
    }),
  };
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof Error && error.name === 'AbortError');
}

/** An error as the contract wants it, whatever a provider throws. */
function ownError(error: unknown, model: Model, signal: AbortSignal): unknown {
  if (isAbort(error, signal)) return error;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && 'hint' in error) return error;
  return new ModelError('model_bad_response', `the provider ${model.provider} failed: ${messageOf(error)}`);
}
