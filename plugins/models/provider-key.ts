import { codeOf } from 'kern/plugin';
import type { Endpoint } from './bridge/endpoint.ts';
import type { Credential, ModelRequest, StreamEvent } from './contract.ts';
import { keyAtHand, keyVariables } from './key-source.ts';
import type { Auth } from './oauth/contract.ts';
import { whenAsked } from './when-asked.ts';

/** What a credential gives a `ModelEndpoint`: spread over it, last. */
export type SentKey = Pick<Endpoint, 'apiKey' | 'bearer' | 'hosts'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly baseUrl?: string;
};

/** The key of a provider of models. */
export interface ProviderKey {
  /** For `ModelProvider.keys`. */
  keys(): readonly string[];
  /** Whether there is something, without a command, a refresh or a network call. */
  has(): boolean;
  /** What to do where there is nothing. */
  missing(): string | undefined;
  /** The key of now, for requests beside replies; a token of a sign-in is none. */
  secret(signal: AbortSignal): Promise<string | undefined>;
  /** A reply with the key of now. While nothing has been streamed, a refused or used-up key gives way to the next account. */
  reply(
    request: ModelRequest,
    signal: AbortSignal,
    ask: (sent: SentKey) => AsyncIterable<StreamEvent>,
  ): AsyncIterable<StreamEvent>;
}

export interface ProviderKeyParts {
  readonly provider: string;
  /** `$NAME`, `!command` or the key itself, in order. */
  readonly keys: () => readonly string[];
  /** Asked at each request. Without it, there is the environment only. */
  readonly auth?: (() => Auth) | undefined;
}

/** No account is asked twice in a row, so this is only reached where accounts come and go. */
const mostAccounts = 20;
/** How long an account rests whose server does not say when its limit is over. */
const quotaRestMs = 15 * 60_000;

export function providerKey({ provider, keys, auth }: ProviderKeyParts): ProviderKey {
  const isAtHand = (): boolean => keys().some((source) => keyAtHand(source).isThere);
  const has = (): boolean => isAtHand() || (auth?.().has(provider) ?? false);
  const read = async (signal: AbortSignal, sessionId?: string): Promise<Credential | undefined> => {
    if (auth !== undefined) return auth().credential(provider, signal, sessionId);
    const secret = keys().reduce<string | undefined>((found, source) => found ?? keyAtHand(source).key, undefined);
    return secret === undefined ? undefined : { kind: 'key', secret, account: 'environment' };
  };
  /** Notes a failure that has to do with the account; answers whether there is another one. */
  const isElsewhere = async (error: unknown, credential: Credential | undefined): Promise<boolean> => {
    const failure = failureOf(error);
    if (failure === undefined || credential === undefined || auth === undefined) return false;
    return auth().failed(provider, credential, failure.why, failure.retryAfterMs);
  };
  return {
    keys,
    has,
    missing() {
      if (has()) return undefined;
      const names = keyVariables(keys());
      const signIn = `nothing is kept for ${provider} (\`kern auth login ${provider}\`)`;
      if (names.length === 0) return signIn;
      return `${names.join(' or ')} is not set, and ${signIn}`;
    },
    async secret(signal) {
      const credential = await read(signal);
      return credential?.kind === 'key' ? credential.secret : undefined;
    },
    reply: (request, signal, ask) =>
      whenAsked(async () => {
        for (let tries = 1; ; tries += 1) {
          const credential = await read(signal, request.sessionId);
          const events = ask(sentWith(credential))[Symbol.asyncIterator]();
          try {
            return goesOn(await events.next(), events, (error) => void isElsewhere(error, credential).catch(() => {}));
          } catch (error) {
            if (signal.aborted || tries === mostAccounts || !(await isElsewhere(error, credential))) throw error;
          }
        }
      }),
  };
}

function sentWith(credential: Credential | undefined): SentKey {
  if (credential === undefined) return {};
  const { kind, secret, headers, baseUrl, hosts } = credential;
  return {
    apiKey: secret,
    bearer: kind === 'oauth',
    hosts,
    ...(headers === undefined ? {} : { headers }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

function failureOf(
  error: unknown,
): { readonly why: 'unauthorized' | 'limited'; readonly retryAfterMs: number | undefined } | undefined {
  const said = typeof error === 'object' && error !== null && 'retryAfterMs' in error ? error.retryAfterMs : undefined;
  const retryAfterMs = typeof said === 'number' && Number.isFinite(said) ? said : undefined;
  switch (codeOf(error)) {
    case 'model_unauthorized':
      return { why: 'unauthorized', retryAfterMs };
    case 'model_rate_limited':
      return { why: 'limited', retryAfterMs };
    case 'model_quota':
      return { why: 'limited', retryAfterMs: retryAfterMs ?? quotaRestMs };
    default:
      return undefined;
  }
}

/** The stream from its first step on; each event is handed on as it is. */
function goesOn<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  failed: (error: unknown) => void,
): AsyncIterable<T> {
  let isFirst = true;
  const next = (): Promise<IteratorResult<T>> => {
    if (isFirst) {
      isFirst = false;
      return Promise.resolve(first);
    }
    const step = rest.next();
    step.catch(failed);
    return step;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      return: (value?: unknown) => rest.return?.(value) ?? Promise.resolve({ done: true, value }),
    }),
  };
}
