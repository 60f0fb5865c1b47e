import { join } from 'node:path';
import { KernError } from 'kern/plugin';
import { createAnswers } from './answers.ts';
import type { Ground, Place } from './ground.ts';

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

/** For all rounds together. */
const limitMs = 900_000;

export function openToolHost(ground: Ground, place: Place): ToolHost {
  const answers = createAnswers();
  const program = join(ground.root, 'plugins', 'bench', 'tool-host.mjs');
  const started = ground.startNode([program, place.home, place.cwd], {
    knowsKern: true,
    input: 'pipe',
    timeoutMs: limitMs,
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') answers.push(chunk);
    },
  });
  const ended = ground.ended(started);
  // It is looked at where it is waited for.
  ended.catch(() => undefined);
  const ask: ToolHost['ask'] = async (request) => {
    started.child.write(`${JSON.stringify(request)}\n`);
    const line = await Promise.race([answers.next(), ended.then(() => undefined)]);
    const said = line === undefined ? { failed: 'it ended' } : (JSON.parse(line) as Took | { readonly failed: string });
    if ('failed' in said) throw new KernError('bench_failed', `what was to be measured failed: ${said.failed}`);
    return said;
  };
  return {
    ask,
    call: (name, args) => ask({ do: 'call', calls: [{ name, args }], together: false }),
    async [Symbol.asyncDispose]() {
      started.child.end();
      await ended;
    },
  };
}
