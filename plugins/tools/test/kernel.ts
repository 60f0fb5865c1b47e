import { type PreparedToolCall, prepareToolCall, type ToolCallRequest, type ToolResult } from 'kern/contracts';
import type { PluginDefinition } from 'kern/plugin';
import { type BootOptions, bootKernel, type TestKernel } from 'kern/testing';
import { builtins } from '../../index.ts';

export interface ToolKernel extends TestKernel {
  prepare(name: string, args: unknown, more?: Partial<ToolCallRequest>): Promise<PreparedToolCall>;
  /** Prepares and runs: what the model gets. */
  callTool(
    name: string,
    args: unknown,
    more?: Partial<ToolCallRequest> & { readonly onUpdate?: (partial: ToolResult) => void },
  ): Promise<ToolResult>;
}

/** Boots a kernel with `tools`, `processes`, what is named of the built-ins, and `plugins`. Nobody judges calls. */
export async function bootTools(
  names: readonly string[],
  plugins: readonly PluginDefinition[] = [],
  options: BootOptions = {},
): Promise<ToolKernel> {
  const wanted = builtins.filter(({ id }) => ['tools', 'processes', ...names].includes(id));
  const loaded = await Promise.all(wanted.map((plugin) => plugin.load()));
  const t = await bootKernel([...loaded, ...plugins], { keepers: 'none', ...options });
  const prepare: ToolKernel['prepare'] = (name, args, more = {}) =>
    prepareToolCall(t.view, {
      name,
      args,
      callId: 'c1',
      sessionId: 's1',
      by: 'model',
      signal: new AbortController().signal,
      ...more,
    });
  return Object.assign(t, {
    prepare,
    async callTool(name: string, args: unknown, { onUpdate, ...more }: Parameters<ToolKernel['callTool']>[2] = {}) {
      const prepared = await prepare(name, args, more);
      return prepared.state === 'ready' ? prepared.execute(onUpdate) : prepared.result;
    },
  });
}
