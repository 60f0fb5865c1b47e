import type { PluginStatus } from 'kern/plugin';

const prefix = 'kern:';

/** From here on what a plugin takes to start is worth a word: a tenth of the time of a whole start. */
const slowMs = 5;

/** Notes when a step of a run was reached, where KERN_TIMING asks for it. */
export function mark(step: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env.KERN_TIMING !== undefined && env.KERN_TIMING !== '') performance.mark(prefix + step);
}

/** The steps with the time since the process began, in ms: `bin 29, main 35, …`. */
export function timeline(): string {
  const marks = performance.getEntriesByType('mark').filter(({ name }) => name.startsWith(prefix));
  return marks.map(({ name, startTime }) => `${name.slice(prefix.length)} ${startTime.toFixed(1)}`).join(', ');
}

/** The plugins that took long to start, slowest first: `tools.grep 12.4, mine 8.0`; nothing where none did. */
export function slowStarts(plugins: readonly Pick<PluginStatus, 'id' | 'loadMs' | 'startMs'>[]): string | undefined {
  const slow = plugins
    .map(({ id, loadMs, startMs }) => ({ id, ms: loadMs + startMs }))
    .filter(({ ms }) => ms >= slowMs)
    .toSorted((a, b) => b.ms - a.ms);
  return slow.length === 0 ? undefined : slow.map(({ id, ms }) => `${id} ${ms.toFixed(1)}`).join(', ');
}
