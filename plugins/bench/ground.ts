import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CommandHost, processes, workbench } from 'kern/contracts';
import { type Child, type Context, KernError, type SpawnOptions } from 'kern/plugin';

/** Where a kern that is measured lives: a KERN_HOME and a working directory of its own. */
export interface Place {
  readonly home: string;
  readonly cwd: string;
  /** Writes a file below the working directory; `home:` in front means KERN_HOME. Answers with its path. */
  write(path: string, text: string): string;
}

/** A child, and when it was asked for. */
export interface Started {
  readonly at: number;
  readonly child: Child;
}

/** How a child that did what it should ended: when, and what it said. */
export interface Ran {
  readonly at: number;
  readonly ms: number;
  readonly stdout: string;
}

/** What every measurement stands on. All children are started in the same way, bare Node too. */
export interface Ground extends Disposable {
  readonly runs: number;
  /** The package, with its sources, examples and dist. */
  readonly root: string;
  place(): Place;
  node(args: readonly string[]): Promise<Ran>;
  startNode(args: readonly string[], options?: NodeOptions): Started;
  kern(place: Place, args: readonly string[], options?: KernOptions): Promise<Ran>;
  start(place: Place, args: readonly string[], options?: KernOptions): Started;
  /** Waits for its end; one that failed fails the measurement, with what it said. */
  ended(started: Started): Promise<Ran>;
}

export interface KernOptions {
  /** The model server, without `/v1`. */
  readonly model?: string;
  readonly onOutput?: SpawnOptions['onOutput'];
}

export interface NodeOptions extends Pick<SpawnOptions, 'input' | 'onOutput' | 'timeoutMs'> {
  /** The program imports `kern`: dist/ where it is there, else the sources. */
  readonly knowsKern?: boolean;
}

/** Long enough for a machine that is busy with other things; a child that hangs must not hang the measurement. */
const limitMs = 180_000;

export async function openGround(ctx: Context, host: CommandHost, runs: number): Promise<Ground> {
  await Promise.all([ctx.use(processes).load(), ctx.use(workbench).load()]);
  const { root } = ctx.service(workbench).program;
  const kern = join(root, 'plugins', 'cli', 'kern.mjs');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-bench-')));
  let places = 0;

  const spawn = (args: readonly string[], options: SpawnOptions): Started => {
    const at = performance.now();
    return { at, child: ctx.spawn(process.execPath, args, { signal: host.signal, timeoutMs: limitMs, ...options }) };
  };
  const ended = async ({ at, child }: Started): Promise<Ran> => {
    const { exitCode, signal, stdout, stderr, timedOut } = await child.result;
    const ms = performance.now() - at;
    host.signal.throwIfAborted();
    if (exitCode === 0) return { at, ms, stdout };
    const how = timedOut ? `did not end within ${limitMs / 1000} s` : `ended with ${exitCode ?? signal}`;
    throw new KernError('bench_failed', `what was to be measured ${how}:\n${(stderr || stdout).trim()}`);
  };
  const start: Ground['start'] = (place, args, { model, onOutput } = {}) =>
    spawn([kern, ...args], {
      cwd: place.cwd,
      env: { ...quiet(host.env), KERN_HOME: place.home, HOME: folder, ...(model === undefined ? {} : reached(model)) },
      ...(onOutput === undefined ? {} : { onOutput }),
    });

  const startNode: Ground['startNode'] = (args, { knowsKern = false, ...options } = {}) => {
    const flags = knowsKern && !existsSync(join(root, 'dist', 'sdk.js')) ? ['--conditions=kern-source'] : [];
    return spawn([...flags, ...args], { cwd: folder, env: { ...quiet(host.env), HOME: folder }, ...options });
  };

  return {
    runs,
    root,
    start,
    ended,
    place() {
      places += 1;
      const home = join(folder, String(places), 'home');
      const cwd = join(folder, String(places), 'work');
      // A project of its own, so that nothing above it is looked at.
      mkdirSync(join(cwd, '.git'), { recursive: true });
      mkdirSync(home, { mode: 0o700 });
      const write: Place['write'] = (path, text) => {
        const file = path.startsWith('home:') ? join(home, path.slice('home:'.length)) : join(cwd, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
        return file;
      };
      return { home, cwd, write };
    },
    node: (args) => ended(startNode(args)),
    startNode,
    kern: (place, args, options) => ended(start(place, args, options)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Nothing of this run's own settings reaches a child, nor does what makes Node itself slower. */
function quiet(env: CommandHost['env']): Record<string, undefined> {
  const names = Object.keys(env).filter((name) => /^(KERN_|NODE_|V8_)|_(API_KEY|BASE_URL)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** All wires lead to the same server. */
const reached = (url: string): Record<string, string> => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: 'bench',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'bench',
  GOOGLE_GEMINI_BASE_URL: url,
  GEMINI_API_KEY: 'bench',
});
