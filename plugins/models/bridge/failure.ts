import { KernError } from 'kern/plugin';
import type { ModelErrorCode } from '../contract.ts';
import { type Endpoint, hostOf } from './endpoint.ts';
import { codeOfAnswer } from './failure-table.ts';

/** A failed request, with what a retry needs to know. Told by its `code`; the rest is there when the server said it. */
export class ModelError extends KernError {
  /** The HTTP status, where one came. */
  readonly status: number | undefined;
  /** How long the server asks to wait, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { hint?: string | undefined; status?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, options.hint === undefined ? {} : { hint: options.hint });
    this.name = 'ModelError';
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const transient: ReadonlySet<string> = new Set<ModelErrorCode>([
  'model_rate_limited',
  'model_overloaded',
  'model_disconnected',
  'model_stalled',
]);

/** What a refusal may be about. */
export const refusalCodes = [
  'model_unauthorized',
  'model_not_found',
  'model_rate_limited',
  'model_quota',
  'model_overloaded',
  'model_context_overflow',
  'model_bad_request',
  'model_bad_response',
  'auth_expired',
] as const satisfies readonly ModelErrorCode[];

/** Whether the same request may succeed later. */
export function isTransient(code: string | undefined): boolean {
  return code !== undefined && transient.has(code);
}

/** What a server answered instead of a reply. */
export interface Refusal {
  readonly status?: number | undefined;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The error for an answer that is none: which provider, host and status, what it said, and what to do. */
export function refused(endpoint: Endpoint, refusal: Refusal): ModelError {
  const { status } = refusal;
  const code = codeOfAnswer(status, refusal.body);
  const said = firstLine(textOf(refusal.body));
  const answered = status === undefined ? 'reported an error' : `answered ${status}`;
  const message = `${endpoint.provider} (${hostOf(endpoint)}) ${answered}${said === '' ? '' : `: ${said}`}`;
  return new ModelError(code, withoutSecrets(endpoint, message), {
    hint: hintFor(code, endpoint),
    status,
    retryAfterMs: retryAfter(refusal.headers) ?? retryAfterIn(code, refusal.body),
  });
}

function hintFor(code: ModelErrorCode, endpoint: Endpoint): string | undefined {
  switch (code) {
    case 'model_unauthorized':
      return endpoint.fix ?? `check the key of ${endpoint.provider}`;
    case 'model_not_found':
      return 'check the name of the model (`kern --list-models`), and the base URL if you set one';
    case 'model_rate_limited':
      return 'wait a little and try again';
    case 'model_quota':
      return `look at the plan and the balance of your account at ${endpoint.provider}`;
    case 'model_overloaded':
      return 'the server has trouble; try again in a moment';
    case 'model_context_overflow':
      return 'the conversation is longer than the model can take: start a new session, or use a model with a larger context';
    default:
      return undefined;
  }
}

/** The server could not be reached, or went away. */
export function disconnected(endpoint: Endpoint, what: string): ModelError {
  const message = `${endpoint.provider} (${hostOf(endpoint)}): ${what}`;
  const hint = endpoint.fix === undefined ? 'check the network and try again' : `check the network, or ${endpoint.fix}`;
  return new ModelError('model_disconnected', withoutSecrets(endpoint, message), { hint });
}

export function stalled(endpoint: Endpoint, idleTimeoutMs: number): ModelError {
  const seconds = Math.round(idleTimeoutMs / 100) / 10;
  const message = `${endpoint.provider} (${hostOf(endpoint)}) sent nothing for ${seconds} s`;
  return new ModelError('model_stalled', message, {
    hint: 'try again; a slow local server may need a larger `idleTimeoutMs` in the settings of its plugin',
  });
}

export function badResponse(endpoint: Endpoint, what: string, hint?: string): ModelError {
  const message = `${endpoint.provider} (${hostOf(endpoint)}) ${what}`;
  return new ModelError('model_bad_response', withoutSecrets(endpoint, message), { hint });
}

/** What is wrong with an address or a key before anything is sent; undefined when nothing is. */
export function unusable(endpoint: Endpoint): ModelError | undefined {
  const fix = endpoint.fix ?? `check the settings of ${endpoint.provider}`;
  if (!URL.canParse(endpoint.baseUrl) || !/^https?:$/.test(new URL(endpoint.baseUrl).protocol)) {
    const message = `${endpoint.provider}: the base URL ${JSON.stringify(hostOf(endpoint))} is no http address`;
    return new ModelError('model_bad_request', message, { hint: fix });
  }
  if (endpoint.hosts?.includes(new URL(endpoint.baseUrl).hostname) === false) {
    const message = `${endpoint.provider}: its sign-in is for ${endpoint.hosts.join(', ')}, and is not sent to ${hostOf(endpoint)}`;
    const hint = 'take the base URL away, or give that server a key of its own in models.yml';
    return new ModelError('model_unauthorized', message, { hint });
  }
  // fetch would put the whole key into its own message.
  const values = [endpoint.apiKey ?? '', ...Object.values(endpoint.headers ?? {})];
  if (values.some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))) {
    const message = `${endpoint.provider}: its key or a header has a character that cannot be sent, a line break perhaps`;
    return new ModelError('model_unauthorized', message, { hint: fix });
  }
  return undefined;
}

/** The text without the key and without what stands in headers: servers like to repeat them. */
function withoutSecrets(endpoint: Endpoint, text: string): string {
  const secrets = [endpoint.apiKey ?? '', ...Object.values(endpoint.headers ?? {})];
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  const worth = [...new Set(parts)].filter((part) => part.length >= 6).sort((a, b) => b.length - a.length);
  return worth.reduce((clean, secret) => clean.replaceAll(secret, '[key]'), text);
}

/** The message inside an error body, or the body. */
function textOf(body: string): string {
  try {
    return messageIn(JSON.parse(body)) ?? body;
  } catch {
    return body; // not JSON: a proxy's page, or plain text
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return messageIn(value[0]);
  const { error, message, detail } = value as { error?: unknown; message?: unknown; detail?: unknown };
  return messageIn(error) ?? messageIn(message) ?? messageIn(detail);
}

function firstLine(text: string): string {
  const line =
    text
      .replace(/<[^>]*>/g, ' ')
      .split('\n')
      .map((part) => part.trim())
      .find((part) => part !== '') ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function retryAfter(headers: Refusal['headers']): number | undefined {
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers?.['retry-after'];
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const until = Date.parse(given);
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

/** Google, OpenAI and Groq say it in the text: `retryDelay: "34s"`, `try again in 7m12.5s`. */
function retryAfterIn(code: ModelErrorCode, body: string): number | undefined {
  if (!isTransient(code)) return undefined;
  const said = /(?:retryDelay\W+|(?:retry|try again) in )((?:[\d.]+(?:ms|h|m|s))+)/i.exec(body)?.[1] ?? '';
  const parts = [...said.matchAll(/([\d.]+)(ms|h|m|s)/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (spans[unit ?? ''] ?? 0), 0);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const spans: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
