import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AgentSession,
  agentSessions,
  type Message,
  type ModelRequest,
  modelRequest,
  type ScriptSource,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { type BootOptions, bootKern, script, type TestKern } from 'kern/testing';
import { onTestFinished } from 'vitest';

export interface Ground {
  readonly kern: TestKern;
  readonly session: AgentSession;
  readonly project: string;
  /** What was sent to the model. */
  readonly requests: readonly ModelRequest[];
  /** The texts of a request, each on a line. */
  sent(index: number): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
  read(name: string): string;
  /** What hooks that ran `cat >> <name>` were told. */
  told(name: string): readonly Record<string, unknown>[];
}

export const textOf = (message: Message | undefined): string =>
  message?.content.map((part) => ('text' in part ? part.text : '')).join('\n') ?? '';

/** A hook that is a line of a shell. */
export const sh = (command: string, more: object = {}): object => ({ type: 'command', command, ...more });
/** `hooks.json` with one hook. */
export const oneHook = (event: string, hook: object, matcher?: string): string =>
  JSON.stringify({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] } });
/** A line that prints this. */
export const says = (answer: object): string => `echo '${JSON.stringify(answer)}'`;

/** A project, kern's home beside it (`../home`), and a session; files that begin with `#!` are executable. */
export async function openGround(
  files: Readonly<Record<string, string>>,
  turns: ScriptSource['turns'] = [{ text: 'ok' }],
  options: Pick<BootOptions, 'trust' | 'ui' | 'settings'> & { readonly plugins?: readonly PluginDefinition[] } = {},
): Promise<Ground> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-hooks-')));
  const project = path.join(folder, 'project');
  const write = (name: string, text: string): void => {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith('#!')) chmodSync(file, 0o755);
  };
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) write(name, text);
  const replies = script({ version: 1, turns, repeat: 'last' });
  const requests: ModelRequest[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => ctx.tap(modelRequest, (request) => void requests.push(request)),
  });
  const { plugins = [], ...boot } = options;
  const kern = await bootKern([recorder, ...plugins], {
    cwd: project,
    home: path.join(folder, 'home'),
    user: path.join(folder, 'user'),
    config: { agent: { title: { enabled: false } } },
    ...boot,
  });
  await kern.view.use(agentSessions).load();
  const create = { view: kern.view, cwd: project, persist: false, model: replies.model };
  const session = await kern.view.service(agentSessions).create(create);
  onTestFinished(async () => {
    await session[Symbol.asyncDispose]();
    await kern[Symbol.asyncDispose]();
    replies.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const read = (name: string): string => readFileSync(path.join(project, name), 'utf8');
  return {
    kern,
    session,
    project,
    requests,
    sent: (index) => requests.at(index)?.messages.map(textOf).join('\n') ?? '',
    write,
    read,
    has: (name) => existsSync(path.join(project, name)),
    told: (name) =>
      read(name)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** A turn that calls the shell. */
export const bash = (command: string, id = 'c1'): NonNullable<ScriptSource['turns']>[number] => ({
  calls: [{ name: 'bash', args: { command }, id }],
});
