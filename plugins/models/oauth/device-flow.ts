import { setTimeout as pause } from 'node:timers/promises';
import { KernError } from 'kern/plugin';
import type { LoginUi, StoredTokens } from './contract.ts';
import type { OAuthDefinition } from './definition.ts';
import { endpointFetch, isThisMachine, type Way } from './endpoint.ts';
import { server } from './server.ts';
import { tokensFrom } from './tokens.ts';

/** What the standard adds to the interval when the server is asked too often, in s. */
const slowDown = 5;

/** The device flow: a code to type on a page, which may be open anywhere. */
export async function signInByDevice(definition: OAuthDefinition, ui: LoginUi, way: Way): Promise<StoredTokens> {
  const { signal } = way;
  const { device, scopes = [] } = definition;
  if (device === undefined) throw new Error('no place to ask for a code'); // callers have looked
  const oauth = await import('oauth4webapi');
  const { as, client } = server(definition);
  const options = {
    [oauth.customFetch]: endpointFetch(definition, way),
    [oauth.allowInsecureRequests]: isThisMachine(device.url),
    signal,
  };
  const wanted: Record<string, string> = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
  const given = await oauth.processDeviceAuthorizationResponse(
    as,
    client,
    await oauth.deviceAuthorizationRequest(as, client, oauth.None(), wanted, options),
  );
  const { verification_uri, verification_uri_complete, user_code, device_code, expires_in } = given;
  ui.show({ url: verification_uri_complete ?? verification_uri, code: user_code });
  const end = Date.now() + expires_in * 1000;
  let interval = given.interval ?? 5;
  for (;;) {
    await pause(interval * 1000, undefined, { signal });
    if (Date.now() > end) throw late();
    try {
      const response = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), device_code, options);
      const answer = await oauth.processDeviceCodeResponse(as, client, response);
      return await tokensFrom(definition, answer, undefined, way);
    } catch (error) {
      const said = error instanceof oauth.ResponseBodyError ? error.error : undefined;
      if (said === 'slow_down') interval += slowDown;
      else if (said === 'expired_token') throw late();
      else if (said !== 'authorization_pending') throw error;
    }
  }
}

function late(): KernError {
  return new KernError('auth_failed', 'nobody typed the code before it expired', { hint: 'try again' });
}
