import { KernError, messageOf } from 'kern/plugin';
import type { Credential, DiscoveredModel, Network, RefreshOptions, RefreshReport } from '../contract.ts';
import { type Place, type Source, sourcesOf } from '../sources.ts';
import { serverJson } from './fetch-json.ts';
import { publicModels } from './public-catalog.ts';

export interface RefreshPlace extends Place {
  readonly network: Network | undefined;
  /** What a provider's server is asked with. */
  credential(provider: string, signal: AbortSignal): Promise<Credential | undefined>;
}

/** Asks the public catalogue and the servers that can be used, and keeps what they say. Who does not answer changes nothing. */
export async function refresh(place: RefreshPlace, options: RefreshOptions): Promise<readonly RefreshReport[]> {
  const sources = chosen(await sourcesOf(place, options.signal), options.providers);
  const isNamed = options.providers !== undefined;
  const [published, told] = await Promise.all([
    fromCatalog(place, sources, options.signal),
    Promise.all(sources.map((source) => fromServer(place, source, isNamed, options.signal))),
  ]);
  return [...published, ...told.flat()];
}

function chosen(sources: readonly Source[], names: readonly string[] | undefined): readonly Source[] {
  if (names === undefined) return sources;
  return names.map((name) => {
    const source = sources.find(({ item }) => item.id === name);
    if (source !== undefined) return source;
    throw new KernError('provider_unknown', `there is no provider ${name}`, {
      hint: `there are ${sources.map(({ item }) => item.id).join(', ')}`,
    });
  });
}

async function fromCatalog(
  place: RefreshPlace,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<readonly RefreshReport[]> {
  const from = place.setting('modelCatalog');
  const listed = sources.filter(({ item }) => item.catalog?.() !== undefined);
  if (typeof from !== 'string' || listed.length === 0) return [];
  let catalog: unknown;
  try {
    catalog = await serverJson(from, { signal, network: place.network, timeoutMs: 60_000 });
  } catch (error) {
    signal.throwIfAborted();
    return [{ provider: '*', from, found: { failed: messageOf(error) } }];
  }
  const today = new Date().toISOString().slice(0, 10);
  const reports: RefreshReport[] = [];
  for (const source of listed) {
    const { item } = source;
    // Those of the catalogue that came with kern, without what was added since.
    const own = await place.run(source, (provider) => provider.models(signal)).catch(() => []);
    const models = publicModels(catalog, item.catalog?.() ?? '', new Set(own.map(({ model }) => model)), today);
    if (models === undefined) continue;
    reports.push(kept(place, item.id, 'catalog', from, models));
  }
  if (reports.length === 0)
    reports.push({ provider: '*', from, found: { failed: 'none of these providers is in the catalogue there' } });
  return reports;
}

async function fromServer(
  place: RefreshPlace,
  { item }: Source,
  isNamed: boolean,
  signal: AbortSignal,
): Promise<readonly RefreshReport[]> {
  const discovery = item.discovery?.();
  if (discovery === undefined) return [];
  const why = item.probes === true ? undefined : item.missing?.();
  if (why !== undefined) return isNamed ? [{ provider: item.id, from: discovery.address, found: { failed: why } }] : [];
  try {
    const credential = await place.credential(item.id, signal);
    const models = await discovery.ask(signal, { network: place.network, credential });
    return [kept(place, item.id, 'server', discovery.address, models)];
  } catch (error) {
    signal.throwIfAborted();
    // Nobody expects every kind of local server to run.
    if (item.probes === true && !isNamed) return [];
    return [{ provider: item.id, from: discovery.address, found: { failed: messageOf(error) } }];
  }
}

function kept(
  place: RefreshPlace,
  provider: string,
  part: 'catalog' | 'server',
  from: string,
  models: readonly DiscoveredModel[],
): RefreshReport {
  // An answer without models is no better than none.
  if (models.length === 0) return { provider, from, found: { failed: 'it names no models' } };
  try {
    place.kept.keep(provider, part, from, models);
  } catch (error) {
    return { provider, from, found: { failed: `it cannot be kept: ${messageOf(error)}` } };
  }
  return { provider, from, found: models.length };
}
