import type { Model, ToolContext } from 'kern/contracts';
import { models } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { ActiveTools } from './active-tools.ts';
import { type ContextParts, commandContext, eventContext } from './context.ts';
import type { ExtensionFactory, ExtensionOrigin } from './contract.ts';
import type { Shared } from './events/wire.ts';
import { Extension } from './extension.ts';
import { extensionApi } from './extension-api.ts';
import { followSessions, Runs } from './follow.ts';
import { userMessages } from './messages.ts';
import { Tools } from './tools.ts';
import { foreignUi } from './ui.ts';

export interface AdoptParts {
  readonly shared: Shared;
  readonly active: ActiveTools;
  /** Code that runs inside may call kern's own tools, as the extension. */
  readonly within: <R>(ctx: Context, tool: ToolContext | undefined, fn: () => R) => R;
  readonly modules: Readonly<Record<string, object>>;
}

/** Calls a factory of another agent, and lets what it registers belong to the scope it is given. */
export async function adopt(
  ctx: Context,
  factory: ExtensionFactory,
  origin: ExtensionOrigin,
  { shared, active, within, modules }: AdoptParts,
): Promise<void> {
  const extension = new Extension(ctx, origin);
  const runs = new Runs();
  const messages = userMessages(extension, runs);
  let known: readonly Model[] = [];
  let isTrusted = ctx.level === 'project';
  let isReady = false;
  const parts: ContextParts = {
    extension,
    runs,
    messages,
    ui: foreignUi(extension),
    models: () => known,
    isTrusted: () => isTrusted,
  };
  extension.within = (fn) => within(ctx, undefined, fn);
  extension.makeContext = (session) => eventContext(parts, session);
  const tools = new Tools({
    extension,
    within: (tool, fn) => within(ctx, tool, fn),
    context: (session, signal) => eventContext(parts, session, signal),
  });
  const api = extensionApi({
    extension,
    wires: { extension, shared, runs, active },
    tools,
    active,
    messages,
    modules,
    commandContext: () => commandContext(parts, extension.session()),
    eventContext: () => eventContext(parts, extension.session()),
    isReady: () => isReady,
  });
  await followSessions(extension, runs, async () => {
    isTrusted ||= (await ctx.trust.check({ kind: 'setting', id: `${ctx.id}.isProjectTrusted` })) === 'trusted';
    known = await ctx
      .service(models)
      .list(ctx.signal)
      .catch(() => known); // without a list it knows the model of the session
  });
  await within(ctx, undefined, () => (factory as (api: unknown) => unknown)(api));
  isReady = true;
}
