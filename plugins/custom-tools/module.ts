import { type AnyTool, extensionApis } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';
import type { CustomToolOrigin } from './contract.ts';
import { type FactoryApi, toolsOfFactory } from './factory.ts';
import { offer, tellOfClashes, toolPriority } from './offer.ts';

/** Offers what a module exports: a tool, several, or a function that makes them as oh-my-pi has it. */
export async function startModule(ctx: Context, exports: unknown, origin: CustomToolOrigin): Promise<void> {
  if (typeof exports !== 'function') {
    offer(
      ctx,
      toolsOf(exports).map((tool) => named(tool, origin)),
      origin,
    );
    return;
  }
  const names: string[] = [];
  const factory = async (api: FactoryApi): Promise<void> => {
    for (const tool of await toolsOfFactory(ctx, exports as (api: unknown) => unknown, api, origin)) {
      names.push(tool.name);
      api.registerTool(tool);
    }
  };
  await ctx.service(extensionApis).adopt(ctx, factory as never, { ...origin, toolPriority: toolPriority(ctx) });
  tellOfClashes(ctx, names, origin);
}

function toolsOf(exports: unknown): readonly unknown[] {
  const own: unknown = typeof exports === 'object' && exports !== null ? Reflect.get(exports, 'default') : undefined;
  const list = [own ?? exports].flat();
  return list.length > 0 ? list : [undefined];
}

/** What else is wrong with it is told where it is offered. */
function named(tool: unknown, { name, path }: CustomToolOrigin): AnyTool {
  if (typeof tool !== 'object' || tool === null || typeof Reflect.get(tool, 'execute') !== 'function')
    throw new KernError('tool_no_default', `${path} exports no tool`, {
      hint: 'export default { description, parameters, execute: async (id, args) => … }, or a function that returns one',
    });
  const { parameters, ...rest } = tool as { readonly parameters?: unknown };
  const schema = isJsonSchema(parameters) ? { inputSchema: parameters } : { parameters };
  const nothing = parameters === undefined && !('inputSchema' in rest);
  return {
    name,
    ...rest,
    ...(nothing ? { inputSchema: { type: 'object', properties: {} } } : 'inputSchema' in rest ? {} : schema),
  } as unknown as AnyTool;
}

/** zod and its like know how to validate; plain JSON does not. */
function isJsonSchema(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('~standard' in value);
}
