import type { AnyTool } from './contract.ts';
import { inputSchemaOf } from './face.ts';

/** What is known of a tool before its plugin runs: a line of a manifest, from which the capability makes a stub. */
export type ToolStub = Pick<
  AnyTool,
  'name' | 'description' | 'annotations' | 'executionMode' | 'deferrable' | 'hidden' | 'defaultActive'
> & { readonly inputSchema: Readonly<Record<string, unknown>> };

/** All of a tool that is data, as it stands now. */
export function stubOf(tool: AnyTool): ToolStub {
  const { name, description, annotations, executionMode, deferrable, hidden, defaultActive } = tool;
  const rest = { annotations, executionMode, deferrable, hidden, defaultActive };
  return {
    name,
    description,
    inputSchema: inputSchemaOf(tool),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  };
}
