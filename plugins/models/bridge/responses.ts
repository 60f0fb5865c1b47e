import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Message, ModelRequest, StreamEvent } from '../contract.ts';
import { reasoningFor } from '../thinking.ts';
import { responsesDeltas } from './deltas.ts';
import { commonImages, type Dialect } from './dialect.ts';
import type { CacheRetention, Endpoint } from './endpoint.ts';
import { ModelError } from './failure.ts';
import { KeptModel } from './kept.ts';
import { toPrompt, toTools } from './prompt.ts';
import { type Signatures, textAt } from './reply.ts';
import { type Options, reply, type Wire } from './run.ts';

export const responsesApi = 'openai-responses';

/** A reasoning item: `encrypted_content` is what the model itself reads. */
interface ReasoningItem {
  readonly id: string;
  readonly encrypted_content?: string;
}

export const responsesDialect: Dialect = {
  api: responsesApi,
  imagesInResults: true,
  imageTypes: commonImages,
  longestCallId: 64,
  thinking(text, signature) {
    const item = signature === undefined ? undefined : itemIn(signature);
    if (item === undefined) return undefined;
    const { id, encrypted_content: encrypted } = item;
    const content = encrypted === undefined ? {} : { reasoningEncryptedContent: encrypted };
    return { text, providerOptions: { openai: { itemId: id, ...content } } };
  },
  textOptions: (phase) => ({ openai: { phase } }),
};

export const responsesSignatures: Signatures = {
  thinking(metadata, isEnd) {
    const id = textAt(metadata, 'openai', 'itemId');
    if (!isEnd || id === undefined) return undefined;
    const encrypted = textAt(metadata, 'openai', 'reasoningEncryptedContent');
    return JSON.stringify({ id, ...(encrypted === undefined ? {} : { encrypted_content: encrypted }) });
  },
  text: (metadata) => textAt(metadata, 'openai', 'phase'),
};

function itemIn(signature: string): ReasoningItem | undefined {
  try {
    const item: unknown = JSON.parse(signature);
    if (typeof item !== 'object' || item === null || !('id' in item) || typeof item.id !== 'string') return undefined;
    const content = 'encrypted_content' in item ? item.encrypted_content : undefined;
    return { id: item.id, ...(typeof content === 'string' ? { encrypted_content: content } : {}) };
  } catch {
    return undefined; // of another origin
  }
}

/** One reply over OpenAI Responses. */
export function responsesReply(
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const stored = endpoint.store === true ? storedBefore(endpoint, request) : undefined;
  if (stored === undefined) return reply(wireFor(endpoint, request, undefined), endpoint, request, signal);
  return unlessLost(endpoint, request, stored, signal);
}

function wireFor(endpoint: Endpoint, request: ModelRequest, stored: Stored | undefined): Wire {
  const { kept = new KeptModel() } = endpoint;
  const prepare: Wire['prepare'] = async (fetch, ending) => {
    const { responsesModel } = await import('./responses-model.ts');
    const { baseUrl, apiKey, headers } = endpoint;
    const name = endpoint.deployment ?? request.model.model;
    const parts = [responsesApi, name, baseUrl, apiKey, headers];
    const sent = { fetch, signal: ending };
    const model = kept.model(parts, sent, (send) => responsesModel(endpoint, name, send));
    return { model, options: optionsFor(endpoint, request, kept, stored) };
  };
  const done: Wire['done'] = ({ responseId }) => {
    if (endpoint.store === true && responseId !== undefined) remember(endpoint, request, responseId);
  };
  return { api: responsesApi, deltas: responsesDeltas, signatures: responsesSignatures, prepare, ending, done };
}

/** The package takes an event that lacks a field, as copies of the server send them, for the end of all. */
const ending: NonNullable<Wire['ending']> = (last) => {
  const { type, response } = last as { type: string; response?: { incomplete_details?: { reason?: string } | null } };
  if (type === 'response.failed') return 'error';
  const reason = response?.incomplete_details?.reason;
  if (reason === 'max_output_tokens') return 'length';
  return reason === 'content_filter' ? 'content-filter' : 'stop';
};

function optionsFor(
  endpoint: Endpoint,
  request: ModelRequest,
  { written }: KeptModel,
  stored: Stored | undefined,
): Options {
  const { model, sessionId } = request;
  const whole = toPrompt(request, responsesDialect, { written, foreignReasoning: endpoint.foreignReasoning });
  // Unsaid, it is true on this wire, and refuses most schemas.
  const tools = toTools(request.tools)?.map((tool) => ({ ...tool, strict: false }));
  const reasoning = reasoningFor(model.thinking, request.thinking);
  const store = endpoint.store === true;
  return {
    prompt: stored === undefined ? whole : afterReply(whole),
    ...(request.maxOutput === undefined ? {} : { maxOutputTokens: request.maxOutput }),
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
    providerOptions: {
      openai: {
        store,
        ...(stored === undefined ? {} : { previousResponseId: stored.responseId }),
        // The package knows OpenAI's names only.
        forceReasoning: reasoning !== undefined,
        ...(reasoning === undefined || reasoning === 'none' ? {} : { reasoningSummary: 'auto' }),
        ...(endpoint.official === true
          ? cacheOptions(endpoint.cacheRetention ?? 'short', sessionId)
          : { systemMessageMode: 'system' }), // copies of the server do not know the role `developer`
      },
    },
  };
}

/** Newer models take the first of the two ways to say how long, older ones the second; the package knows which. */
function cacheOptions(retention: CacheRetention, sessionId: string): SharedV4ProviderOptions[string] {
  if (retention === 'none') return {};
  const long = { promptCacheRetention: '24h' };
  return { promptCacheKey: sessionId, ...(retention === 'long' ? long : {}) };
}

// --- Replies that the server keeps --------------------------------------------------------------------------------

/** The last reply that the server has kept, and the request that it answered. */
interface Stored {
  readonly responseId: string;
  readonly count: number;
  readonly last: Message | undefined;
  readonly head: string;
}

const placeOf = ({ provider, baseUrl }: Endpoint): string => JSON.stringify([responsesApi, provider, baseUrl]);
const headOf = ({ systemPrompt, tools }: ModelRequest): string => JSON.stringify([systemPrompt, tools]);

function remember(endpoint: Endpoint, request: ModelRequest, responseId: string): void {
  const { messages } = request;
  const stored: Stored = { responseId, count: messages.length, last: messages.at(-1), head: headOf(request) };
  request.state?.set(placeOf(endpoint), stored);
}

/** What the server has of this conversation, if this request is what it has and more. */
function storedBefore(endpoint: Endpoint, request: ModelRequest): Stored | undefined {
  const { messages, state } = request;
  const stored = state?.get(placeOf(endpoint)) as Stored | undefined; // nobody else writes there
  if (stored === undefined || stored.head !== headOf(request) || messages[stored.count - 1] !== stored.last)
    return undefined;
  const [reply, ...after] = messages.slice(stored.count);
  if (reply?.role !== 'assistant' || reply.responseId !== stored.responseId) return undefined;
  return after.length === 0 || after.some(({ role }) => role === 'assistant') ? undefined : stored;
}

/** What follows the last reply: results, and what was said since. */
function afterReply(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.slice(prompt.findLastIndex(({ role }) => role === 'assistant') + 1);
}

/** Whatever the server has lost of it is sent again. */
async function* unlessLost(
  endpoint: Endpoint,
  request: ModelRequest,
  stored: Stored,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let hasBegun = false;
  try {
    for await (const event of reply(wireFor(endpoint, request, stored), endpoint, request, signal)) {
      hasBegun = true;
      yield event;
    }
    return;
  } catch (error) {
    const isLost =
      error instanceof ModelError && (error.code === 'model_not_found' || error.code === 'model_bad_request');
    if (hasBegun || !isLost) throw error;
    request.state?.delete(placeOf(endpoint));
  }
  yield* reply(wireFor(endpoint, request, undefined), endpoint, request, signal);
}
