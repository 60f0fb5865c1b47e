import { KernError, messageOf } from 'kern/plugin';
import type { Credential, Network } from '../contract.ts';
import { redactText } from '../redact.ts';
import type { AuthProvider, StoredTokens } from './contract.ts';
import type { OAuthDefinition } from './definition.ts';

/**
 * A way of signing in, from its description: for the capability `auth-provider`.
 * ```ts
 * ctx.contribute(authProviders, oauthProvider({ id: 'acme', displayName: 'Acme', clientId: 'kern', tokenUrl, browser: { authorizeUrl }, hosts: ['api.acme.example'] }))
 * ```
 */
export function oauthProvider(definition: OAuthDefinition): AuthProvider {
  const { id, displayName, verified = false, revokeUrl } = definition;
  if (definition.browser === undefined && definition.device === undefined)
    throw new KernError('auth_definition', `the sign-in for ${id} has neither a page for the browser nor a device URL`);
  return {
    id,
    displayName,
    verified,
    login: (ui, signal, network) =>
      said(definition, async () => {
        if (definition.browser !== undefined)
          return (await import('./browser-flow.ts')).signInByBrowser(definition, ui, { signal, network });
        return (await import('./device-flow.ts')).signInByDevice(definition, ui, { signal, network });
      }),
    refresh: (tokens, signal, network) =>
      said(definition, async () => (await import('./renew.ts')).renew(definition, tokens, { signal, network })),
    credential: (tokens) => credentialOf(definition, tokens),
    ...(revokeUrl === undefined
      ? {}
      : {
          revoke: (tokens: StoredTokens, signal: AbortSignal, network?: Network) =>
            said(definition, async () =>
              (await import('./renew.ts')).revoke(definition, revokeUrl, tokens, { signal, network }),
            ),
        }),
  };
}

function credentialOf({ id, hosts, requestHeaders }: OAuthDefinition, tokens: StoredTokens): Credential {
  const { access, account = id, data = {} } = tokens;
  const { baseUrl } = data;
  const own = Object.entries(data).flatMap(([name, value]) =>
    name.startsWith('header:') ? [[name.slice('header:'.length), value] as const] : [],
  );
  const headers = { ...requestHeaders, ...Object.fromEntries(own) };
  const named = baseUrl === undefined ? undefined : hostIn(baseUrl, hosts);
  return {
    kind: 'oauth',
    secret: access,
    account,
    hosts: named === undefined ? hosts : [...hosts, named],
    ...(named === undefined ? {} : { baseUrl }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

/** The host of an address that the server named, if it is one of the vendor's: `api.acme.example` lets in `eu.api.acme.example`. */
function hostIn(baseUrl: string, hosts: readonly string[]): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname, protocol } = new URL(baseUrl);
  const isVendors = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return isVendors && (protocol === 'https:' || hostname === '127.0.0.1') ? hostname : undefined;
}

/** An error of the OAuth package as one that a person can act on. What it holds of the answer stays behind: it may be a token. */
async function said<T>(definition: OAuthDefinition, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KernError) throw error;
    if (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)) throw error;
    const fields = error as { readonly error?: unknown; readonly error_description?: unknown };
    const code = typeof fields.error === 'string' ? fields.error : undefined;
    const described = typeof fields.error_description === 'string' ? fields.error_description : undefined;
    const words =
      code === undefined ? messageOf(error) : [code, described].filter((text) => text !== undefined).join(': ');
    throw new KernError(
      'auth_failed',
      `signing in to ${definition.displayName} failed: ${redactText(words).slice(0, 300)}`,
      {
        hint: 'try again; the vendor may have changed how one signs in',
      },
    );
  }
}
