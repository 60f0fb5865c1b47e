import { KernError } from 'kern/plugin';
import type { LoginUi, StoredTokens } from './contract.ts';
import type { OAuthDefinition } from './definition.ts';
import { endpointFetch, isThisMachine, type Way } from './endpoint.ts';
import { listenForAnswer, type Redirect } from './listener.ts';
import { server } from './server.ts';
import { tokensFrom } from './tokens.ts';

/** How long a person may take. */
const patienceMs = 10 * 60_000;

/** OAuth 2 with PKCE: a page in the browser, which comes back to this machine; or what it shows is typed here. */
export async function signInByBrowser(definition: OAuthDefinition, ui: LoginUi, way: Way): Promise<StoredTokens> {
  const { signal } = way;
  const { browser, clientId, scopes = [] } = definition;
  if (browser === undefined) throw new Error('no page to open'); // callers have looked
  const oauth = await import('oauth4webapi');
  const { as, client } = server(definition);
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const { host = '127.0.0.1', port = 0, path = '/callback' } = browser.redirect ?? {};
  const redirect: Redirect = { host, port, path };
  await using listener = await listenForAnswer(redirect, state);
  const redirectUri = listener?.redirectUri ?? `http://${host}:${port}${path}`;
  const url = new URL(browser.authorizeUrl);
  const parameters = {
    ...browser.parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const message =
    listener === undefined
      ? `Port ${port} is taken by another program: the page cannot come back by itself.`
      : 'Sign in there; the page comes back by itself.';
  ui.show({ url: url.href, message });

  const answer = await answered(listener?.answer, ui, state, signal);
  const found = oauth.validateAuthResponse(as, client, answer, state);
  ui.progress('Getting the token…');
  const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), found, redirectUri, verifier, {
    [oauth.customFetch]: endpointFetch(definition, way),
    [oauth.allowInsecureRequests]: isThisMachine(definition.tokenUrl),
    // Some servers want to see it again.
    ...(definition.tokenBody === 'json' ? { additionalParameters: { state } } : {}),
    signal,
  });
  return tokensFrom(definition, await oauth.processAuthorizationCodeResponse(as, client, response), undefined, way);
}

/** Whichever comes first: the browser, or what a person has copied from it, on another machine perhaps. */
async function answered(
  browser: Promise<URLSearchParams> | undefined,
  ui: LoginUi,
  state: string,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const done = new AbortController();
  const limit = AbortSignal.any([signal, done.signal, AbortSignal.timeout(patienceMs)]);
  const over = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => {
      if (signal.aborted) reject(signal.reason);
      reject(new KernError('auth_failed', 'nobody signed in within 10 minutes', { hint: 'try again' }));
    });
  });
  over.catch(() => undefined); // where nobody waits any more
  try {
    return await Promise.race([over, ...(browser === undefined ? [] : [browser]), typed(ui, state, limit, browser)]);
  } finally {
    done.abort();
  }
}

async function typed(
  ui: LoginUi,
  state: string,
  signal: AbortSignal,
  browser: Promise<URLSearchParams> | undefined,
): Promise<URLSearchParams> {
  for (;;) {
    const text = await ui.ask('If the browser is elsewhere, paste the address it ends at, or the code: ', signal);
    if (text === undefined) {
      // Nobody can be asked: the browser is the only way.
      if (browser !== undefined) return browser;
      throw new KernError('auth_failed', 'nobody typed the code', { hint: 'run it again in a terminal' });
    }
    const found = parametersIn(text, state);
    if (found !== undefined) return found;
    ui.progress('There is no code in that.');
  }
}

/** An address, `code#state`, `code=…&state=…`, or the code alone. */
export function parametersIn(text: string, state: string): URLSearchParams | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  if (URL.canParse(given) && /^https?:/.test(given)) {
    const { searchParams } = new URL(given);
    return searchParams.has('code') || searchParams.has('error') ? searchParams : undefined;
  }
  if (/(^|[?&])(code|error)=/.test(given)) return new URLSearchParams(given.replace(/^.*\?/, ''));
  if (/\s/.test(given)) return undefined;
  const [code = '', said = state] = given.split('#');
  return new URLSearchParams({ code, state: said });
}
