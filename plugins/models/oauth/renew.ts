import type { StoredTokens } from './contract.ts';
import type { OAuthDefinition } from './definition.ts';
import { endpointFetch, isThisMachine, type Way } from './endpoint.ts';
import { server } from './server.ts';
import { exchanged, expired, tokensFrom } from './tokens.ts';

/** What a server says of a refresh token that it does not take any more. */
const refused: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_token',
  'unauthorized_client',
  'access_denied',
]);

/** New tokens for old ones. */
export async function renew(definition: OAuthDefinition, tokens: StoredTokens, way: Way): Promise<StoredTokens> {
  const { refresh } = tokens;
  if (refresh === undefined) throw expired(definition, 'it came without a token to renew it with');
  if (definition.exchange !== undefined) return exchanged(definition, refresh, tokens, way);
  const oauth = await import('oauth4webapi');
  const { as, client } = server(definition);
  try {
    const response = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refresh, {
      [oauth.customFetch]: endpointFetch(definition, way),
      [oauth.allowInsecureRequests]: isThisMachine(definition.tokenUrl),
      signal: way.signal,
    });
    const answer = await oauth.processRefreshTokenResponse(as, client, response);
    return await tokensFrom(definition, answer, tokens, way);
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError) || !refused.has(error.error)) throw error;
    throw expired(definition, `${new URL(definition.tokenUrl).host} answered ${error.error}`);
  }
}

/** Takes back what the tokens allow, the refresh token first: the other usually goes with it. */
export async function revoke(
  definition: OAuthDefinition,
  revokeUrl: string,
  tokens: StoredTokens,
  way: Way,
): Promise<void> {
  const oauth = await import('oauth4webapi');
  const { as, client } = server(definition);
  const response = await oauth.revocationRequest(as, client, oauth.None(), tokens.refresh ?? tokens.access, {
    [oauth.customFetch]: endpointFetch(definition, way),
    [oauth.allowInsecureRequests]: isThisMachine(revokeUrl),
    additionalParameters: { token_type_hint: tokens.refresh === undefined ? 'access_token' : 'refresh_token' },
    signal: way.signal,
  });
  await oauth.processRevocationResponse(response);
}
