import { Writable } from 'node:stream';
import {
  type AgentEvent,
  type AgentSession,
  type ModeRun,
  modes,
  type Prompt,
  type RunResult,
  type UnsavedEntries,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKernel, type TestKernel } from 'kern/testing';

/** A stream that keeps what was written; each write takes a moment, as a full pipe does. */
export class Paper extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    setImmediate(() => {
      this.text += chunk.toString();
      done();
    });
  }

  get lines(): readonly string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }
}

/** What a prompt does: tells events, and comes to a result. */
export type Play = (
  emit: (event: AgentEvent) => void,
  prompt: Prompt,
  session: Stage,
) => Partial<RunResult> | Promise<Partial<RunResult>>;

export interface Stage extends AsyncDisposable {
  readonly t: TestKernel;
  readonly run: ModeRun;
  readonly stdout: Paper;
  readonly stderr: Paper;
  readonly controller: AbortController;
  readonly aborted: () => number;
  mode(id: string): { run(run: ModeRun): Promise<number> };
}

const modeTokens = definePlugin({ id: 'modes', declares: [modes], setup: () => undefined });

export const usage = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1, reasoning: 3, totalTokens: 18, cost: null };

/** A mode's surroundings, with a session that plays what the test says. */
export async function stage(
  plugins: readonly PluginDefinition[],
  play: Play,
  options: {
    prompts?: readonly string[];
    color?: boolean;
    file?: string;
    unsaved?: UnsavedEntries;
    isTerminal?: boolean;
  } = {},
): Promise<Stage> {
  const t = await bootKernel([modeTokens, ...plugins]);
  const stdout = Object.assign(new Paper(), { isTTY: options.isTerminal === true });
  const stderr = new Paper();
  const controller = new AbortController();
  const listeners = new Set<(event: AgentEvent) => void>();
  const emit = (event: AgentEvent): void => {
    for (const listener of listeners) listener(event);
  };
  let aborted = 0;
  const session = {
    id: 's1',
    view: t.view,
    cwd: t.dir,
    file: options.file,
    header: { type: 'session', version: 3, id: 's1', timestamp: '2026-11-30T00:00:00.000Z', cwd: t.dir },
    subscribe: (listener: (event: AgentEvent) => void) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    waitForIdle: async () => {},
    save: async () => options.unsaved,
    abort: () => {
      aborted += 1;
    },
    prompt: async (prompt: Prompt): Promise<RunResult> => ({
      status: 'ok',
      text: '',
      usage,
      cost: 1,
      turns: 1,
      durationMs: 1,
      error: undefined,
      messages: [],
      ...(await play(emit, prompt, made)),
    }),
  } as unknown as AgentSession;
  const run: ModeRun = {
    session,
    prompts: (options.prompts ?? ['go']).map((text) => ({ text })),
    signal: controller.signal,
    stdin: process.stdin,
    stdout,
    stderr,
    color: options.color ?? false,
  };
  const made: Stage = {
    t,
    run,
    stdout,
    stderr,
    controller,
    aborted: () => aborted,
    mode: (id) => {
      const entry = t.view.use(modes).get(id);
      if (entry === undefined) throw new Error(`no mode ${id}`);
      return entry.item;
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
  return made;
}
