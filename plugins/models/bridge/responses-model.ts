import { OpenAIResponsesLanguageModel } from '@ai-sdk/openai/internal';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Endpoint, keyHeaders, withoutSlash } from './endpoint.ts';

/** The package's model without its provider, which has all its other models with it. Loaded with the first request. */
export function responsesModel(endpoint: Endpoint, model: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const baseURL = withoutSlash(endpoint.baseUrl);
  return new OpenAIResponsesLanguageModel(model, {
    provider: 'openai.responses',
    baseURL,
    url: ({ path }) => `${baseURL}${path}`,
    headers: { ...keyHeaders(endpoint, 'authorization'), ...endpoint.headers },
    fetch,
  });
}
