const prefix = 'kern:';

/** Notes when a step of a run was reached, where KERN_TIMING asks for it. */
export function mark(step: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env.KERN_TIMING !== undefined && env.KERN_TIMING !== '') performance.mark(prefix + step);
}

/** The steps with the time since the process began, in ms: `bin 29, main 35, …`. */
export function timeline(): string {
  const marks = performance.getEntriesByType('mark').filter(({ name }) => name.startsWith(prefix));
  return marks.map(({ name, startTime }) => `${name.slice(prefix.length)} ${startTime.toFixed(1)}`).join(', ');
}
