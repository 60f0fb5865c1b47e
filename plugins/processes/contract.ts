/** The supervisor's token and shapes stand in the kernel, because `ctx.spawn` is bound to them. */
export type { Child, Processes, SpawnOptions, SpawnResult } from 'kern/plugin';
export { processes } from 'kern/plugin';
