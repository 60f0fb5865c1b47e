import { withGoogleVersion, withoutSlash, withVersion } from '../bridge/endpoint.ts';
import type { DiscoveredModel } from '../contract.ts';
import { type Asking, serverJson } from './fetch-json.ts';
import { compact, countOf, isFields, priceOf, textOf } from './read-facts.ts';

export type ListWire = 'anthropic' | 'openai-chat' | 'openai-responses' | 'google';

/** Asks a server for its models, as its wire has it. */
export async function listServer(
  wire: ListWire,
  baseUrl: string,
  { key, bearer, headers, ...asking }: Asking & { readonly key: string | undefined; readonly bearer: boolean },
): Promise<readonly DiscoveredModel[]> {
  const all = { ...headers, ...(key === undefined ? {} : keyHeaders(wire, key, bearer)) };
  return listed(await serverJson(addressOf(wire, baseUrl), { ...asking, headers: all }));
}

const keyNames: Readonly<Partial<Record<ListWire, string>>> = { anthropic: 'x-api-key', google: 'x-goog-api-key' };

function addressOf(wire: ListWire, baseUrl: string): string {
  if (wire === 'anthropic') return `${withVersion(baseUrl)}/models?limit=1000`;
  if (wire === 'google') return `${withGoogleVersion(baseUrl)}/models?pageSize=1000`;
  return `${withoutSlash(baseUrl)}/models`;
}

function keyHeaders(wire: ListWire, key: string, bearer: boolean): Record<string, string> {
  const version: Record<string, string> = wire === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  const name = bearer ? undefined : keyNames[wire];
  return { ...version, ...(name === undefined ? { authorization: `Bearer ${key}` } : { [name]: key }) };
}

/** Other things that servers list, which do not talk. */
const noChat =
  /embed|whisper|\btts\b|tts-|dall-e|transcri|moderation|realtime|imagen|\bveo\b|sora|rerank|gpt-image|-image\b|speech|\baqa\b/i;

/** The models of a list in any of the forms that servers have. */
export function listed(answer: unknown): readonly DiscoveredModel[] {
  const list = isFields(answer) ? (answer.data ?? answer.models) : answer;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => (isFields(entry) ? (modelOf(entry) ?? []) : []));
}

type Fields = Readonly<Record<string, unknown>>;
const within = (value: unknown): Fields => (isFields(value) ? value : {});
const firstCount = (...values: readonly unknown[]): number | undefined =>
  values.map(countOf).find((value) => value !== undefined);

function modelOf(entry: Fields): DiscoveredModel | undefined {
  const model = textOf(entry.id) ?? textOf(entry.name)?.replace(/^models\//, '');
  const methods = entry.supportedGenerationMethods;
  if (model === undefined || noChat.test(model)) return undefined;
  if (Array.isArray(methods) && !methods.includes('generateContent')) return undefined;
  const top = within(entry.top_provider);
  const meta = within(entry.meta);
  const kinds = within(entry.architecture).input_modalities;
  const name =
    textOf(entry.display_name) ??
    textOf(entry.displayName) ??
    (entry.id === undefined ? undefined : textOf(entry.name));
  return compact({
    model,
    name,
    contextWindow: firstCount(
      top.context_length,
      entry.context_length,
      entry.context_window,
      entry.max_model_len,
      entry.max_input_tokens,
      entry.inputTokenLimit,
      meta.n_ctx,
      meta.n_ctx_train,
    ),
    maxOutput: firstCount(
      top.max_completion_tokens,
      entry.max_completion_tokens,
      entry.max_tokens,
      entry.outputTokenLimit,
    ),
    input: Array.isArray(kinds) ? (kinds.includes('image') ? ['text', 'image'] : ['text']) : undefined,
    cost: costOf(entry.pricing),
  });
}

/** OpenRouter's prices: US dollars a token, as texts. */
function costOf(pricing: unknown): DiscoveredModel['cost'] {
  if (!isFields(pricing)) return undefined;
  const perMillion = (value: unknown): number | undefined => {
    const price = typeof value === 'string' && value.trim() !== '' ? priceOf(Number(value)) : undefined;
    // Without the noise of binary fractions.
    return price === undefined ? undefined : Number((price * 1_000_000).toPrecision(9));
  };
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(pricing.input_cache_read) ?? 0;
  const cacheWrite = perMillion(pricing.input_cache_write) ?? 0;
  return { input, output, cacheRead, cacheWrite, validFrom: new Date().toISOString().slice(0, 10) };
}
