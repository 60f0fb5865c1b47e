import type { ModelRequest, StreamEvent } from '../contract.ts';
import { clampThinking, reasoningFor } from '../thinking.ts';
import { googleDeltas } from './deltas.ts';
import type { Dialect } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import { KeptModel } from './kept.ts';
import { toPrompt, toTools } from './prompt.ts';
import { type Signatures, textAt } from './reply.ts';
import { type Options, reply, type Wire } from './run.ts';

export const googleApi = 'google-generative-ai';

/** Before the third generation results hold text only, and the package would send others without one. */
const textResults = /(^|[/.])gemini-(1|2|pro)|gemma/i;

export const googleDialect = (model: string): Dialect => ({
  api: googleApi,
  imagesInResults: !textResults.test(model),
  imageTypes: new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']),
  longestCallId: 64,
  joinsReplies: true,
  thinking(text, signature) {
    if (text.trim() === '' && signature === undefined) return undefined;
    return { text, ...(signature === undefined ? {} : { providerOptions: signed(signature) }) };
  },
  textOptions: signed,
  callOptions: signed,
});

const signed = (thoughtSignature: string) => ({ google: { thoughtSignature } });

/** The package has two names for itself. */
const signatureIn: NonNullable<Signatures['text']> = (metadata) =>
  textAt(metadata, 'google', 'thoughtSignature') ?? textAt(metadata, 'googleVertex', 'thoughtSignature');

export const googleSignatures: Signatures = { thinking: signatureIn, text: signatureIn, call: signatureIn };

/** One reply from Gemini. */
export function googleReply(
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const { kept = new KeptModel() } = endpoint;
  const prepare: Wire['prepare'] = async (fetch, ending) => {
    const { googleModel } = await import('./google-model.ts');
    const { baseUrl, apiKey, headers, bearer } = endpoint;
    const parts = [googleApi, request.model.model, baseUrl, apiKey, headers, bearer];
    const sent = { fetch, signal: ending };
    const model = kept.model(parts, sent, (send) => googleModel(endpoint, request.model.model, send));
    return { model, options: googleOptions(endpoint, request, kept) };
  };
  return reply(
    { api: googleApi, deltas: googleDeltas, signatures: googleSignatures, prepare },
    endpoint,
    request,
    signal,
  );
}

/** What is asked of Gemini, whoever serves it. */
export function googleOptions(endpoint: Endpoint, request: ModelRequest, { written }: KeptModel): Options {
  const { model } = request;
  const dialect = googleDialect(model.model);
  const tools = toTools(request.tools);
  const reasoning = reasoningFor(model.thinking, request.thinking);
  const budget = model.thinkingBudgets?.[clampThinking(model.thinking, request.thinking)];
  const thinks = reasoning !== undefined && reasoning !== 'none';
  const thinkingConfig = {
    ...(thinks ? { includeThoughts: true } : {}),
    ...(reasoning === undefined || budget === undefined ? {} : { thinkingBudget: budget }),
  };
  return {
    prompt: toPrompt(request, dialect, { written, foreignReasoning: endpoint.foreignReasoning }),
    maxOutputTokens: request.maxOutput ?? model.maxOutput,
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(Object.keys(thinkingConfig).length === 0 ? {} : { providerOptions: { google: { thinkingConfig } } }),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}
