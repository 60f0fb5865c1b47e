import { modelErrors, type ScriptFailure } from 'kern/contracts';
import { codeOf, messageOf } from 'kern/plugin';

/** A status that says the same, for failures that came without one. */
const statuses: Readonly<Partial<Record<RefusalCode, number>>> = {
  model_unauthorized: 401,
  auth_expired: 401,
  model_not_found: 404,
  model_rate_limited: 429,
  model_quota: 429,
  model_overloaded: 529,
  model_bad_response: 502,
};

/** How a script fails as this request did. Undefined for what is no failure of a model: a mistake in a script. */
export function failureIn(error: unknown, hasBegun: boolean): ScriptFailure | undefined {
  const thrown = codeOf(error) ?? 'model_bad_response';
  if (thrown.startsWith('script_')) return undefined;
  if (thrown === 'model_stalled') return { stall: true };
  const isPassing = modelErrors.isTransient(thrown);
  // A reply that has begun is told as far as it came; what it broke with is then a cut like any other.
  if (thrown === 'model_disconnected' || (isPassing && hasBegun)) return { disconnect: hasBegun ? 'after' : 'before' };
  const code = refusalCode(thrown);
  const status = numberIn(error, 'status') ?? statuses[code] ?? 400;
  const body = saidIn(messageOf(error));
  const waitMs = numberIn(error, 'retryAfterMs');
  const told = modelErrors.refused({ provider: 'script', baseUrl: '' }, { status, body }).code;
  return {
    status: Math.min(599, Math.max(400, status)),
    ...(body === '' ? {} : { body }),
    ...(waitMs === undefined ? {} : { retryAfter: Math.round(waitMs) / 1_000 }),
    ...(told === code ? {} : { code }),
  };
}

type RefusalCode = (typeof modelErrors.refusalCodes)[number];

/** A provider may have codes of its own. */
function refusalCode(code: string): RefusalCode {
  return modelErrors.refusalCodes.find((known) => known === code) ?? 'model_bad_response';
}

/** What the server said, without who said it. */
function saidIn(message: string): string {
  return /(?:answered \d+|reported an error)(?:: ([\s\S]*))?$/.exec(message)?.[1] ?? message;
}

function numberIn(error: unknown, field: 'status' | 'retryAfterMs'): number | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[field] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
