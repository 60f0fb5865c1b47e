import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareToolCall, resultText, tools } from 'kern/contracts';
import type { Change, ChangeResult, View } from 'kern/plugin';
import { compose } from '../compose.ts';

/** The whole house in folders of its own: built-ins, loader, watcher, config and gate, as the program makes it. */
export interface House extends AsyncDisposable {
  /** The project, trusted for the run. */
  readonly project: string;
  /** Stands for KERN_HOME. */
  readonly home: string;
  readonly view: View;
  /** Writes a file of the project, folders included. */
  write(name: string, text: string): string;
  /** Calls a tool as a person would, and answers with its text; `refused: …` where it was not run. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** What was complained of, in order. */
  complaints(): readonly string[];
  /** Grows with every change of what is plugged in, and with every answer of a provider. */
  revision(): number;
  /** Puts plugins in, and takes them out. */
  change(change: Change): Promise<ChangeResult>;
}

export async function openHouse(
  files: Readonly<Record<string, string>>,
  options: {
    /** The file of `--config`, in the project. */
    readonly config?: string;
  } = {},
): Promise<House> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-house-')));
  const project = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const write = (name: string, text: string): string => {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(home, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) write(name, text);
  const env = { PATH: process.env.PATH, HOME: folder, KERN_HOME: home };
  const shared = {
    trust: true,
    permissionMode: 'all' as const,
    config: options.config === undefined ? undefined : path.join(project, options.config),
    extensions: [],
    noExtensions: false,
  };
  const gone = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const house = await compose({ cwd: project, env, shared }).catch((error: unknown) => {
    gone();
    throw error;
  });
  await house.extend();
  house.watch();
  const { view } = house;
  let calls = 0;
  return {
    project,
    home,
    view,
    write,
    complaints: () =>
      house.kernel.journal
        .all()
        .flatMap(({ severity, message }) => (severity === 'warning' || severity === 'error' ? [message] : [])),
    revision: () => house.kernel.snapshot().number,
    change: (change) => house.kernel.change(change),
    async call(tool, args) {
      calls += 1;
      await view.use(tools).load();
      const request = {
        name: tool,
        args,
        callId: `call_${calls}`,
        sessionId: 'house',
        by: 'person' as const,
        signal: new AbortController().signal,
      };
      const prepared = await prepareToolCall(view, request);
      if (prepared.state === 'refused') return `refused: ${resultText(prepared.result)}`;
      return resultText(await prepared.execute(() => {}));
    },
    [Symbol.asyncDispose]: async () => {
      await house.shutdown();
      gone();
    },
  };
}
