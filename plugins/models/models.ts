import { type Context, KernError, messageOf, type View } from 'kern/plugin';
import { whenAsked } from './api.ts';
import { ModelError } from './bridge/failure.ts';
import {
  type Credential,
  type ExchangeObserver,
  type Model,
  type ModelRequest,
  type Models,
  modelProviders,
  modelRequest,
  modelResponse,
  type Network,
  type StreamEvent,
  type Usage,
} from './contract.ts';
import { choices, exactly, find, forRole } from './find.ts';
import { auth } from './oauth/contract.ts';
import { observersOf } from './observers.ts';
import { Kept } from './refresh/kept.ts';
import { withHeaders } from './request-headers.ts';
import { allModels, type Place as Looking, type Source, winners } from './sources.ts';

type Place = Pick<Context, 'use' | 'pin' | 'run' | 'setting' | 'service' | 'log' | 'where'>;

/** The models service. It asks for providers at every call and keeps none. */
export function createModels(ctx: Place, network: Network | undefined): Models {
  const said = new Set<string>();
  const complain = (problem: string): void => {
    if (!said.has(problem)) ctx.log.warn(problem);
    said.add(problem);
  };
  const place: Looking = {
    use: (capability) => ctx.use(capability),
    run: (entry, fn) => ctx.run(entry, fn),
    setting: (key) => ctx.setting(key),
    kept: new Kept(ctx.where.home, complain),
    complain,
  };
  return {
    list: (signal) => allModels(place, signal),
    resolve: async (id, signal) =>
      id === undefined || id === '' ? (await find(place, undefined, signal)).model : exactly(place, id, signal),
    find: (wanted, signal) => find(place, wanted, signal),
    forRole: (role, signal, beside) => forRole(place, role, signal, beside),
    choices: (signal) => choices(place, signal),
    refresh: async (options) => {
      const credential = (provider: string, by: AbortSignal) => credentialOf(ctx, provider, by);
      return (await import('./refresh/refresh.ts')).refresh({ ...place, network, credential }, options);
    },
    network,
    stream: (request, signal) => stream(ctx, request, signal, network),
  };
}

async function credentialOf(ctx: Place, provider: string, signal: AbortSignal): Promise<Credential | undefined> {
  const reader = ctx.use(auth);
  await reader.load(signal);
  return reader.items().length === 0 ? undefined : ctx.service(auth).credential(provider, signal);
}

function stream(
  ctx: Place,
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
