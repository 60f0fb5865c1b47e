import type { Ground, Place } from './ground.ts';
import { openProgram } from './program-host.ts';

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What `tool-host.mjs` takes. */
type Request =
  | { readonly do: 'call'; readonly calls: readonly ToolCall[]; readonly together: boolean }
  | { readonly do: 'spawn'; readonly command: string; readonly args: readonly string[] }
  | { readonly do: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'write'; readonly files: readonly { readonly path: string; readonly content: string }[] };

/** How long it took, and how much of that the process itself was at work. `text` is the beginning of what it said. */
export interface Took {
  readonly ms: number;
  readonly cpuMs: number;
  readonly text: string;
}

/** A kern that stays open, in a process of its own, and calls tools. */
export interface ToolHost extends AsyncDisposable {
  ask(request: Request): Promise<Took>;
  /** One call of one tool. */
  call(name: string, args: ToolCall['args']): Promise<Took>;
}

export function openToolHost(ground: Ground, place: Place): ToolHost {
  const { ask, [Symbol.asyncDispose]: dispose } = openProgram<Request, Took>(ground, 'tool-host.mjs', place);
  return {
    ask,
    call: (name, args) => ask({ do: 'call', calls: [{ name, args }], together: false }),
    [Symbol.asyncDispose]: dispose,
  };
}
