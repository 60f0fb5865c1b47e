import { createSign } from 'node:crypto';
import { httpSend, isLoopback, ModelError, modelErrors, type Network } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import type { GoogleAccess, GoogleFile } from './access.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const usualTokenUri = 'https://oauth2.googleapis.com/token';
/** A token is not used in its last minutes: the request has to arrive, too. */
const marginMs = 300_000;
const patienceMs = 30_000;

interface Token {
  readonly of: string;
  readonly value: string;
  readonly expires: number;
}

/** Tokens of Google, each used until shortly before it expires. */
export class GoogleTokens {
  #token: Token | undefined;
  /** Two requests at once ask once. */
  #asking: { readonly of: string; readonly answer: Promise<Token> } | undefined;

  async token(access: GoogleAccess, network: Network | undefined): Promise<string> {
    if (access.state === 'token') return access.token;
    if (access.state !== 'file' && access.state !== 'machine') throw new TypeError('there is nothing to sign in with');
    const of = JSON.stringify(access.state === 'file' ? access.file : access.state);
    if (this.#token?.of === of && this.#token.expires - marginMs > Date.now()) return this.#token.value;
    if (this.#asking?.of !== of) {
      const answer = access.state === 'file' ? ofFile(access.file, of, network) : ofMachine(of);
      this.#asking = { of, answer };
    }
    const { answer } = this.#asking;
    try {
      this.#token = await answer;
      return this.#token.value;
    } finally {
      if (this.#asking?.answer === answer) this.#asking = undefined;
    }
  }

  /** It was refused. */
  forget(): void {
    this.#token = undefined;
  }
}

function ofFile(file: GoogleFile, of: string, network: Network | undefined): Promise<Token> {
  const url = file.token_uri ?? usualTokenUri;
  const form =
    file.type === 'service_account'
      ? { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertion(file, url) }
      : {
          grant_type: 'refresh_token',
          client_id: file.client_id,
          client_secret: file.client_secret,
          refresh_token: file.refresh_token,
        };
  if (!url.startsWith('https://') && !isLoopback(url))
    throw unusable(`the address for tokens in its credentials, ${JSON.stringify(url)}, is not https`);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return ask(url, { method: 'POST', headers, body: new URLSearchParams(form).toString(), network }, of);
}

function assertion({ client_email: iss, private_key: key, private_key_id: kid }: ServiceAccount, aud: string): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) },
    { iss, scope, aud, iat: now, exp: now + 3600 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const said = parts.join('.');
  try {
    return `${said}.${createSign('RSA-SHA256').update(said).sign(key, 'base64url')}`;
  } catch {
    throw unusable('the private key of its service account cannot be read'); // what went wrong may hold it
  }
}

type ServiceAccount = Extract<GoogleFile, { readonly type: 'service_account' }>;

/** The machine's own server for that, to which no proxy leads. */
function ofMachine(of: string): Promise<Token> {
  const host = process.env.GCE_METADATA_HOST?.trim() || 'metadata.google.internal';
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  return ask(url, { method: 'GET', headers: { 'metadata-flavor': 'Google' }, body: '', network: undefined }, of);
}

async function ask(url: string, sent: Omit<Parameters<typeof httpSend>[1], 'signal'>, of: string): Promise<Token> {
  const { host } = new URL(url);
  const answer = await httpSend(url, { ...sent, signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
    throw error instanceof ModelError ? error : modelErrors.disconnected({ provider, baseUrl: url }, messageOf(error));
  });
  const text = await answer.text();
  if (!answer.ok) throw refused(host, answer.status, text);
  const { access_token: value, expires_in: seconds } = fieldsOf(text);
  if (typeof value !== 'string' || value === '') throw unusable(`${host} answered without a token`);
  return { of, value, expires: Date.now() + (typeof seconds === 'number' ? seconds : 0) * 1000 };
}

const provider = 'google-vertex';
const signIn = 'sign in again: `gcloud auth application-default login`, or name another GOOGLE_APPLICATION_CREDENTIALS';

function refused(host: string, status: number, text: string): ModelError {
  const { error, error_description: more } = fieldsOf(text);
  const said = [error, more].filter((part) => typeof part === 'string').join(': ');
  const message = `${provider}: ${host} gave no token (${status}${said === '' ? '' : `, ${said}`})`;
  const code = status >= 500 ? 'model_overloaded' : 'model_unauthorized';
  return new ModelError(code, message, { hint: signIn, status });
}

function unusable(what: string): ModelError {
  return new ModelError('model_unauthorized', `${provider}: ${what}`, { hint: signIn });
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // a page of a proxy
  }
}
