import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentEvent,
  type AgentSession,
  agentSessions,
  type Message,
  type ModelRequest,
  modelRequest,
  type ScriptSource,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKern, script, type TestKern } from 'kern/testing';
import { watched } from './watched.ts';

export interface Place extends AsyncDisposable {
  readonly kern: TestKern;
  readonly session: AgentSession;
  readonly events: readonly AgentEvent[];
  readonly requests: readonly ModelRequest[];
  /** `project/…`, `home/…` and `kern/…`. Whoever watches is told. */
  put(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  at(name: string): string;
  /** The system prompt of the first request. */
  system(): string;
}

export interface PlaceOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly turns?: ScriptSource['turns'];
  /** The working directory, in the project. */
  readonly cwd?: string;
  readonly plugins?: readonly PluginDefinition[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly session?: { readonly systemPrompt?: string; readonly appendSystemPrompt?: readonly string[] };
}

/** A session in a project with files, of a person with files. */
export async function openPlace({
  files,
  turns = [],
  cwd = '',
  plugins = [],
  settings,
  config,
  session: more = {},
}: PlaceOptions): Promise<Place> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-prompt-')));
  const at = (name: string): string => path.join(folder, name);
  const write = (name: string, text: string | undefined): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    if (text === undefined) rmSync(at(name));
    else writeFileSync(at(name), text);
  };
  for (const [name, text] of Object.entries({ 'project/.git/HEAD': '', 'home/x': '', 'kern/x': '', ...files }))
    write(name, text);
  const replies = script(turns);
  const disk = watched();
  const requests: ModelRequest[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => ctx.tap(modelRequest, (request) => void requests.push(request)),
  });
  const kern = await bootKern([recorder, ...plugins], {
    cwd: at('project'),
    home: at('kern'),
    user: at('home'),
    watch: disk.port,
    config: { ...config, agent: { title: { enabled: false }, ...config?.agent } },
    ...(settings === undefined ? {} : { settings }),
  });
  const view = kern.kernel.view({
    cwd: path.join(at('project'), cwd),
    root: at('project'),
    home: at('kern'),
    user: at('home'),
  });
  await view.use(agentSessions).load();
  const session = await view.service(agentSessions).create({
    view,
    cwd: view.where.cwd,
    persist: false,
    model: replies.model,
    ...more,
  });
  const events: AgentEvent[] = [];
  session.subscribe((event) => void events.push(event));
  return {
    kern,
    session,
    events,
    requests,
    at,
    put: async (changed) => {
      for (const [name, text] of Object.entries(changed)) write(name, text);
      disk.change(Object.keys(changed).map(at));
      await view.settled(5_000);
    },
    system: () => requests[0]?.systemPrompt ?? '',
    [Symbol.asyncDispose]: async () => {
      await session[Symbol.asyncDispose]();
      await kern[Symbol.asyncDispose]();
      replies.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export const textOf = (message: Message | undefined): string =>
  message?.content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n') ?? '';

/** What kern itself told the model in the middle of a conversation. */
export const toldIn = (request: ModelRequest | undefined): string =>
  request?.messages
    .filter((message) => message.role === 'custom' && message.customType === 'kern.announcement')
    .map(textOf)
    .join('\n') ?? '';
