import { pendingChanges } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';
import type { CustomToolOrigin } from './contract.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Of the API that extensions of pi and oh-my-pi get, what is used here. */
export interface FactoryApi {
  on(event: string, handler: (event: Fields, context: unknown) => unknown): unknown;
  registerTool(tool: unknown): void;
}

/** A tool as oh-my-pi's factories make one: what it is called with comes in another order than an extension's. */
interface FactoryTool extends Fields {
  readonly name: string;
  execute(id: string, args: unknown, onUpdate: unknown, context: unknown, signal: AbortSignal): unknown;
  onSession?(event: Fields, context: unknown): unknown;
}

/** Tools that a factory made, as an extension would register them. */
export async function toolsOfFactory(
  ctx: Context,
  factory: (api: unknown) => unknown,
  api: FactoryApi,
  { name, path }: CustomToolOrigin,
): Promise<readonly (Fields & { readonly name: string })[]> {
  const own = Object.create(api, { pushPendingAction: { value: (action: unknown) => pushPending(ctx, name, action) } });
  const made = [await factory(own)].flat();
  return made.map((tool: unknown) => {
    if (!isTool(tool))
      throw new KernError('tool_no_default', `${path}: its function returned no tool`, {
        hint: 'return { name, description, parameters, execute(id, params, onUpdate, ctx, signal) { … } }, or a list of them',
      });
    followSessions(api, tool);
    return {
      ...tool,
      name: tool.name ?? name,
      execute: (id: string, args: unknown, signal: AbortSignal, onUpdate: unknown, context: unknown) =>
        tool.execute(id, args, onUpdate, context, signal),
    };
  });
}

function isTool(value: unknown): value is FactoryTool {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'execute') === 'function';
}

const reasons: Readonly<Record<string, string>> = {
  session_start: 'start',
  session_switch: 'switch',
  session_branch: 'branch',
  session_tree: 'tree',
  session_shutdown: 'shutdown',
};

/** `onSession` is told of what extensions hear as events. */
function followSessions(api: FactoryApi, tool: FactoryTool): void {
  if (typeof tool.onSession !== 'function') return;
  for (const [event, reason] of Object.entries(reasons))
    api.on(event, ({ previousSessionFile }, context) => tool.onSession?.({ reason, previousSessionFile }, context));
}

/** A change that waits for the tool `resolve`. */
function pushPending(ctx: Context, tool: string, action: unknown): void {
  const { label, apply, reject } = (typeof action === 'object' && action !== null ? action : {}) as Fields;
  if (typeof apply !== 'function')
    throw new KernError('bad_action', `the tool ${tool}: an action that waits has a function apply`, {
      hint: 'pushPendingAction({ label, apply: async (reason) => ({ content: […] }) })',
    });
  const { id } = ctx.session;
  const change = {
    tool,
    title: typeof label === 'string' ? label : tool,
    effects: [{ kind: 'everything' as const }],
    apply: async () => (await apply.call(action, '')) as never,
    ...(typeof reject === 'function' ? { discard: () => void reject.call(action, '') } : {}),
  };
  ctx
    .use(pendingChanges)
    .load()
    .then(() => ctx.service(pendingChanges).add(id, change))
    .catch((error: unknown) => ctx.log.error(`the tool ${tool} could not leave its change to wait`, error));
}
