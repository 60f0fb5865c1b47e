import type { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';

/** On whose behalf a function of a module that kern stands in for was called. */
export interface Shelter {
  readonly ctx: Context;
  /** Inside a call of a tool. */
  readonly tool: ToolContext | undefined;
}

export type Around = AsyncLocalStorage<Shelter>;

/** Throws where no extension's code runs. */
export function shelterOf(around: Around, what: string): Shelter {
  const shelter = around.getStore();
  if (shelter !== undefined) return shelter;
  throw new KernError('no_extension', `${what} was called where no extension runs`, {
    hint: 'call it in the function that the module exports, in a handler or in a tool',
  });
}
