import { AnthropicLanguageModel } from '@ai-sdk/anthropic/internal';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Endpoint, keyHeaders, withVersion } from './endpoint.ts';

/**
 * The package's model without its provider: that one has all its other models with it, and looks into the environment.
 * Loaded with the first request.
 */
export function anthropicModel(endpoint: Endpoint, model: string, fetch: typeof globalThis.fetch): LanguageModelV4 {
  return new AnthropicLanguageModel(model, {
    provider: 'anthropic.messages',
    baseURL: withVersion(endpoint.baseUrl),
    headers: { 'anthropic-version': '2023-06-01', ...keyHeaders(endpoint, 'x-api-key'), ...endpoint.headers },
    fetch,
  });
}
