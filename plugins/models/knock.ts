import { withoutSlash } from './bridge/endpoint.ts';
import { send } from './bridge/http.ts';
import type { Model } from './contract.ts';
import { describeModel } from './describe.ts';

/** How long a local server has to answer: one that runs needs a few ms, and a start must not wait for one that does not. */
const knockMs = 300;

/** The models of a server that speaks like OpenAI; undefined when nothing answers there. */
export async function serverModels(
  provider: string,
  baseUrl: string,
  signal: AbortSignal | undefined,
): Promise<readonly Model[] | undefined> {
  try {
    const limit = AbortSignal.timeout(knockMs);
    const response = await send(`${withoutSlash(baseUrl)}/models`, {
      method: 'GET',
      headers: {},
      body: '',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    if (!response.ok) {
      void response.pieces.return?.();
      return undefined;
    }
    const answer: unknown = JSON.parse(await response.text());
    return isList(answer) ? answer.data.filter(isEntry).map((entry) => modelOf(provider, entry)) : undefined;
  } catch {
    return undefined; // nothing listens there, or something else does
  }
}

/** Whether an address leads to this machine. */
export function isLoopback(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

interface ServerEntry {
  readonly id: string;
  readonly max_model_len?: unknown;
  readonly meta?: unknown;
}

function isList(answer: unknown): answer is { readonly data: readonly unknown[] } {
  return typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data);
}

function isEntry(entry: unknown): entry is ServerEntry {
  return (
    typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string' && entry.id !== ''
  );
}

/** vLLM tells its context as `max_model_len`, llama.cpp as `meta.n_ctx` or what the model was trained with. */
function modelOf(provider: string, { id, max_model_len: limit, meta }: ServerEntry): Model {
  const about = typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>) : {};
  const told = [limit, about.n_ctx, about.n_ctx_train].find((value) => typeof value === 'number' && value > 0);
  const contextWindow = typeof told === 'number' ? told : 32_768;
  return describeModel(provider, id, { contextWindow, maxOutput: Math.min(8_192, contextWindow) });
}
