import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AgentSession, agentSessions, type ModelRequest, modelRequest } from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { type BootOptions, bootKern, script, type TestKern } from 'kern/testing';
import { onTestFinished } from 'vitest';

export interface Ground {
  readonly kern: TestKern;
  readonly session: AgentSession;
  /** What was sent to the model. */
  readonly requests: readonly ModelRequest[];
  /** Prompts, and answers with what the model read then. */
  send(text: string): Promise<string>;
  has(name: string): boolean;
  read(name: string): string;
  /** What the person was told of shell lines. */
  told(): readonly string[];
}

/** A project, kern's home (`../home`) and the person's (`../user`) beside it, and a session. */
export async function openGround(
  files: Readonly<Record<string, string>>,
  options: Pick<BootOptions, 'trust' | 'ui' | 'settings' | 'config'> & {
    readonly plugins?: readonly PluginDefinition[];
  } = {},
): Promise<Ground> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-slash-')));
  const at = (name: string): string => path.join(folder, 'project', name);
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  const replies = script({ version: 1, turns: [{ text: 'ok' }], repeat: 'last' });
  const requests: ModelRequest[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => ctx.tap(modelRequest, (request) => void requests.push(request)),
  });
  const { plugins = [], config = {}, ...boot } = options;
  const kern = await bootKern([recorder, ...plugins], {
    cwd: at(''),
    home: path.join(folder, 'home'),
    user: path.join(folder, 'user'),
    config: { agent: { title: { enabled: false } }, ...config },
    ...boot,
  });
  await kern.view.use(agentSessions).load();
  const create = { view: kern.view, cwd: at(''), persist: false, model: replies.model };
  const session = await kern.view.service(agentSessions).create(create);
  onTestFinished(async () => {
    await session[Symbol.asyncDispose]();
    await kern[Symbol.asyncDispose]();
    replies.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    kern,
    session,
    requests,
    async send(text) {
      await session.prompt({ text });
      const { content = [] } = requests.at(-1)?.messages.at(-1) ?? {};
      return content.map((part) => ('text' in part ? part.text : '')).join('\n');
    },
    has: (name) => existsSync(at(name)),
    read: (name) => readFileSync(at(name), 'utf8'),
    told: () => kern.complaints().filter((line) => line.includes('shell line')),
  };
}

/** Whether a process is there and runs: who has ended and was waited for by nobody does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
