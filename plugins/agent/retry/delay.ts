import type { AgentSettings } from '../settings.ts';

export type RetrySettings = AgentSettings['retry'];

/** Wait so long, or do not wait at all: the server asks for more time than the settings allow. */
export type Delay =
  | { readonly state: 'wait'; readonly ms: number }
  | { readonly state: 'too-long'; readonly ms: number };

/**
 * How long before the `nth` try after the first. A server that says when to come back is taken at its word; else each
 * wait is twice the one before, less up to a quarter, so that many programs do not come back at the same moment.
 */
export function delayBefore(nth: number, failure: unknown, settings: RetrySettings, random: () => number): Delay {
  const asked = retryAfterOf(failure);
  if (asked !== undefined && asked > 0)
    return asked > settings.maxDelayMs ? { state: 'too-long', ms: asked } : { state: 'wait', ms: Math.ceil(asked) };
  const most = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** (nth - 1));
  return { state: 'wait', ms: Math.round(most * (1 - random() / 4)) };
}

/** What the server asked for. Told by shape: the error may come from another copy of the class. */
export function retryAfterOf(failure: unknown): number | undefined {
  return typeof failure === 'object' &&
    failure !== null &&
    'retryAfterMs' in failure &&
    typeof failure.retryAfterMs === 'number' &&
    Number.isFinite(failure.retryAfterMs)
    ? failure.retryAfterMs
    : undefined;
}

/** `2 min 5 s`. */
export function spanText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const said = parts.filter(([count]) => count > 0).slice(0, 2);
  return said.length === 0 ? '0 s' : said.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
