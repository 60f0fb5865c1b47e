import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from 'kern/contracts';
import { codeOf } from 'kern/plugin';
import { delayBefore, type RetrySettings } from './delay.ts';

/**
 * Asks again while what stands in the way may pass: for requests beside the conversation (summaries), of which nothing
 * is shown before they are complete. Rejects with the last failure, and at once when the signal fires.
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  settings: () => RetrySettings,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const now = settings();
      signal.throwIfAborted();
      if (!now.enabled || tries > now.maxRetries || !isTransient(codeOf(error))) throw error;
      const delay = delayBefore(tries, error, now, Math.random);
      if (delay.state === 'too-long') throw error;
      await pause(delay.ms, undefined, { signal });
    }
  }
}
