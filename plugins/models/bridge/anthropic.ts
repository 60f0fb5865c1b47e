import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest, StreamEvent, ThinkingLevel } from '../contract.ts';
import { clampThinking, reasoningFor } from '../thinking.ts';
import { cachePlaces } from './cache-places.ts';
import { anthropicDeltas } from './deltas.ts';
import { commonImages, type Dialect } from './dialect.ts';
import type { CacheRetention, Endpoint } from './endpoint.ts';
import { KeptModel } from './kept.ts';
import { toPrompt, toTools } from './prompt.ts';
import { type Signatures, textAt } from './reply.ts';
import { type Options, reply, type Wire } from './run.ts';

export const anthropicApi = 'anthropic-messages';

export const anthropicDialect: Dialect = {
  api: anthropicApi,
  imagesInResults: true,
  imageTypes: commonImages,
  longestCallId: 64,
  thinking(text, signature, redacted) {
    if (signature === undefined) return undefined; // unsigned reasoning is refused
    if (redacted) return { text: '', providerOptions: { anthropic: { redactedData: signature } } };
    return { text, providerOptions: { anthropic: { signature } } };
  },
};

export const anthropicSignatures: Signatures = {
  thinking: (metadata) => textAt(metadata, 'anthropic', 'signature'),
  redacted: (metadata) => textAt(metadata, 'anthropic', 'redactedData'),
};

/** One reply over Anthropic Messages. */
export function anthropicReply(
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const prepare: Wire['prepare'] = async (fetch) => {
    const { anthropicModel } = await import('./anthropic-model.ts');
    return {
      model: anthropicModel(endpoint, request.model.model, fetch),
      options: anthropicOptions(endpoint, request),
    };
  };
  const wire = { api: anthropicApi, deltas: anthropicDeltas, signatures: anthropicSignatures, prepare };
  return reply(wire, endpoint, endpoint.cacheRetention === 'long' ? keptLonger(request) : request, signal);
}

/** What is written into the cache for an hour costs twice what it costs as input; catalogues have the price for minutes. */
export function keptLonger(request: ModelRequest): ModelRequest {
  const { model } = request;
  if (model.cost === null) return request;
  const { tiers, ...usual } = model.cost;
  const longer = <T extends { readonly input: number }>(price: T) => ({ ...price, cacheWrite: 2 * price.input });
  const cost = { ...longer(usual), ...(tiers === undefined ? {} : { tiers: tiers.map(longer) }) };
  return { ...request, model: { ...model, cost } };
}

/** What is asked of Claude, whoever serves it. */
export function anthropicOptions(endpoint: Endpoint, request: ModelRequest): Options {
  const { written } = endpoint.kept ?? new KeptModel();
  const prompt = toPrompt(request, anthropicDialect, { written, foreignReasoning: endpoint.foreignReasoning });
  const tools = toTools(request.tools);
  // A title or a summary is asked for once: to write it into the cache costs, and nobody reads it there.
  if (request.purpose === 'turn') markForCache(prompt, tools, endpoint.cacheRetention ?? 'short');
  const { limit, reasoning, budget } = thinkingOf(request, prompt);
  const thinking = budget === undefined ? {} : { thinking: { type: 'enabled', budgetTokens: budget } };
  return {
    prompt,
    maxOutputTokens: limit,
    providerOptions: { anthropic: { toolStreaming: endpoint.official === true, ...thinking } },
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}

type Thinking = { readonly limit: number; readonly reasoning?: Options['reasoning']; readonly budget?: number };

/** The least that the vendor takes as a budget. */
const leastBudget = 1_024;

const usualBudgets: Readonly<Partial<Record<ThinkingLevel, number>>> = {
  minimal: leastBudget,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};

/** How much a model that Anthropic has made may think, whoever serves it. */
export function thinkingOf(request: ModelRequest, prompt: LanguageModelV4Prompt): Thinking {
  const { model } = request;
  const limit = request.maxOutput ?? model.maxOutput;
  const reasoning = reasoningFor(model.thinking, request.thinking);
  if (reasoning === undefined) return { limit };
  const level = clampThinking(model.thinking, request.thinking);
  // Of Claude the package knows which ones think by budget; others who speak this wire do.
  const given = model.thinkingBudgets?.[level] ?? (/claude/i.test(model.model) ? undefined : usualBudgets[level]);
  if (reasoning === 'none' || given === undefined) return { limit, reasoning };
  // A model that thinks by budget refuses the rest of a turn in which another one has called its tools without thinking.
  if (!mayThink(prompt) || limit < 2 * leastBudget) return { limit, reasoning: 'none' };
  const budget = Math.max(leastBudget, Math.min(given, limit - leastBudget));
  // The package adds the budget to the limit.
  return { limit: limit - budget, budget };
}

/** Whether the last reply, if its calls have just been answered, begins with reasoning. */
function mayThink(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.findLast(({ role }) => role !== 'tool');
  return last?.role !== 'assistant' || last.content[0]?.type === 'reasoning';
}

/** There are four places a prompt can be cached at: after the tools is one of them. */
function markForCache(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[] | undefined,
  retention: CacheRetention,
): void {
  if (retention === 'none') return;
  const ttl = retention === 'long' ? { ttl: '1h' } : {};
  const providerOptions: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral', ...ttl } } };
  const lastTool = tools?.at(-1);
  if (lastTool !== undefined) lastTool.providerOptions = providerOptions;
  for (const at of cachePlaces(prompt)) {
    const message = prompt[at];
    // A copy: messages are kept for the next request.
    if (message !== undefined) prompt[at] = { ...message, providerOptions };
  }
}
