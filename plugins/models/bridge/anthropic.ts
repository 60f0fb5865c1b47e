import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelRequest, StreamEvent } from '../contract.ts';
import { reasoningFor } from '../thinking.ts';
import { anthropicDeltas } from './deltas.ts';
import { type Endpoint, withVersion } from './endpoint.ts';
import { type Dialect, toPrompt, toTools } from './prompt.ts';
import { type Options, reply, type Wire } from './run.ts';

export const anthropicApi = 'anthropic-messages';

const dialect: Dialect = {
  api: anthropicApi,
  imagesInResults: true,
  longestCallId: 64,
  thinking(text, signature, redacted) {
    if (signature === undefined) return undefined; // unsigned reasoning is refused
    if (redacted) return { text: '', providerOptions: { anthropic: { redactedData: signature } } };
    return { text, providerOptions: { anthropic: { signature } } };
  },
};

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** One reply over Anthropic Messages. */
export function anthropicReply(
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const prepare: Wire['prepare'] = async (fetch) => {
    const createAnthropic = await load();
    const settings = {
      baseURL: withVersion(endpoint.baseUrl),
      apiKey: endpoint.apiKey ?? '', // without one the package would look into the environment
      headers: { ...endpoint.headers },
      fetch,
    };
    return { model: createAnthropic(settings)(request.model.model), options: optionsFor(endpoint, request) };
  };
  return reply({ api: anthropicApi, deltas: anthropicDeltas, prepare }, endpoint, request, signal);
}

/** The package makes a provider of its own from the environment as it loads, and fails there on a blank base URL. */
async function load(): Promise<typeof import('@ai-sdk/anthropic').createAnthropic> {
  if (process.env.ANTHROPIC_BASE_URL?.trim() === '') delete process.env.ANTHROPIC_BASE_URL;
  return (await import('@ai-sdk/anthropic')).createAnthropic;
}

function optionsFor(endpoint: Endpoint, request: ModelRequest): Options {
  const prompt = toPrompt(request, dialect);
  const tools = toTools(request.tools);
  // A title or a summary is asked for once: to write it into the cache costs, and nobody reads it there.
  if (request.purpose === 'turn') markForCache(prompt, tools);
  const reasoning = reasoningFor(request.model.thinking, request.thinking);
  return {
    prompt,
    maxOutputTokens: request.maxOutput ?? request.model.maxOutput,
    providerOptions: { anthropic: { toolStreaming: endpoint.official === true } },
    ...(tools === undefined ? {} : { tools }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
  };
}

/**
 * The four places a prompt can be cached at: after the tools, after the system prompt, at the end, and where the end was
 * in the request before, so that a turn of many calls still finds what it wrote.
 */
function markForCache(prompt: LanguageModelV4Prompt, tools: LanguageModelV4FunctionTool[] | undefined): void {
  const lastTool = tools?.at(-1);
  if (lastTool !== undefined) lastTool.providerOptions = cached;
  const first = prompt[0];
  if (first?.role === 'system') first.providerOptions = cached;
  const last = prompt.findLastIndex((message) => message.role === 'user' || message.role === 'tool');
  const reply = prompt.findLastIndex((message, at) => at < last && message.role === 'assistant');
  const before = prompt.findLastIndex(
    (message, at) => at < reply && message.role !== 'assistant' && message.role !== 'system',
  );
  for (const at of [before, last]) {
    const message = prompt[at];
    if (message !== undefined) message.providerOptions = cached;
  }
}
