import {
  flags,
  keybindings,
  type McpServer,
  mcpServers,
  modelProviders,
  processes,
  renderers,
  skills,
  slashCommands,
  thinkingLevels,
} from 'kern/contracts';
import { codeOf, KernError, type Offered } from 'kern/plugin';
import { z } from 'zod';
import { type ActiveTools, sourceInfo } from './active-tools.ts';
import { eventTable } from './events/table.ts';
import type { WireParts } from './events/wire.ts';
import { type Extension, type Handler, isRecord } from './extension.ts';
import type { UserMessages } from './messages.ts';
import { foreignProvider } from './provider.ts';
import { plainTheme } from './theme.ts';
import type { Tools } from './tools.ts';

export interface ApiParts {
  readonly extension: Extension;
  readonly wires: WireParts;
  readonly tools: Tools;
  readonly active: ActiveTools;
  readonly messages: UserMessages;
  readonly commandContext: () => object;
  readonly eventContext: () => object;
  /** False as long as the factory runs. */
  readonly isReady: () => boolean;
  /** What `pi.pi` and `pi.typebox` of oh-my-pi are. */
  readonly modules: Readonly<Record<string, object>>;
}

type Api = Record<string, unknown>;
type FlagValues = Record<string, string | boolean>;

/** The object a factory is called with. What kern cannot do says so; nothing that is asked for is silently undefined. */
export function extensionApi(parts: ApiParts): Api {
  const { extension, modules } = parts;
  const { ctx } = extension;
  const here = (name: string): unknown => Reflect.get(parts.eventContext(), name);
  return {
    // Factories of oh-my-pi's tools find these beside the rest.
    get ui() {
      return here('ui');
    },
    get hasUI() {
      return here('hasUI');
    },
    get cwd() {
      return here('cwd');
    },
    on: listener(parts),
    ...registrations(parts),
    ...actions(parts),
    ...unavailable(extension),
    events: {
      on: (name: string, handler: (data: unknown) => void): (() => void) => {
        const handle = ctx.events.on(String(name), handler);
        return () => handle.dispose();
      },
      emit: (name: string, data?: unknown) => ctx.events.emit(String(name), data),
    },
    logger: {
      debug: (message: unknown) => ctx.log.debug(String(message)),
      info: (message: unknown) => ctx.log.info(String(message)),
      warn: (message: unknown) => ctx.log.warn(String(message)),
      error: (message: unknown, cause?: unknown) => ctx.log.error(String(message), cause),
    },
    pi: modules['coding-agent'],
    typebox: modules.typebox,
    zod: z,
  };
}

const rows = new Map(eventTable.map((row) => [row.event, row]));

function listener({ extension, wires }: ApiParts): (event: string, handler: Handler) => () => void {
  const wired = new Set<string>();
  return (event, handler) => {
    if (typeof handler !== 'function')
      throw new KernError(
        'bad_handler',
        `the extension ${extension.name}: pi.on(${JSON.stringify(event)}) has no function`,
      );
    const row = rows.get(event);
    if (row === undefined)
      extension.notice(`on ${event}`, `it waits for ${JSON.stringify(event)}, and there is no such event`);
    else if (row.from === undefined)
      extension.notice(`on ${event}`, `it waits for ${event}, which never comes: ${row.note}`);
    else if (!wired.has(event)) {
      wired.add(event);
      row.wire?.(wires);
    }
    return extension.add(event, handler);
  };
}

/** Allowed while the factory runs and later. */
function registrations({ extension, tools, commandContext, eventContext }: ApiParts): Api {
  const { ctx, origin } = extension;
  const at = { path: origin.path };
  const given = ctx.state(
    'compat.flags',
    z.record(z.string(), z.union([z.string(), z.boolean()])),
    () => ({}) as FlagValues,
  );
  const defaults = new Map<string, string | boolean | undefined>();
  const commands = new Map<string, Offered>();
  const providers = new Map<string, Offered>();
  const servers = new Map<string, Offered>();
  const draw = (kind: string, make: (value: unknown, options: object) => unknown): void => {
    ctx.contribute(
      renderers,
      { kind, render: (value, { width, expanded }) => linesOf(make(value, { expanded, isPartial: false }), width) },
      at,
    );
  };
  return {
    registerTool: (tool: unknown) => tools.register(tool),
    registerCommand(name: string, options: unknown) {
      const run = isRecord(options) ? (options.handler ?? options.execute) : undefined;
      if (typeof run !== 'function')
        throw new KernError('bad_command', `the extension ${extension.name}: the command ${name} has no handler`, {
          hint: 'pi.registerCommand("name", { description, handler: async (args, ctx) => { … } })',
        });
      const description = isRecord(options) ? options.description : undefined;
      commands.get(name)?.withdraw();
      commands.set(
        name,
        ctx.contribute(
          slashCommands,
          {
            name,
            path: origin.path,
            ...(typeof description === 'string' ? { description } : {}),
            async run(args: string) {
              const said: unknown = await extension.within(() => run(args, commandContext()));
              return typeof said === 'string' ? said : undefined;
            },
          },
          at,
        ),
      );
    },
    registerFlag(name: string, options: unknown) {
      const { type, description, default: usual } = isRecord(options) ? options : {};
      const kind = type === 'string' ? 'string' : 'boolean';
      defaults.set(name, typeof usual === 'string' || typeof usual === 'boolean' ? usual : undefined);
      ctx.contribute(
        flags,
        {
          name,
          kind,
          summary: typeof description === 'string' ? description : `of the extension ${extension.name}`,
          apply: (value) => {
            given.value = { ...given.value, [name]: value };
          },
        },
        at,
      );
    },
    getFlag: (name: string) => (defaults.has(name) ? (given.value[name] ?? defaults.get(name)) : undefined),
    registerShortcut(key: string, options: unknown) {
      const { description, handler } = isRecord(options) ? options : {};
      if (typeof handler !== 'function')
        throw new KernError('bad_shortcut', `the extension ${extension.name}: the shortcut ${key} has no handler`);
      ctx.contribute(
        keybindings,
        {
          action: `${ctx.id}/${key}`,
          keys: [String(key)],
          summary: typeof description === 'string' ? description : `of the extension ${extension.name}`,
          run: async () => void (await extension.within(() => handler(eventContext()))),
        },
        at,
      );
    },
    registerMessageRenderer(customType: string, renderer: unknown) {
      if (typeof renderer === 'function')
        draw(`message:${customType}`, (value, options) => renderer(value, options, plainTheme));
    },
    registerEntryRenderer(customType: string, renderer: unknown) {
      if (typeof renderer === 'function')
        draw(`entry:${customType}`, (value, options) => renderer(value, options, plainTheme));
    },
    registerToolRenderer: () =>
      extension.notice('registerToolRenderer', 'how it draws the tools of others is not shown here', 'info'),
    registerMarkdownTransformer: () =>
      extension.notice('registerMarkdownTransformer', 'what it makes of Markdown is not shown here', 'info'),
    registerAssistantThinkingRenderer: () =>
      extension.notice('registerAssistantThinkingRenderer', 'how it draws thinking is not shown here', 'info'),
    registerProvider(name: unknown, config?: unknown) {
      if (typeof name !== 'string')
        throw new KernError('bad_provider', `the extension ${extension.name}: a whole Provider of pi-ai is not taken`, {
          hint: 'pi.registerProvider("name", { baseUrl, apiKey, api, models })',
        });
      const provider = foreignProvider(extension, name, config);
      providers.get(name)?.withdraw();
      providers.set(name, ctx.contribute(modelProviders, provider, at));
    },
    unregisterProvider(name: string) {
      providers.get(name)?.withdraw();
      providers.delete(name);
    },
    registerMcpServer(name: string, config: unknown) {
      servers.get(name)?.withdraw();
      servers.set(name, ctx.contribute(mcpServers, mcpServer(name, origin.path, config), at));
    },
    unregisterMcpServer(name: string) {
      servers.get(name)?.withdraw();
      servers.delete(name);
    },
    getMcpServers: () =>
      ctx
        .use(mcpServers)
        .items()
        .map(({ name, transport, command, args, url }) => ({ name, config: { type: transport, command, args, url } })),
  };
}

/** Lines of a component, or of a text. */
function linesOf(drawn: unknown, width: number): readonly string[] | undefined {
  if (typeof drawn === 'string') return drawn.split('\n');
  if (!isRecord(drawn) && typeof drawn !== 'object') return undefined;
  const render: unknown = drawn === null ? undefined : Reflect.get(drawn, 'render');
  const lines: unknown = typeof render === 'function' ? render.call(drawn, width) : undefined;
  return Array.isArray(lines) ? lines.map(String) : undefined;
}

function mcpServer(name: string, path: string, config: unknown): McpServer {
  const { command, args, env, url, headers, cwd, type } = isRecord(config) ? config : {};
  const transport = typeof command === 'string' ? 'stdio' : type === 'sse' ? 'sse' : 'http';
  return {
    name,
    path,
    transport,
    enabled: true,
    ...(typeof command === 'string' ? { command } : {}),
    ...(Array.isArray(args) ? { args: args.map(String) } : {}),
    ...(isRecord(env) ? { env: textsIn(env) } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(isRecord(headers) ? { headers: textsIn(headers) } : {}),
  };
}

const textsIn = (value: object): Record<string, string> =>
  Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));

/** What acts on a session: not before the factory is through. */
function actions({ extension, active, messages, isReady }: ApiParts): Api {
  const { ctx } = extension;
  const live = (what: string) => extension.liveSession(`pi.${what}`);
  const all: Api = {
    sendMessage: messages.sendMessage,
    sendUserMessage: messages.sendUserMessage,
    appendEntry: (customType: string, data?: unknown) => live('appendEntry').appendEntry(customType, data ?? null),
    setSessionName: (name: string) => live('setSessionName').setName(String(name)),
    getSessionName: () => live('getSessionName').name,
    setLabel: (entryId: string, label?: string) => live('setLabel').setLabel(entryId, label),
    getActiveTools: () => active.names(live('getActiveTools')),
    getAllTools: () => active.all(live('getAllTools')),
    setActiveTools: (names: readonly string[]) => active.choose(live('setActiveTools'), names),
    getCommands: () => commandsOf(extension),
    async setModel(model: unknown) {
      if (!isRecord(model)) throw new KernError('model_unknown', 'pi.setModel takes a model of ctx.modelRegistry');
      try {
        await live('setModel').setModel(`${String(model.provider)}/${String(model.id)}`);
        return true;
      } catch (error) {
        if (
          ['no_model', 'not_signed_in', 'model_unauthorized', 'model_unavailable', 'model_unknown'].includes(
            codeOf(error) ?? '',
          )
        )
          return false;
        throw error;
      }
    },
    getThinkingLevel: () => live('getThinkingLevel').thinking(),
    setThinkingLevel: (level: string) => {
      if (!thinkingLevels.some((one) => one === level))
        throw new KernError(
          'thinking_unknown',
          `the extension ${extension.name}: ${JSON.stringify(level)} is no level`,
          {
            hint: `levels: ${thinkingLevels.join(', ')}`,
          },
        );
      live('setThinkingLevel').setThinking(level);
    },
    exec: (command: string, args: readonly string[] = [], options: ExecOptions = {}) =>
      exec(extension, command, args, options),
    getSettings: () => ({
      defaultModel: ctx.setting('model'),
      defaultThinkingLevel: ctx.setting('thinking'),
      enabledModels: ctx.setting('enabledModels'),
    }),
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, action]) => [
      name,
      (...args: unknown[]): unknown => {
        if (isReady()) return (action as (...args: unknown[]) => unknown)(...args);
        throw new KernError(
          'extension_not_ready',
          `the extension ${extension.name} used pi.${name} while it was being loaded`,
          { hint: 'register while it loads, and act in a handler: pi.on("session_start", () => { … })' },
        );
      },
    ]),
  );
}

interface ExecOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly cwd?: string;
  readonly maxBuffer?: number;
}

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

async function exec(
  extension: Extension,
  command: string,
  args: readonly string[],
  options: ExecOptions,
): Promise<object> {
  const { signal, timeout, cwd, maxBuffer } = options;
  const where = cwd ?? extension.session()?.cwd;
  await extension.ctx.use(processes).load(signal);
  const child = extension.ctx.spawn(command, args.map(String), {
    keepBytes: maxBuffer ?? 16 * 1024 * 1024,
    ...(where === undefined ? {} : { cwd: where }),
    ...(signal === undefined ? {} : { signal }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(maxBuffer === undefined ? {} : { limits: { outputBytes: maxBuffer } }),
  });
  const ended = await child.result;
  const killed = ended.timedOut || ended.aborted || ended.overLimit !== undefined;
  return {
    stdout: ended.stdout,
    stderr: ended.stderr,
    code: ended.exitCode ?? 128 + (signalNumbers[ended.signal ?? ''] ?? 0),
    killed,
    ...(ended.dropped > 0 || ended.overLimit === 'output' ? { truncated: true } : {}),
  };
}

function commandsOf({ ctx }: Extension): readonly object[] {
  const found = ctx
    .use(slashCommands)
    .entries()
    .filter(({ verdict }) => verdict.state === 'won')
    .map(({ item: { name, description, run, path }, origin }) => ({
      name,
      description,
      source: run === undefined ? 'prompt' : 'extension',
      sourceInfo: sourceInfo(path === undefined ? origin : { ...origin, path }),
    }));
  const known = ctx
    .use(skills)
    .entries()
    .filter(({ verdict }) => verdict.state === 'won')
    .map(({ item: { name, description, path }, origin }) => ({
      name: `skill:${name}`,
      description,
      source: 'skill',
      sourceInfo: sourceInfo({ ...origin, path }),
    }));
  return [
    ...found.filter(({ source }) => source === 'extension'),
    ...found.filter(({ source }) => source === 'prompt'),
    ...known,
  ];
}

/** What kern has not: a call of it is said, and what would have had an answer throws. */
function unavailable(extension: Extension): Api {
  const said = (name: string, why: string) => (): void =>
    extension.notice(name, `pi.${name} does nothing here: ${why}`);
  return {
    registerVirtualModel: said('registerVirtualModel', 'name models for roles, and chains of them, in the settings'),
    unregisterVirtualModel: said('unregisterVirtualModel', 'there are no virtual models'),
    registerComposerShape: said('registerComposerShape', 'there is no composer'),
    registerFileWriteFallback: said('registerFileWriteFallback', 'tools write as they say'),
    registerFileDeleteFallback: said('registerFileDeleteFallback', 'tools delete as they say'),
  };
}
