import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest, StreamEvent } from '../contract.ts';
import { keptLonger, thinkingOf } from './anthropic.ts';
import type { BedrockEndpoint } from './bedrock-endpoint.ts';
import { cachePlaces } from './cache-places.ts';
import { commonImages, type Dialect } from './dialect.ts';
import type { CacheRetention } from './endpoint.ts';
import { KeptModel } from './kept.ts';
import { toPrompt, toTools } from './prompt.ts';
import { type Signatures, textAt } from './reply.ts';
import { type Options, reply, type Wire } from './run.ts';

export const bedrockApi = 'bedrock-converse-stream';

const vendor = 'amazonBedrock';
const isClaude = (model: string): boolean => model.includes('claude');

const bedrockDialect = (model: string): Dialect => ({
  api: bedrockApi,
  imagesInResults: /claude|\bnova/.test(model),
  imageTypes: commonImages,
  longestCallId: 64,
  thinking(text, signature) {
    if (signature === undefined) return undefined; // unsigned reasoning would be shown as part of the reply
    const hidden = hiddenIn(signature);
    if (hidden !== undefined) return { text: '', providerOptions: { [vendor]: hidden } };
    return { text, providerOptions: { [vendor]: { signature } } };
  },
});

/** Reasoning that only the model itself can read comes in two fields, and has to go back in the one it came in. */
const hiddenFields = ['redactedData', 'redactedContent'] as const;

const signatures: Signatures = {
  thinking(metadata) {
    for (const field of hiddenFields) {
      const hidden = textAt(metadata, vendor, field);
      if (hidden !== undefined) return JSON.stringify({ [field]: hidden });
    }
    return textAt(metadata, vendor, 'signature');
  },
};

function hiddenIn(signature: string): Record<string, string> | undefined {
  if (!signature.startsWith('{"redacted')) return undefined;
  return JSON.parse(signature) as Record<string, string>; // written above
}

/** One reply over Bedrock's Converse, which all of its models speak. */
export function bedrockReply(
  endpoint: BedrockEndpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const prepare: Wire['prepare'] = async (fetch) => {
    const { bedrockModel } = await import('./bedrock-model.ts');
    return { model: await bedrockModel(endpoint, request.model.model, fetch), options: optionsFor(endpoint, request) };
  };
  const wire: Wire = { api: bedrockApi, deltas: noDeltas, signatures, isBinary: true, prepare };
  return reply(wire, endpoint, endpoint.cacheRetention === 'long' ? keptLonger(request) : request, signal);
}

/** Its stream is no text, and nothing in it is joined. */
const noDeltas: Wire['deltas'] = { find: () => undefined, put: () => {}, last: /$^/, isLast: () => false };

function optionsFor(endpoint: BedrockEndpoint, request: ModelRequest): Options {
  const { model } = request.model;
  const { written } = endpoint.kept ?? new KeptModel();
  const prompt = toPrompt(request, bedrockDialect(model), { written, foreignReasoning: endpoint.foreignReasoning });
  const tools = toTools(request.tools);
  const isCached = request.purpose === 'turn' && (isClaude(model) || model.includes('amazon.nova'));
  if (isCached) markForCache(prompt, endpoint.cacheRetention ?? 'short', isClaude(model));
  const { limit, reasoning, budget } = thinkingOf(request, prompt);
  const thinking = budget === undefined ? {} : { reasoningConfig: { type: 'enabled', budgetTokens: budget } };
  return {
    prompt,
    maxOutputTokens: limit,
    providerOptions: { [vendor]: thinking },
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}

function markForCache(prompt: LanguageModelV4Prompt, retention: CacheRetention, knowsHours: boolean): void {
  if (retention === 'none') return;
  const ttl = retention === 'long' && knowsHours ? { ttl: '1h' } : {};
  const providerOptions: SharedV4ProviderOptions = { [vendor]: { cachePoint: { type: 'default', ...ttl } } };
  for (const at of cachePlaces(prompt)) {
    const message = prompt[at];
    // A copy: messages are kept for the next request.
    if (message !== undefined) prompt[at] = { ...message, providerOptions };
  }
}
