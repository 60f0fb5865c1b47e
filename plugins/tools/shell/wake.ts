import type { Context } from 'kern/plugin';
import { tools } from '../contract.ts';

/** Sees to it that the plugin of a tool is awake, if there is one: from the next turn on the tool stands as it really is. */
export async function wakeTool(ctx: Pick<Context<never>, 'use' | 'run'>, name: string): Promise<void> {
  const entry = ctx.use(tools).get(name);
  if (entry === undefined) return;
  try {
    await ctx.run(entry, () => undefined);
  } catch {
    // Why it does not wake is told by the kernel, and whoever calls the tool hears it.
  }
}
