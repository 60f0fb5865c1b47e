import { type HookItem, hookItems, leaveToRun, trustItemOf } from 'kern/contracts';
import type { Context, Entry } from 'kern/plugin';
import type { HookState } from './contract.ts';
import { whyUnused } from './moments.ts';

/** What becomes of a hook: it runs, or why not and what to do about it. */
export async function stateOf(ctx: Context, { item, origin }: Entry<HookItem>): Promise<HookState> {
  const { name, event, path, kind } = item;
  const about = { name, event, path };
  const unused = whyUnused(item);
  if (unused !== undefined) return { ...about, state: 'unused', why: unused };
  const where = { root: ctx.where.root, level: origin.level };
  const leave = await leaveToRun(ctx, origin, () => trustItemOf('hook', item, where), { isModule: kind === 'module' });
  return { ...about, ...leave };
}

/** All hooks that are found from here. */
export async function foundHooks(ctx: Context): Promise<readonly Entry<HookItem>[]> {
  const reader = ctx.use(hookItems);
  await reader.load(ctx.signal);
  return reader.entries().filter(({ verdict }) => verdict.state === 'won');
}
