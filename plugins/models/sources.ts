import { type Context, type Entry, KernError, type Reader } from 'kern/plugin';
import { type DiscoveredModel, type Model, type ModelProvider, modelOverrides, modelProviders } from './contract.ts';
import { type Known, withFacts, withFactsOf } from './facts.ts';
import type { Kept } from './refresh/kept.ts';

export type Source = Entry<ModelProvider>;

/** Where providers are asked. */
export type Place = Pick<Context, 'use' | 'run' | 'setting'> & {
  readonly kept: Kept;
  /** Says once what somebody should know of. */
  complain(problem: string): void;
};

/** All providers: those of plugins first, then what models.yml describes, then those that have to knock somewhere. */
export async function sourcesOf(place: Place, signal: AbortSignal | undefined): Promise<readonly Source[]> {
  const reader = place.use(modelProviders);
  await Promise.all([reader.load(signal), place.use(modelOverrides).load(signal)]);
  const rank = ({ item, origin }: Source): number =>
    item.probes === true ? 2 : origin.provider === origin.plugin ? 0 : 1;
  return winners(reader).sort((a, b) => rank(a) - rank(b));
}

/** The provider of that name. Only what may have it is loaded. */
export async function sourceNamed(
  place: Place,
  provider: string,
  signal: AbortSignal | undefined,
): Promise<Source | undefined> {
  const reader = place.use(modelProviders);
  await Promise.all([reader.load(signal, provider), place.use(modelOverrides).load(signal)]);
  return reader.get(provider);
}

export function winners(reader: Reader<ModelProvider>): Source[] {
  return reader.entries().filter(({ verdict }) => verdict.state === 'won');
}

/** All that a provider has. One that fails to tell its models has none. */
export async function modelsAt(
  place: Place,
  source: Source,
  signal: AbortSignal | undefined,
): Promise<readonly Model[]> {
  const own = await place.run(source, (provider) => provider.models(signal)).catch(() => []);
  const { item } = source;
  const available = own.length > 0 ? own.some(({ available }) => available) : item.missing?.() === undefined;
  return withFacts(item.id, own, knownOf(place, item), available);
}

/** A model by its name at a provider. */
export async function modelAt(place: Place, source: Source, name: string): Promise<Model | undefined> {
  const model = await place.run(source, (provider) => provider.model(name));
  return model === undefined ? undefined : withFactsOf(model, knownOf(place, source.item));
}

function knownOf(place: Place, provider: ModelProvider): Known {
  const own = place
    .use(modelOverrides)
    .items()
    .flatMap(({ provider: id, ...facts }): DiscoveredModel[] => (id === provider.id ? [facts] : []));
  const { catalog, server } = place.kept.of(provider.id, provider.catalog?.(), provider.discovery?.()?.address);
  return [
    { facts: catalog, adds: true },
    // A server that is asked each time has said itself what it has now.
    { facts: server, adds: provider.probes !== true },
    { facts: own, adds: true },
  ];
}

/** The models of several providers, in their order; the slow ones hold up nobody. */
export async function modelsOf(
  place: Place,
  sources: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<readonly Model[]> {
  return (await Promise.all(sources.map((source) => modelsAt(place, source, signal)))).flat();
}

/** In order of providers. Who has to knock is asked only where nobody else has a model that can be used. */
export async function allModels(place: Place, signal: AbortSignal | undefined): Promise<readonly Model[]> {
  const sources = await sourcesOf(place, signal);
  tellOfNobody(place, sources);
  const configured = await modelsOf(
    place,
    sources.filter(({ item }) => item.probes !== true),
    signal,
  );
  if (configured.some(({ available }) => available)) return configured;
  const local = sources.filter(({ item }) => item.probes === true);
  return [...configured, ...(await modelsOf(place, local, signal))];
}

/** What is said of models of a provider that is not there. */
function tellOfNobody(place: Place, sources: readonly Source[]): void {
  const ids = new Set(sources.map(({ item }) => item.id));
  const said = place.use(modelOverrides).entries();
  for (const { item, origin, verdict } of said) {
    if (verdict.state !== 'won' || ids.has(item.provider)) continue;
    const where = origin.path ?? origin.plugin;
    place.complain(`${where} speaks of models of ${item.provider}, and there is no provider of that name`);
  }
}

/** The first that can be used, in order of providers: no further one is asked. */
export async function firstAvailable(place: Place, signal: AbortSignal | undefined): Promise<Model> {
  const sources = await sourcesOf(place, signal);
  const local = sources.filter(({ item }) => item.probes === true);
  for (const source of sources) {
    if (source.item.probes === true || source.item.missing?.() !== undefined) continue;
    const first = (await modelsAt(place, source, signal)).find(({ available }) => available);
    if (first !== undefined) return first;
  }
  const first = (await modelsOf(place, local, signal)).find(({ available }) => available);
  if (first !== undefined) return first;
  throw new KernError('no_model', 'no model is configured, and no local server answers', { hint: waysToAModel });
}

const waysToAModel = [
  'three ways to a model:',
  '  1. set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or the key of another vendor (`kern docs models`), or sign in: `kern auth login`',
  '  2. start a local server (`ollama serve`, LM Studio, llama.cpp, vLLM), set OPENAI_BASE_URL, or describe one in models.yml',
  '  3. without any: `--model script/<file>` plays the replies of a file',
].join('\n');

/** The model itself, if it can be used. */
export function usable(model: Model, { item }: Source): Model {
  if (model.available) return model;
  const why = item.missing?.() ?? `${item.displayName} cannot be used now`;
  throw new KernError('no_model', `the model ${model.id} cannot be used: ${why}`, { hint: waysToAModel });
}
