import type { PluginDefinition } from '../kernel/plugin.ts';
import { type BootOptions, bootKernel, type TestKernel } from '../kernel/testing.ts';
import {
  type AgentEvent,
  agentSessions,
  prepareToolCall,
  type RunResult,
  resultText,
  type ScriptFile,
  type ScriptSource,
  type SessionOptions,
  scriptFile,
  tools,
} from './contracts.ts';
import { builtins } from './index.ts';

export {
  type BootOptions,
  bootKernel,
  type CapturedUi,
  capturedUi,
  type FakeClock,
  fakeClock,
  type TestKernel,
} from '../kernel/testing.ts';

/** The replies of a scripted model, in a file of its own: `model` is its name, and disposing removes it. */
export function script(replies: ScriptSource | ScriptSource['turns']): ScriptFile {
  return scriptFile(replies);
}

/** The whole of kern with some more plugins, for their tests. */
export interface TestKern extends TestKernel {
  /** Runs a prompt in a session of its own, nothing kept on disk. */
  run(
    text: string,
    options?: Partial<Omit<SessionOptions, 'view' | 'cwd'>>,
  ): Promise<RunResult & { readonly events: readonly AgentEvent[] }>;
  /** Calls a tool as a person would; answers with its text. */
  callTool(name: string, args?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Boots kern's built-ins, and these plugins as a user's extensions. Whatever tools do is allowed. */
export async function bootKern(plugins: readonly PluginDefinition[], options: BootOptions = {}): Promise<TestKern> {
  const { level = 'user', settings, ...rest } = options;
  const t = await bootKernel([], { ...rest, settings: { 'permissions.mode': 'all', ...settings } });
  const ready = async (): Promise<void> => {
    t.kernel.introduce(builtins);
    const booted = await t.kernel.boot();
    if (!booted.ok) throw booted.error;
    for (const plugin of plugins) {
      const put = await t.put(plugin, { level });
      if (!put.ok) throw put.error;
    }
  };
  try {
    await ready();
  } catch (error) {
    await t[Symbol.asyncDispose]();
    throw error;
  }
  let calls = 0;
  return {
    ...t,
    run: async (text, session = {}) => {
      await t.view.use(agentSessions).load();
      const events: AgentEvent[] = [];
      const open = { persist: false, ...session, view: t.view, cwd: t.view.where.cwd };
      await using running = await t.view.service(agentSessions).create(open);
      running.subscribe((event) => void events.push(event));
      return { ...(await running.prompt({ text })), events };
    },
    callTool: async (name, args = {}) => {
      await t.view.use(tools).load();
      calls += 1;
      const { signal } = new AbortController();
      const prepared = await prepareToolCall(t.view, {
        name,
        args,
        callId: `call-${calls}`,
        sessionId: 'test',
        by: 'person',
        signal,
      });
      return resultText(prepared.state === 'ready' ? await prepared.execute() : prepared.result);
    },
  };
}
