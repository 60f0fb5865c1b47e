import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAgentSession, createKernel, type Kern } from 'kern';
import { type AgentSession, type ScriptSource, scriptFile } from 'kern/contracts';

/** A session in a house of its own, whose files are watched once `kern.watch()` was called. */
export interface Live extends AsyncDisposable {
  readonly kern: Kern;
  readonly session: AgentSession;
  readonly home: string;
  /** Warnings and errors so far. */
  complaints(): readonly string[];
}

export async function openLive(turns: ScriptSource['turns']): Promise<Live> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-tools-')));
  const [project, home] = [path.join(folder, 'project'), path.join(folder, 'home')];
  mkdirSync(project);
  const script = scriptFile({ version: 1, turns, repeat: 'last' } as ScriptSource);
  const remove = (): void => {
    script.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const env = { PATH: process.env.PATH, HOME: folder };
    const kern = await createKernel({ cwd: project, home, env, permissionMode: 'all' });
    const opened = await createAgentSession({ kern, model: script.model, persist: false });
    return {
      kern,
      session: opened.session,
      home,
      complaints: () =>
        kern.kernel.journal
          .all()
          .flatMap(({ severity, message }) => (severity === 'warning' || severity === 'error' ? [message] : [])),
      [Symbol.asyncDispose]: async () => {
        await opened[Symbol.asyncDispose]();
        await kern.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
