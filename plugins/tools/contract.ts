import type { SpawnOptions, Where } from 'kern/plugin';
import { decide, defineCallableCapability, defineService, event, transform } from 'kern/plugin';
import { z } from 'zod';
import type { ImageContent, TextContent } from '../models/contract.ts';

export type { ToolFace } from '../models/contract.ts';

/** What a call will do to the world, for permissions. `everything` where a tool cannot tell. */
export type Effect =
  | { readonly kind: 'read' | 'write' | 'delete'; readonly path: string }
  | {
      readonly kind: 'run';
      readonly command?: string;
      readonly argv?: readonly string[];
      readonly cwd: string;
      readonly shell?: string;
    }
  | { readonly kind: 'network'; readonly host: string; readonly port?: number }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'spawn'; readonly agent: string }
  | { readonly kind: 'everything' };

export interface ToolResult<D = unknown> {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: D;
  readonly isError?: boolean;
  /** Ends the run, if every result of the batch says so. */
  readonly terminate?: boolean;
}

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly where: Where;
  readonly sessionId: string;
  /** Reports files it wrote, so that no reload waits for a file event. */
  touched(paths: readonly string[]): void;
  /** The supervisor, with the call's signal already applied. */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): import('kern/plugin').Child;
  /** A folder for long outputs, 0700. */
  artifacts(): Promise<string>;
}

/** zod, or any schema with `~standard`. */
export type Parameters<A> = z.ZodType<A> | import('kern/plugin').Schema<A>;

/** One definition with both faces: what the model sees and what runs. */
export interface Tool<A = never, D = unknown> {
  readonly name: string;
  readonly description: string;
  /** Validates; a zod object also gives the JSON Schema. */
  readonly parameters?: Parameters<A>;
  /** JSON Schema, where `parameters` is not zod. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly title?: string };
  /** Default: `everything`. */
  effects?(args: A, where: Where): readonly Effect[];
  /** `sequential`: one in a batch makes the batch sequential. Default `parallel`. */
  readonly executionMode?: 'parallel' | 'sequential';
  readonly deferrable?: boolean;
  /** Not offered to the model unless asked for by name. */
  readonly hidden?: boolean;
  /** Default true. `false`: a tool that people choose, by `--tools` or a setting of its plugin; else it is not offered. */
  readonly defaultActive?: boolean;
  /** Bends what models send into shape, before validation. */
  prepareArguments?(args: unknown): unknown;
  execute(
    id: string,
    args: A,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
    ctx: ToolContext,
  ): Promise<ToolResult<D>>;
}

/** A tool whose argument type nobody needs to know. */
export type AnyTool = Tool<never, unknown>;

/** Lets TypeScript infer the arguments from `parameters`. */
export function defineTool<A, D = unknown>(
  tool: Tool<A, D> & { readonly parameters: Parameters<A> },
): Tool<A, D> & { readonly parameters: Parameters<A> } {
  return tool;
}

/** A tool as the model sees it: JSON Schema, and nothing that runs. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly annotations?: Tool['annotations'];
}

/** A tool that stands for itself, for programs that call tools without an agent. */
export interface AgentTool<D = unknown> extends ToolDefinition, AsyncDisposable {
  readonly executionMode: 'parallel' | 'sequential';
  /** Bends what models send into shape. `execute` does it by itself. */
  prepareArguments?(args: unknown): unknown;
  /** Coerces and validates the arguments, and runs. Never rejects for what a call does: a failed one is an error result. */
  execute(
    toolCallId: string,
    args: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolResult) => void,
  ): Promise<ToolResult<D>>;
}

/** The core tools, in the order in which they are listed. */
export const toolNames = ['read', 'bash', 'powershell', 'edit', 'write', 'grep', 'find', 'ls'] as const;
export type ToolName = (typeof toolNames)[number];
export const allToolNames: ReadonlySet<ToolName> = new Set(toolNames);

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

const toolSchema = z.custom<Tool<never, unknown>>(isTool, {
  error: (issue) => whyNoTool(issue.input),
});

function isTool(value: unknown): boolean {
  return whyNoTool(value) === undefined;
}

function whyNoTool(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null)
    return 'a tool is an object {name, description, parameters, execute}';
  const tool = value as Record<string, unknown>;
  if (typeof tool.name !== 'string' || !toolName.test(tool.name)) return 'name: 1 to 64 letters, digits, _ or -';
  if (typeof tool.description !== 'string' || tool.description === '') return 'description: the model needs one';
  if (typeof tool.execute !== 'function') return 'execute: a function (id, args, signal, onUpdate, ctx) is missing';
  if (tool.parameters === undefined && tool.inputSchema === undefined)
    return 'parameters: a zod object, or inputSchema with a JSON Schema, is missing';
  return undefined;
}

/** A tool known from a manifest: `{name, description, inputSchema}` and what else of it is data. Its use wakes its plugin. */
function stub(descriptor: unknown, wake: () => Promise<AnyTool>): AnyTool {
  const names = [
    'name',
    'description',
    'inputSchema',
    'annotations',
    'executionMode',
    'deferrable',
    'hidden',
    'defaultActive',
  ];
  const data = Object.entries(descriptor as object).filter(([name]) => names.includes(name));
  // Parsed like any other: what is missing or wrong in it is said then.
  return { ...Object.fromEntries(data), execute: async (...call) => (await wake()).execute(...call) } as AnyTool;
}

/** The tools a model may call. Key: the name. `ctx.contribute(tools, {…})` infers the arguments from `parameters`. */
export const tools = defineCallableCapability<AnyTool>({
  id: 'tool',
  schema: toolSchema,
  key: (tool) => tool.name,
  stub,
});

export interface ToolCallInput {
  readonly tool: string;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  readonly where: Where;
  readonly sessionId: string;
  /** Who asks: the model in a turn, or a person on the command line. */
  readonly by: 'model' | 'person';
}

export interface ToolVeto {
  readonly block: string;
  readonly terminate?: boolean;
}

/** Changes the arguments; they are validated again afterwards. */
export const toolInput = transform<{
  readonly tool: string;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Who changed them last, in words: named where they are wrong then. */
  readonly by?: string;
}>({ id: 'tool.input' });

/** Refuses a call, on its final arguments. There is no way to say yes. */
export const toolCall = decide<ToolCallInput, ToolVeto>({
  id: 'tool.call',
  answer: z.object({
    block: z.string(),
    terminate: z.boolean().optional(),
  }) as unknown as import('kern/plugin').Schema<ToolVeto>,
  guard: { keeper: 'permissions', deny: (reason) => ({ block: reason }) },
});

/** Patches a result before it reaches the model. */
export const toolResult = transform<{
  readonly tool: string;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
}>({ id: 'tool.result' });

/** A call came, before anything about it was checked. */
export const toolStart = event<{ readonly toolCallId: string; readonly toolName: string; readonly args: unknown }>({
  id: 'tool.start',
});
/** A running call has something to show. */
export const toolUpdate = event<{
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly partialResult: ToolResult;
}>({ id: 'tool.update' });
/** A call is over, as the model will read it; a refused one too. */
export const toolEnd = event<{
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: ToolResult;
  readonly isError: boolean;
  readonly durationMs: number;
}>({ id: 'tool.end' });

/** How tools change files. A seam: what works on another machine supplies its own. */
export interface FileStore {
  /**
   * Runs `change` when every earlier one of the same file, or of any of these, has ended, whoever asked for it, another
   * kern included. Links lead to one file. A change does not ask for another turn while it runs.
   */
  inOrder<T>(paths: string | readonly string[], change: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Puts `bytes` in the place of what is there, whole or not at all: mode, owner and symlinks are kept, folders are
   * made. Answers what was done.
   */
  replace(path: string, bytes: Uint8Array): Promise<{ readonly state: 'created' | 'replaced'; readonly path: string }>;
  /** Gives a file another name; folders are made, and what is there already is not replaced. */
  move(from: string, to: string): Promise<void>;
  /** Takes a file away; of a symlink only the link. */
  remove(path: string): Promise<void>;
}

/** Changes files: in turn, and whole or not at all. */
export const fileStore = defineService<FileStore>({ id: 'fileStore', level: 'user' });

/** How the files stood that a session has read or written. */
export interface KnownFiles {
  /** Whether a file, by its real path, is another by now than the session that runs has seen. */
  hasChanged(path: string): boolean;
}

/** Knows how files stood when a session saw them last. */
export const knownFiles = defineService<KnownFiles>({ id: 'knownFiles', level: 'user' });

/** A change that a deferrable tool has shown and not made yet. */
export interface PendingChange {
  readonly tool: string;
  /** One line: what it would do. */
  readonly title: string;
  /** What applying it does. */
  readonly effects: readonly Effect[];
  apply(signal: AbortSignal, ctx: ToolContext): Promise<ToolResult>;
  discard?(): void;
}

/** Changes that wait for the tool `resolve`, each with a name. */
export interface PendingChanges {
  /** Answers with its name. Of one session only the latest are kept. */
  add(sessionId: string, change: PendingChange): string;
  /** Of one session, or of all, in the order in which they came. */
  list(sessionId?: string): readonly { readonly id: string; readonly change: PendingChange }[];
  /** Takes it out, for whoever applies or discards it. */
  take(sessionId: string, id: string): PendingChange | undefined;
}

/** Keeps what deferrable tools have shown until it is applied or discarded. */
export const pendingChanges = defineService<PendingChanges>({ id: 'pendingChanges', level: 'user' });

/** Where long outputs are kept. */
export interface ArtifactStore {
  /** The folder beside a session's file; without one a folder for this run. 0700. */
  folder(sessionFile: string | undefined): Promise<string>;
}

/** Knows where long outputs are kept. */
export const artifactStore = defineService<ArtifactStore>({ id: 'artifactStore', level: 'user' });
