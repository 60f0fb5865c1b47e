import type { AuthorizationServer, Client } from 'oauth4webapi';
import type { OAuthDefinition } from './definition.ts';

/** The definition in the words of the OAuth package. */
export function server(definition: OAuthDefinition): { readonly as: AuthorizationServer; readonly client: Client } {
  const { tokenUrl, issuer = new URL(tokenUrl).origin, device, revokeUrl, clientId } = definition;
  return {
    as: {
      issuer,
      token_endpoint: tokenUrl,
      ...(device === undefined ? {} : { device_authorization_endpoint: device.url }),
      ...(revokeUrl === undefined ? {} : { revocation_endpoint: revokeUrl }),
    },
    client: { client_id: clientId },
  };
}
