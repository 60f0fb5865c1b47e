import { type ChangeResult, together } from './change.ts';
import type { IdlePlugin } from './snapshot.ts';

/**
 * Wakes them as one change. Where one requires what is switched off, each for itself: those that can load do, and the
 * failures of the others stay on record.
 */
export async function wakeEager(
  plugins: readonly IdlePlugin[],
  wake: (plugins: readonly IdlePlugin[]) => Promise<ChangeResult>,
): Promise<ChangeResult> {
  const atOnce = await wake(plugins);
  if (!lacksAnother(atOnce)) return atOnce;
  const results: ChangeResult[] = [];
  for (const plugin of plugins) results.push(await wake([plugin]));
  return together(results.filter((result) => !lacksAnother(result)));
}

const lacksAnother = (result: ChangeResult): boolean => !result.ok && result.code === 'requirement_missing';
