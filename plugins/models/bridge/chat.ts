import type { ModelRequest, StreamEvent } from '../contract.ts';
import { reasoningFor } from '../thinking.ts';
import { chatDeltas } from './deltas.ts';
import { commonImages, type Dialect } from './dialect.ts';
import { type Endpoint, withoutSlash } from './endpoint.ts';
import { KeptModel } from './kept.ts';
import { toPrompt, toTools } from './prompt.ts';
import { type Signatures, textAt } from './reply.ts';
import { type Options, reply, type Wire } from './run.ts';

export const chatApi = 'openai-completions';

const dialect: Dialect = {
  api: chatApi,
  imagesInResults: false,
  imageTypes: commonImages,
  longestCallId: 40,
  thinking: (text) => (text.trim() === '' ? undefined : { text }),
  callOptions: (thoughtSignature) => ({ google: { thoughtSignature } }),
};

/** Gemini signs its calls on this wire too. */
const signatures: Signatures = { call: (metadata) => textAt(metadata, packageName, 'thoughtSignature') };
const packageName = 'kern';

/** One reply over Chat Completions: OpenAI, and all the servers that speak like it. */
export function chatReply(endpoint: Endpoint, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { kept = new KeptModel() } = endpoint;
  const prepare: Wire['prepare'] = async (fetch, ending) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { baseUrl, apiKey, headers, official = false } = endpoint;
    const { sessionId } = request;
    const cacheKey = official && endpoint.cacheRetention !== 'none' ? sessionId : undefined;
    const name = endpoint.deployment ?? request.model.model;
    const parts = [name, baseUrl, apiKey, headers, official, cacheKey];
    const model = kept.model(parts, { fetch, signal: ending }, (send) =>
      createOpenAICompatible({
        name: packageName,
        baseURL: withoutSlash(baseUrl),
        ...(apiKey === undefined ? {} : { apiKey }),
        headers: { ...headers },
        includeUsage: true,
        transformRequestBody: (body) => (official ? asOfficial(body, cacheKey) : body),
        fetch: send,
      }).chatModel(name),
    );
    return { model, options: optionsFor(endpoint, request, kept) };
  };
  return reply({ api: chatApi, deltas: chatDeltas, signatures, prepare }, endpoint, request, signal);
}

function optionsFor(endpoint: Endpoint, request: ModelRequest, { written }: KeptModel): Options {
  const tools = toTools(request.tools);
  const reasoning = reasoningFor(request.model.thinking, request.thinking);
  // `none` is a word that only the newest servers know
  const isSaid = reasoning !== undefined && (reasoning !== 'none' || endpoint.official === true);
  return {
    prompt: toPrompt(request, dialect, { written, foreignReasoning: endpoint.foreignReasoning }),
    ...(request.maxOutput === undefined ? {} : { maxOutputTokens: request.maxOutput }),
    ...(tools === undefined ? {} : { tools }),
    ...(isSaid ? { reasoning } : {}),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}

/** OpenAI has renamed `max_tokens`, and finds its cache again by a key. */
function asOfficial(body: Record<string, unknown>, cacheKey: string | undefined): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return {
    ...rest,
    ...(limit === undefined ? {} : { max_completion_tokens: limit }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}
