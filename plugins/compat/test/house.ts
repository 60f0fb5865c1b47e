import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAgentSession, createKernel, type Kern, type KernelOptions } from 'kern';
import { type AgentEvent, type AgentSession, type ScriptSource, scriptFile, slashCommands } from 'kern/contracts';
import { type CapturedUi, capturedUi } from 'kern/testing';

export interface HouseOptions extends KernelOptions {
  /** What the model says, turn by turn. */
  readonly turns?: ScriptSource['turns'];
  /** What the person answers; without it nobody is there. */
  readonly answers?: readonly (string | boolean | undefined)[];
  /** Files beside the extension, by their path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly tools?: readonly string[];
}

/** A session in a house of its own, with extensions that are loaded from files. */
export interface House extends AsyncDisposable {
  readonly kern: Kern;
  readonly session: AgentSession;
  readonly events: readonly AgentEvent[];
  readonly project: string;
  readonly home: string;
  readonly ui: CapturedUi | undefined;
  /** What extensions said with `say(…)`, in order. */
  said(): readonly unknown[];
  /** Warnings and errors so far. */
  complaints(): readonly string[];
  write(path: string, text: string): string;
  /** Runs the command behind a slash, as a mode does where nothing runs. */
  command(name: string, args?: string): Promise<string | undefined>;
}

/** `say` writes what the test reads; the rest is for what TypeScript would want to know. */
export const heading = (log: string): string =>
  `import { appendFileSync } from 'node:fs';
const say = (...what: unknown[]): void => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what.length === 1 ? what[0] : what) + '\\n');
`;

/** Extensions by name, each the body of a function `(pi) => { … }`, or with imports a whole module. */
export async function openHouse(
  extensions: Readonly<Record<string, string>>,
  { turns = [], answers, files = {}, tools, ...options }: HouseOptions = {},
): Promise<House> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-compat-')));
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  const log = join(folder, 'said.jsonl');
  writeFileSync(log, '');
  const write = (path: string, text: string): string => {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(project);
  for (const [path, text] of Object.entries(files)) write(path, text);
  const source = (text: string): string =>
    heading(log) + (/^\s*export default /m.test(text) ? text : `export default (pi) => {\n${text}\n};`);
  const paths = Object.entries(extensions).map(([name, text]) =>
    name.startsWith('/') ? name : write(`../extensions/${name}.ts`, source(text)),
  );
  const script = scriptFile({ version: 1, turns, repeat: 'last' } as ScriptSource);
  const remove = (): void => {
    script.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const ui = answers === undefined ? undefined : capturedUi(answers);
  try {
    const kern = await createKernel({
      cwd: project,
      home,
      env: { PATH: process.env.PATH, HOME: folder },
      extensions: paths,
      permissionMode: 'all',
      ...options,
    });
    if (ui !== undefined) kern.view.ui = ui;
    const opened = await createAgentSession({
      kern,
      model: script.model,
      persist: false,
      ...(tools === undefined ? {} : { tools }),
    });
    const { session } = opened;
    const events: AgentEvent[] = [];
    session.subscribe((event) => void events.push(event));
    return {
      kern,
      session,
      events,
      project,
      home,
      ui,
      said: () =>
        readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as unknown),
      complaints: () =>
        kern.kernel.journal
          .all()
          .flatMap(({ severity, plugin, message }) =>
            severity === 'warning' || severity === 'error' ? [`${plugin}: ${message}`] : [],
          ),
      write,
      async command(name, args = '') {
        await kern.view.use(slashCommands).load();
        const entry = session.view.use(slashCommands).get(name);
        if (entry === undefined) throw new Error(`there is no command ${name}`);
        const { signal } = new AbortController();
        return session.view.enter(() => session.view.run(entry, (command) => command.run?.(args, signal)));
      },
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
