import { randomUUID } from 'node:crypto';
import { ensureHome, kernHome } from '../kernel/home.ts';
import { didYouMean, KernError, Kernel, nearNames, type SettingsPort, type View } from '../kernel/index.ts';
import { configureAlone, noSettings } from '../kernel/settings.ts';
import {
  type AgentTool,
  type AnyTool,
  allToolNames,
  inputSchemaOf,
  prepareToolCall,
  type Tool,
  type ToolDefinition,
  type ToolName,
  toolNames,
  tools,
} from './contracts.ts';
import { builtins } from './index.ts';
import { createBash } from './tools/bash/bash.ts';
import { bashSettings } from './tools/bash/settings.ts';
import { editTool } from './tools/edit/edit.ts';
import { formatFor } from './tools/edit/format-for.ts';
import type { Format } from './tools/edit/request.ts';
import { createFind } from './tools/find/find.ts';
import { createGrep } from './tools/grep/grep.ts';
import { createLs } from './tools/ls/ls.ts';
import { createPowershell } from './tools/powershell/powershell.ts';
import { readTool } from './tools/read/read.ts';
import { writeTool } from './tools/write/write.ts';

/** The settings of single tools, as under `plugins.tools.<name>`, and where calls go. */
export interface ToolsOptions {
  readonly read?: { readonly maxBytes?: number };
  readonly write?: { readonly maxBytes?: number };
  readonly edit?: { readonly maxBytes?: number; readonly format?: Format };
  readonly bash?: {
    readonly shellPath?: string;
    readonly shellCommandPrefix?: string;
    readonly snapshot?: boolean;
    readonly normalize?: boolean;
    readonly interceptor?: boolean;
  };
  readonly grep?: { readonly rg?: string | false };
  /**
   * Calls go through a view of a kernel that runs: its hooks, permissions and settings count. Without it the tools run
   * by themselves, and nothing is asked: what is called is what the program wants.
   */
  readonly view?: View;
}

const coding = ['read', 'bash', 'edit', 'write'] as const;
const readOnly = ['read', 'grep', 'find', 'ls'] as const;

/** What a model sees of a tool. Throws `tool_unknown` with the known names. */
export function createToolDefinition(name: ToolName, _cwd?: string, options: ToolsOptions = {}): ToolDefinition {
  return definitionOf(plain(name, options));
}

/** A tool that runs in a folder. Throws `tool_unknown` with the known names. */
export function createTool(name: ToolName, cwd = process.cwd(), options: ToolsOptions = {}): AgentTool {
  return agentTool(name, options, createGround(cwd, options));
}

/** read, bash, edit and write, as a model sees them. */
export function createCodingToolDefinitions(cwd?: string, options?: ToolsOptions): ToolDefinition[] {
  return coding.map((name) => createToolDefinition(name, cwd, options));
}

/** read, bash, edit and write. */
export function createCodingTools(cwd = process.cwd(), options: ToolsOptions = {}): AgentTool[] {
  const ground = createGround(cwd, options);
  return coding.map((name) => agentTool(name, options, ground));
}

/** read, grep, find and ls, as a model sees them. */
export function createReadOnlyToolDefinitions(cwd?: string, options?: ToolsOptions): ToolDefinition[] {
  return readOnly.map((name) => createToolDefinition(name, cwd, options));
}

/** read, grep, find and ls. */
export function createReadOnlyTools(cwd = process.cwd(), options: ToolsOptions = {}): AgentTool[] {
  const ground = createGround(cwd, options);
  return readOnly.map((name) => agentTool(name, options, ground));
}

/** Every core tool by its name, as a model sees it. */
export function createAllToolDefinitions(cwd?: string, options?: ToolsOptions): Record<ToolName, ToolDefinition> {
  return byName((name) => createToolDefinition(name, cwd, options));
}

/** Every core tool by its name. */
export function createAllTools(cwd = process.cwd(), options: ToolsOptions = {}): Record<ToolName, AgentTool> {
  const ground = createGround(cwd, options);
  return byName((name) => agentTool(name, options, ground));
}

function definitionOf(tool: AnyTool): ToolDefinition {
  const { name, description, annotations } = tool;
  return { name, description, parameters: inputSchemaOf(tool), ...(annotations === undefined ? {} : { annotations }) };
}

function byName<T>(make: (name: ToolName) => T): Record<ToolName, T> {
  return Object.fromEntries(toolNames.map((name) => [name, make(name)])) as Record<ToolName, T>;
}

// --- What runs ---------------------------------------------------------------------------------------------------

/** Where calls go. Tools that were made together share it: one shell, one queue of changes. */
interface Ground extends AsyncDisposable {
  readonly sessionId: string;
  view(): Promise<View>;
}

function agentTool(name: ToolName, options: ToolsOptions, ground: Ground): AgentTool {
  const tool = plain(name, options);
  return {
    ...definitionOf(tool),
    executionMode: tool.executionMode ?? 'parallel',
    prepareArguments: (args) => tool.prepareArguments?.(args) ?? args,
    async execute(callId, args, signal = new AbortController().signal, onUpdate) {
      const view = await ground.view();
      const { sessionId } = ground;
      // Where the kernel has no such tool, powershell without PowerShell, the call says so.
      const prepared = await view.enter(() =>
        prepareToolCall(view, { name, args, callId, sessionId, by: 'person', signal }),
      );
      if (prepared.state === 'refused') return prepared.result;
      return view.enter(() => prepared.execute(onUpdate));
    },
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  };
}

function createGround(cwd: string, options: ToolsOptions): Ground {
  const sessionId = `sdk-${randomUUID()}`;
  const { view } = options;
  if (view !== undefined) {
    return {
      sessionId,
      async view() {
        await view.use(tools).load();
        return view;
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }
  let house: Promise<SmallHouse> | undefined;
  return {
    sessionId,
    async view() {
      house ??= openHouse(cwd, options);
      return (await house).view;
    },
    async [Symbol.asyncDispose]() {
      const open = house;
      house = undefined;
      await (await open)?.close();
    },
  };
}

interface SmallHouse {
  readonly view: View;
  close(): Promise<void>;
}

/** The tools and what they stand on, and nothing else: no config is read, and nothing is asked. */
async function openHouse(cwd: string, options: ToolsOptions): Promise<SmallHouse> {
  const home = kernHome();
  await ensureHome(home);
  const kernel = new Kernel({ where: { cwd, root: cwd, home }, settings: settingsOf(options), keepers: 'none' });
  // Children and private files must not outlive the program.
  const crash = (): void => kernel.crash();
  process.once('exit', crash);
  const close = async (): Promise<void> => {
    await kernel.shutdown();
    process.off('exit', crash);
  };
  try {
    kernel.introduce(builtins.filter(({ id }) => id === 'processes' || id === 'tools' || id.startsWith('tools.')));
    const booted = await kernel.boot();
    if (!booted.ok) throw booted.error;
    const view = kernel.view();
    await view.use(tools).load();
    return { view, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsOf({ view: _view, ...options }: ToolsOptions): SettingsPort {
  const given = new Map<string, Readonly<Record<string, unknown>>>(
    Object.entries(options).map(([name, settings]) => [`tools.${name}`, { ...settings }]),
  );
  return {
    ...noSettings,
    plugin: (id) => ({ off: undefined, settings: given.get(id) ?? {} }),
    configure: (id, _level, schema) => configureAlone(id, given.get(id) ?? {}, schema, true),
  };
}

// --- What is seen ------------------------------------------------------------------------------------------------

/** The tool without anything that it runs on: for its description, its schema and what it says of itself. */
function plain(name: ToolName, options: ToolsOptions): AnyTool {
  if (allToolNames.has(name)) return makers[name](options);
  const hint = didYouMean(nearNames(String(name), toolNames));
  const message = `there is no tool ${String(name)}; there are ${toolNames.join(', ')}`;
  throw new KernError('tool_unknown', message, hint === undefined ? {} : { hint });
}

const makers: Readonly<Record<ToolName, (options: ToolsOptions) => AnyTool>> = {
  read: ({ read }) => any(readTool(read?.maxBytes ?? Number.POSITIVE_INFINITY)),
  write: ({ write }) => any(writeTool(nothing, write?.maxBytes ?? Number.POSITIVE_INFINITY)),
  edit({ edit }) {
    const format = formatFor(undefined, { format: edit?.format, formats: {} });
    return any(editTool({ format, preview: false, host: nothing }));
  },
  bash: ({ bash }) =>
    any(
      createBash({
        settings: bashSettings.parse(bash ?? {}),
        jobs: nothing,
        spawn: nothing,
        session: () => undefined,
        hasTool: () => false,
        operations: async () => undefined,
        environment: () => ({}),
        states: { value: {} },
      }).tool,
    ),
  powershell: () => any(createPowershell({ program: 'pwsh', jobs: nothing, session: () => undefined })),
  grep: () => any(createGrep({ active: true })),
  find: () => any(createFind({ active: true })),
  ls: () => any(createLs({ active: true })),
};

/** Its arguments are no concern here: whoever calls it goes through validation. */
const any = <A, D>(tool: Tool<A, D>): AnyTool => tool as unknown as AnyTool;

function nothing(): never {
  throw new KernError('no_ground', 'this is what a model sees of a tool, and does not run');
}
