import { type AnyTool, artifactStore, processes, type ToolContext, type ToolResult, tools } from 'kern/contracts';
import { KernError, parseLater } from 'kern/plugin';
import { isRecord } from '../extension.ts';
import { bashElsewhere, editElsewhere, readElsewhere, writeElsewhere } from './operations.ts';
import { type Around, shelterOf } from './shelter.ts';
import { type Schema, Type } from './typebox.ts';

type Name = 'read' | 'write' | 'edit' | 'bash' | 'powershell' | 'grep' | 'find' | 'ls';
type Arguments = Record<string, unknown>;
type Update = (partial: ToolResult) => void;

/** A tool that stands for itself, as pi's factories make them. */
export interface FactoryTool {
  readonly name: Name;
  readonly label: string;
  readonly description: string;
  readonly promptSnippet: string;
  readonly parameters: Schema;
  execute(id: string, args: unknown, signal?: AbortSignal, onUpdate?: Update, context?: unknown): Promise<ToolResult>;
}

interface Options {
  readonly operations?: Readonly<Record<string, unknown>>;
  /** Of bash: another command, folder or environment in place of the one that is asked for. */
  readonly spawnHook?: (spawn: { command: string; cwd: string; env: NodeJS.ProcessEnv }) => {
    readonly command: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
  readonly commandPrefix?: string;
}

const path = Type.String({ description: 'Relative or absolute' });
const shell = Type.Object({ command: Type.String(), timeout: Type.Optional(Type.Number({ description: 'Seconds' })) });

/** What a model is told of each, known before anything of kern is loaded. */
const faces: Readonly<Record<Name, readonly [description: string, parameters: Schema]>> = {
  read: [
    'Reads a file, or a part of it.',
    Type.Object({
      path,
      offset: Type.Optional(Type.Number({ description: 'First line, from 1' })),
      limit: Type.Optional(Type.Number({ description: 'How many lines' })),
    }),
  ],
  write: ['Writes a file; what was there is replaced.', Type.Object({ path, content: Type.String() })],
  edit: [
    'Replaces texts of a file, each of which stands there once.',
    Type.Object({ path, edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })) }),
  ],
  bash: ['Runs a command in bash.', shell],
  powershell: ['Runs a command in PowerShell.', shell],
  grep: [
    'Finds a pattern in files.',
    Type.Object({
      pattern: Type.String(),
      path: Type.Optional(path),
      glob: Type.Optional(Type.String()),
      ignoreCase: Type.Optional(Type.Boolean()),
      literal: Type.Optional(Type.Boolean()),
      context: Type.Optional(Type.Number()),
      limit: Type.Optional(Type.Number()),
    }),
  ],
  find: [
    'Finds files by a glob.',
    Type.Object({ pattern: Type.String(), path: Type.Optional(path), limit: Type.Optional(Type.Number()) }),
  ],
  ls: ['Lists a folder.', Type.Object({ path: Type.Optional(path), limit: Type.Optional(Type.Number()) })],
};

const factoryName = (name: Name): string =>
  name === 'powershell' ? 'PowerShell' : `${name[0]?.toUpperCase()}${name.slice(1)}`;

/** pi's `create…Tool` and `create…ToolDefinition`: kern's own tools, called as the extension that calls them. */
export function toolFactories(around: Around): Readonly<Record<string, unknown>> {
  const make = (name: Name) => (cwd: string, options?: Options) => factoryTool(around, name, cwd, options);
  const each = Object.keys(faces).flatMap((key): readonly (readonly [string, unknown])[] => {
    const name = key as Name;
    return [
      [`create${factoryName(name)}Tool`, make(name)],
      [`create${factoryName(name)}ToolDefinition`, make(name)],
    ];
  });
  const several =
    (names: readonly Name[]) =>
    (cwd: string, options: Readonly<Partial<Record<Name, Options>>> = {}) =>
      names.map((name) => factoryTool(around, name, cwd, options[name]));
  return {
    ...Object.fromEntries(each),
    createCodingTools: several(['read', 'bash', 'edit', 'write']),
    createReadOnlyTools: several(['read', 'grep', 'find', 'ls']),
    createLocalBashOperations: () => localBash(around),
  };
}

function factoryTool(around: Around, name: Name, cwd: string, options: Options = {}): FactoryTool {
  const [description, parameters] = faces[name];
  return {
    name,
    label: name,
    description,
    promptSnippet: description,
    parameters,
    async execute(id, args, signal = new AbortController().signal, onUpdate = () => {}) {
      const given: Arguments = isRecord(args) ? args : {};
      const { operations } = options;
      if (operations === undefined)
        return ownTool(around, name, id, cwd, prepared(name, given, cwd, options), signal, onUpdate);
      switch (name) {
        case 'read':
          return readElsewhere(operations, cwd, given);
        case 'write':
          return writeElsewhere(operations, cwd, given);
        case 'edit':
          return editElsewhere(operations, cwd, given);
        case 'bash':
        case 'powershell':
          return bashElsewhere(operations, prepared(name, given, cwd, options), cwd, signal, onUpdate);
        default:
          throw new KernError('operations_unknown', `${name} takes no operations of an extension in kern`, {
            hint: 'read, write, edit and bash do',
          });
      }
    },
  };
}

/** A command as the extension would have it. */
function prepared(name: Name, args: Arguments, cwd: string, { spawnHook, commandPrefix }: Options): Arguments {
  if (name !== 'bash' && name !== 'powershell') return args;
  const command = commandPrefix === undefined ? String(args.command) : `${commandPrefix}\n${String(args.command)}`;
  if (spawnHook === undefined) return name === 'bash' ? { ...args, command, cwd } : { ...args, command };
  const changed = spawnHook({ command, cwd, env: { ...process.env } });
  const env = Object.entries(changed.env).filter(([key, value]) => value !== undefined && process.env[key] !== value);
  return { ...args, command: changed.command, cwd: changed.cwd, env: Object.fromEntries(env) };
}

/** kern's tool of that name, also where another stands before it: that is who calls. */
async function ownTool(
  around: Around,
  name: Name,
  id: string,
  cwd: string,
  args: Arguments,
  signal: AbortSignal,
  onUpdate: Update,
): Promise<ToolResult> {
  const shelter = shelterOf(around, name);
  const { ctx } = shelter;
  await ctx.use(tools).load(signal, name);
  const entry = ctx
    .use(tools)
    .entries()
    .find(({ key, origin }) => key === name && origin.level === 'builtin');
  if (entry === undefined) throw new KernError('tool_unknown', `kern's tool ${name} is not there`);
  const where = { ...(shelter.tool?.where ?? ctx.where), cwd };
  const context: ToolContext = shelter.tool === undefined ? await contextOf(around, where) : { ...shelter.tool, where };
  return ctx.run(entry, async (tool: AnyTool) => {
    const bent = tool.prepareArguments?.(args) ?? args;
    const read =
      tool.parameters === undefined
        ? { ok: true as const, value: bent }
        : await parseLater<unknown>(tool.parameters, bent);
    if (!read.ok) throw new KernError('bad_arguments', `${name}: ${read.issues.join('; ')}`);
    return tool.execute(id, read.value as never, signal, onUpdate, context);
  });
}

/** Outside of a call of a tool. */
async function contextOf(around: Around, where: ToolContext['where']): Promise<ToolContext> {
  const { ctx } = shelterOf(around, 'a tool');
  await ctx.use(processes).load();
  return {
    where,
    sessionId: '',
    touched: (paths) => ctx.touched(paths),
    spawn: (command, args, options) => ctx.spawn(command, args, { cwd: where.cwd, ...options }),
    async artifacts() {
      await ctx.use(artifactStore).load();
      return ctx.service(artifactStore).folder(undefined);
    },
  };
}

/** What runs commands here, for an extension that changes them on the way. */
function localBash(around: Around): object {
  return {
    async exec(
      command: string,
      cwd: string,
      options: { onData(data: Buffer): void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
    ): Promise<{ readonly exitCode: number | null }> {
      const { ctx } = shelterOf(around, 'createLocalBashOperations');
      const { onData, signal, timeout, env } = options;
      await ctx.use(processes).load(signal);
      const child = ctx.spawn('bash', ['-c', command], {
        cwd,
        onOutput: (chunk) => onData(Buffer.from(chunk)),
        ...(env === undefined ? {} : { env }),
        ...(signal === undefined ? {} : { signal }),
        ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      });
      const { exitCode } = await child.result;
      return { exitCode: exitCode ?? null };
    },
  };
}
