import type { ModelRequest, StreamEvent } from '../contract.ts';
import { reasoningFor } from '../thinking.ts';
import { chatDeltas } from './deltas.ts';
import { type Endpoint, withoutSlash } from './endpoint.ts';
import { KeptModel } from './kept.ts';
import { type Dialect, toPrompt, toTools } from './prompt.ts';
import { type Options, reply, type Wire } from './run.ts';

export const chatApi = 'openai-completions';

const dialect: Dialect = {
  api: chatApi,
  imagesInResults: false,
  longestCallId: 40,
  thinking: (text) => (text === '' ? undefined : { text }),
};

/** One reply over Chat Completions: OpenAI, and all the servers that speak like it. */
export function chatReply(endpoint: Endpoint, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const prepare: Wire['prepare'] = async (fetch, ending) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { baseUrl, apiKey, headers, official = false, kept = new KeptModel() } = endpoint;
    const { sessionId } = request;
    const parts = [request.model.model, baseUrl, apiKey, headers, official, sessionId];
    const model = kept.model(parts, { fetch, signal: ending }, (send) =>
      createOpenAICompatible({
        name: 'kern',
        baseURL: withoutSlash(baseUrl),
        ...(apiKey === undefined ? {} : { apiKey }),
        headers: { ...headers },
        includeUsage: true,
        transformRequestBody: (body) => (official ? asOfficial(body, sessionId) : body),
        fetch: send,
      }).chatModel(request.model.model),
    );
    return { model, options: optionsFor(endpoint, request) };
  };
  return reply({ api: chatApi, deltas: chatDeltas, prepare }, endpoint, request, signal);
}

function optionsFor(endpoint: Endpoint, request: ModelRequest): Options {
  const tools = toTools(request.tools);
  const reasoning = reasoningFor(request.model.thinking, request.thinking);
  // `none` is a word that only the newest servers know
  const isSaid = reasoning !== undefined && (reasoning !== 'none' || endpoint.official === true);
  return {
    prompt: toPrompt(request, dialect),
    ...(request.maxOutput === undefined ? {} : { maxOutputTokens: request.maxOutput }),
    ...(tools === undefined ? {} : { tools }),
    ...(isSaid ? { reasoning } : {}),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}

/** OpenAI has renamed `max_tokens`, and finds its cache again by a key. */
function asOfficial(body: Record<string, unknown>, sessionId: string): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return {
    ...rest,
    ...(limit === undefined ? {} : { max_completion_tokens: limit }),
    prompt_cache_key: sessionId,
  };
}
