import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A process of kern, and what it has said so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly out: string;
  readonly err: string;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>;
}

type Options = NonNullable<Parameters<Place['start']>[1]>;

export interface Place extends Disposable {
  readonly project: string;
  readonly home: string;
  write(name: string, text: string): string;
  start(
    argv: readonly string[],
    options?: { readonly stdin?: 'open' | string; readonly env?: NodeJS.ProcessEnv },
  ): Running;
  /** Starts it and waits for its end. */
  run(...argv: string[]): Running['ended'];
  /** The same as a line of a shell, which may turn its output elsewhere; `before` is done first. */
  shell(line: string, before?: string): Running['ended'];
  /** The content of a file of the project, once something has written it. */
  appeared(name: string): Promise<string>;
  /** Resolves when there is such a file in the project. */
  exists(name: string): Promise<void>;
  /** What a file of the project holds; empty where it is not there. */
  read(name: string): string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const kern = path.join(root, 'plugins/cli/kern.mjs');
// Plain JavaScript for every Node, and so without types.
const { isBuilt }: { isBuilt(root: string): boolean } = await import(
  new URL('../build/stamp.mjs', import.meta.url).href
);
// What is tested is what the sources say: the build only where it is as new as they are.
const isOld = existsSync(path.join(root, 'dist')) && !isBuilt(root);

/** A project and a home of its own for the whole program. `bin` is another copy of kern. */
export function openPlace(files: Readonly<Record<string, string>> = {}, bin: string = kern): Place {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kern-e2e-')));
  const project = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const write = (name: string, text: string): string => {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const children = new Set<ChildProcess>();
  const start: Place['start'] = (argv, options) => begin(process.execPath, [bin, ...argv], options);
  const begin = (file: string, args: readonly string[], { stdin, env = {} }: Options = {}): Running => {
    const own = {
      PATH: process.env.PATH,
      HOME: folder,
      KERN_HOME: home,
      NO_COLOR: '1',
      ...(isOld ? { KERN_SOURCE: '1' } : {}),
    };
    const child = spawn(file, args, {
      cwd: project,
      env: { ...own, ...env },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    children.add(child);
    if (stdin !== undefined && stdin !== 'open') child.stdin?.end(stdin);
    const said = { out: '', err: '' };
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      said.out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      said.err += text;
    });
    const ended = once(child, 'close').then(([code, signal]) => {
      children.delete(child);
      return { code: (code ?? signal) as number | string, ...said };
    });
    return {
      child,
      ended,
      get out() {
        return said.out;
      },
      get err() {
        return said.err;
      },
    };
  };
  return {
    project,
    home,
    write,
    start,
    run: (...argv) => start(argv).ended,
    shell: (line, before = ':') =>
      begin('sh', ['-c', `${before} && exec "$0" "$1" ${line}`, process.execPath, bin]).ended,
    appeared: async (name) => {
      const file = path.join(project, name);
      while (!existsSync(file) || readFileSync(file, 'utf8').trim() === '')
        await new Promise((resolve) => setTimeout(resolve, 20));
      return readFileSync(file, 'utf8');
    },
    read: (name) => {
      const file = path.join(project, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    exists: async (name) => {
      while (!existsSync(path.join(project, name))) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    [Symbol.dispose]: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Whether a process is there and runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux'; // elsewhere the signal above has told
  }
}
