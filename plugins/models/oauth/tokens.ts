import { KernError } from 'kern/plugin';
import type { StoredTokens } from './contract.ts';
import type { OAuthDefinition } from './definition.ts';
import { ask, type Way } from './endpoint.ts';

/** What the standard says of a token answer, and what servers add. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly id_token?: string | undefined;
  readonly [field: string]: unknown;
}

/** What is kept of an answer. A server that sends no new refresh token goes on with the old one. */
export async function tokensFrom(
  definition: OAuthDefinition,
  answer: TokenAnswer,
  before: StoredTokens | undefined,
  way: Way,
): Promise<StoredTokens> {
  if (definition.exchange !== undefined) return exchanged(definition, answer.access_token, before, way);
  const refresh = answer.refresh_token ?? before?.refresh;
  const places = [answer, claimsOf(answer.id_token), claimsOf(answer.access_token)];
  const account = accountIn(definition, places) ?? before?.account;
  const data = { ...before?.data, ...headersIn(definition, places) };
  return {
    access: answer.access_token,
    ...(refresh === undefined ? {} : { refresh }),
    ...(answer.expires_in === undefined ? {} : { expires: Date.now() + answer.expires_in * 1000 }),
    ...(account === undefined ? {} : { account }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

/** The token of the sign-in stays, and buys one for the requests. */
export async function exchanged(
  definition: OAuthDefinition,
  bought: string,
  before: StoredTokens | undefined,
  way: Way,
): Promise<StoredTokens> {
  const { exchange } = definition;
  if (exchange === undefined) throw new Error('nothing to exchange'); // callers have looked
  const { host } = new URL(exchange.url);
  const headers = { accept: 'application/json', ...exchange.headers, authorization: `Bearer ${bought}` };
  const response = await ask(exchange.url, { method: 'GET', headers }, way);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status === 401 || response.status === 403 || response.status === 404)
    throw expired(definition, `${host} answered ${response.status}`);
  const access = textIn(answer, ['token']);
  const expires = valueIn(answer, ['expires_at']);
  if (!response.ok || access === undefined)
    throw new KernError('auth_failed', `${host} answered ${response.status}, and no token`);
  const baseUrl = exchange.baseUrl === undefined ? undefined : textIn(answer, exchange.baseUrl);
  const account = accountIn(definition, [answer]) ?? before?.account;
  return {
    access,
    refresh: bought,
    ...(typeof expires === 'number' ? { expires: expires * 1000 } : {}),
    ...(account === undefined ? {} : { account }),
    ...(baseUrl === undefined ? {} : { data: { baseUrl } }),
  };
}

/** One has to sign in again. */
export function expired(definition: OAuthDefinition, why: string): KernError {
  return new KernError('auth_expired', `the sign-in for ${definition.id} is no longer valid: ${why}`, {
    hint: `sign in again: kern auth login ${definition.id}`,
  });
}

/** Headers that stand in claims, as data to keep: `header:chatgpt-account-id`. */
function headersIn({ claimHeaders = {} }: OAuthDefinition, places: readonly unknown[]): Record<string, string> {
  const found = Object.entries(claimHeaders).flatMap(([header, names]) => {
    const value = places.map((place) => textIn(place, names)).find((text) => text !== undefined);
    return value === undefined ? [] : [[`header:${header}`, value] as const];
  });
  return Object.fromEntries(found);
}

function accountIn({ accountFrom = [] }: OAuthDefinition, places: readonly unknown[]): string | undefined {
  return accountFrom.flatMap((names) => places.map((place) => textIn(place, names))).find((text) => text !== undefined);
}

/** What a token says of itself. It came from the server that made it: nothing is decided by it but how it is shown and sent. */
function claimsOf(token: string | undefined): unknown {
  const payload = token?.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined; // opaque, as most are
  }
}

function textIn(value: unknown, names: readonly string[]): string | undefined {
  const found = valueIn(value, names);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function valueIn(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (place, name) =>
      typeof place === 'object' && place !== null && Object.hasOwn(place, name)
        ? (place as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}
