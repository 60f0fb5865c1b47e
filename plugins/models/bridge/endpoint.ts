import type { ForeignReasoning } from './dialect.ts';
import type { KeptModel } from './kept.ts';

/** Where one request goes, and with what. Made by a provider each time, so that a changed key counts at once. */
export interface Endpoint {
  /** The provider's id, for messages. */
  readonly provider: string;
  /** As the wire wants it: the Anthropic wire without `/v1`, the OpenAI wires with it. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** The key is a token of a sign-in: it goes as `Authorization: Bearer`, whatever the wire does with keys. */
  readonly bearer?: boolean | undefined;
  /** The key is for these hosts only. */
  readonly hosts?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What to look at when the server refuses the key, or is not there: `check ANTHROPIC_API_KEY`. */
  readonly fix?: string | undefined;
  /** How long the server may be silent, in ms. */
  readonly idleTimeoutMs?: number | undefined;
  /** The vendor's own server, which understands more than its copies do. */
  readonly official?: boolean | undefined;
  /** The name of the model at this server, where it is another. */
  readonly deployment?: string | undefined;
  /** What stands in the query of each request's address. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** On the wire `google`: Vertex AI, which takes it in a form of its own, at a base URL that is whole. */
  readonly isVertex?: boolean | undefined;
  /** What may be used again by the provider's next request: `keptModel()`, made once. */
  readonly kept?: KeptModel | undefined;
  /** What becomes of other models' reasoning. Default: it is dropped. */
  readonly foreignReasoning?: ForeignReasoning | undefined;
  /** How long a prompt is to stay in the vendor's cache. Default: `short`, which is minutes; `long` is hours and may cost more. */
  readonly cacheRetention?: CacheRetention | undefined;
  /** The server is to keep replies, so that the next request need not repeat them. Only where the wire knows how. */
  readonly store?: boolean | undefined;
}

export type CacheRetention = 'none' | 'short' | 'long';

export const defaultIdleTimeoutMs = 300_000;

/** Host and port of an endpoint, for messages; never its path, query or credentials. */
export function hostOf(endpoint: Endpoint): string {
  return URL.canParse(endpoint.baseUrl) ? new URL(endpoint.baseUrl).host : endpoint.baseUrl.slice(0, 60);
}

/** The base with exactly one `/v1`: the Anthropic wire's base is given without it, and often with it. */
export function withVersion(baseUrl: string): string {
  const bare = withoutSlash(baseUrl);
  return bare.endsWith('/v1') ? bare : `${bare}/v1`;
}

/** The base as it is, less the slashes at its end. */
export function withoutSlash(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** The base of Gemini, which is given without a version, and at times with one. */
export function withGoogleVersion(baseUrl: string): string {
  const bare = withoutSlash(baseUrl);
  return /\/v1(beta|alpha)?\d*$/.test(bare) ? bare : `${bare}/v1beta`;
}

/** The key as a server wants it: in its own header, or as a bearer. None where there is no key. */
export function keyHeaders({ apiKey, bearer }: Endpoint, name: string): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return bearer === true || name === 'authorization' ? { authorization: `Bearer ${apiKey}` } : { [name]: apiKey };
}
