import { kernHome } from '../kernel/home.ts';
import type { Kernel, View } from '../kernel/index.ts';
import { compose } from './cli/compose.ts';
import { type AgentSession, agentSessions, type PermissionMode, type SessionOptions } from './contracts.ts';

export type { ChangeResult, Kernel, PluginDefinition, View } from '../kernel/index.ts';
export { definePlugin, installProcessHandlers, KernError } from '../kernel/index.ts';
export {
  type AgentEvent,
  type AgentSession,
  type AgentTool,
  allToolNames,
  defineTool,
  type PermissionMode,
  type Prompt,
  type RunResult,
  type SessionOptions,
  type Tool,
  type ToolDefinition,
  type ToolName,
  type ToolResult,
} from './contracts.ts';
export {
  createAllToolDefinitions,
  createAllTools,
  createCodingToolDefinitions,
  createCodingTools,
  createReadOnlyToolDefinitions,
  createReadOnlyTools,
  createTool,
  createToolDefinition,
  type ToolsOptions,
} from './sdk-tools.ts';

/** Where a house stands, and what it is given beside what its config files say. */
export interface KernelOptions {
  /** Default: that of the process. */
  readonly cwd?: string;
  /** Default: that of the process. Keys of providers and `KERN_HOME` are looked for here. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Instead of `KERN_HOME`. */
  readonly home?: string;
  /** Files of extensions, beside those that are found. */
  readonly extensions?: readonly string[];
  /** Only kern's own plugins and those of `extensions`. */
  readonly noExtensions?: boolean;
  /** A config file above those that are found. */
  readonly config?: string;
  /** Settings above all files, by key: `{ model: 'script/a.yml', 'tools.execution': 'sequential' }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Trusts the project for this run, whatever is in it. */
  readonly trust?: boolean;
  /** Nobody can be asked here: without a mode that allows it, a call that would be asked about is refused. */
  readonly permissionMode?: PermissionMode;
}

/** kern inside another program: the kernel, and how its plugins see it from the working directory. */
export interface Kern extends AsyncDisposable {
  readonly kernel: Kernel;
  readonly view: View;
  readonly cwd: string;
  /** From now on files are watched, and what changes is loaded. */
  watch(): void;
  /** Ends everything, in order: sessions, children, plugins. */
  close(): Promise<void>;
}

/** Boots a kernel with kern's own plugins, and those that the user, the project and `extensions` add. */
export async function createKernel(options: KernelOptions = {}): Promise<Kern> {
  const { cwd = process.cwd(), env = process.env, extensions = [], noExtensions = false, trust = false } = options;
  const house = await compose({
    cwd,
    env: options.home === undefined ? env : { ...env, KERN_HOME: kernHome({ KERN_HOME: options.home }) },
    flags: options.settings ?? {},
    shared: { permissionMode: options.permissionMode, config: options.config, extensions, noExtensions, trust },
  });
  // A host may end without a word: children and private files must not outlive it.
  const crash = (): void => house.kernel.crash();
  process.once('exit', crash);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= house.shutdown().finally(() => process.off('exit', crash));
    return closed;
  };
  try {
    await house.extend();
  } catch (error) {
    await close();
    throw error;
  }
  return { kernel: house.kernel, view: house.view, cwd, watch: house.watch, close, [Symbol.asyncDispose]: close };
}

export interface AgentSessionOptions extends KernelOptions, Omit<SessionOptions, 'cwd' | 'view'> {
  /** An own house of the caller, which stays open. Without it one is made for the session. */
  readonly kern?: Kern;
}

/** A conversation, and the house that it is in. */
export interface OpenSession extends AsyncDisposable {
  readonly session: AgentSession;
  readonly kern: Kern;
}

/** Opens a conversation. Disposing of it ends it, and the house too if it was made for it. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<OpenSession> {
  const { kern: given, model, tools, systemPrompt, appendSystemPrompt, thinking, ...more } = options;
  const { persist, sessionDir, resume, fork, whenBusy, oneShot, faults, ...house } = more;
  const kern = given ?? (await createKernel(house));
  const asked = { model, tools, systemPrompt, appendSystemPrompt, thinking };
  const wanted = { ...asked, persist, sessionDir, resume, fork, whenBusy, oneShot, faults };
  const chosen = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  try {
    await kern.view.use(agentSessions).load();
    const { cwd, view } = kern;
    const session = await view.service(agentSessions).create({ ...chosen, cwd: options.cwd ?? cwd, view });
    const close = async (): Promise<void> => {
      try {
        await session[Symbol.asyncDispose]();
      } finally {
        if (given === undefined) await kern.close();
      }
    };
    return { session, kern, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (given === undefined) await kern.close();
    throw error;
  }
}
