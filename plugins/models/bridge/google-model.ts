import { GoogleLanguageModel } from '@ai-sdk/google/internal';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Endpoint, keyHeaders, withGoogleVersion, withoutSlash } from './endpoint.ts';

/** The package's model without its provider, which has all its other models with it. Loaded with the first request. */
export function googleModel(endpoint: Endpoint, model: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  return new GoogleLanguageModel(model, {
    provider: endpoint.isVertex === true ? 'google.vertex.chat' : 'google.generative-ai',
    baseURL: endpoint.isVertex === true ? withoutSlash(endpoint.baseUrl) : withGoogleVersion(endpoint.baseUrl),
    headers: { ...keyHeaders(endpoint, 'x-goog-api-key'), ...endpoint.headers },
    // For calls that come without one.
    generateId: () => `call_${crypto.randomUUID()}`,
    fetch,
  });
}
