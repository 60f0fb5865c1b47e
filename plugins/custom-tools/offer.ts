import { type AnyTool, tools } from 'kern/contracts';
import { type Context, pluginChanged } from 'kern/plugin';
import type { CustomToolOrigin } from './contract.ts';

/** Below the built-ins: a file cannot take the place of a tool that a person knows. The project before the person. */
export const toolPriority = ({ level }: Pick<Context, 'level'>): number => (level === 'project' ? 60 : 50);

/** Offers tools of a file, and says of which another goes before it. */
export function offer(ctx: Context, made: readonly AnyTool[], origin: CustomToolOrigin): void {
  for (const tool of made) ctx.contribute(tools, tool as never, { priority: toolPriority(ctx), path: origin.path });
  tellOfClashes(
    ctx,
    made.map(({ name }) => name),
    origin,
  );
}

/** Once it is live: then it is known who else has the name. */
export function tellOfClashes(ctx: Context, names: readonly string[], { path }: CustomToolOrigin): void {
  ctx.tap(pluginChanged, ({ id, state, revision }) => {
    if (id !== ctx.id || state !== 'live' || revision !== ctx.revision) return;
    for (const name of names) void tellIfTaken(ctx, name, path).catch((error: unknown) => ctx.log.error(path, error));
  });
}

async function tellIfTaken(ctx: Context, name: string, path: string): Promise<void> {
  const reader = ctx.use(tools);
  await reader.load(ctx.signal, name);
  const winner = reader.get(name)?.origin;
  if (winner === undefined || winner.plugin === ctx.id) return;
  const whose = winner.level === 'builtin' ? `kern's own tool` : `that of ${winner.plugin}`;
  ctx.log.warn(`the tool ${name} of ${path} is not offered: ${whose} goes before it; give it another name`);
}
