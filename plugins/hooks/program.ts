import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { extname } from 'node:path';
import { type HookItem, processes, type SpawnResult } from 'kern/contracts';
import { type Context, KernError } from 'kern/plugin';

/** What a hook may print. An answer is a few lines. */
const mostOutput = 4 * 1024 * 1024;
const keptOutput = 1024 * 1024;

export interface ProgramRun {
  readonly item: HookItem;
  readonly input: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly root: string;
  readonly signal: AbortSignal;
}

/** How the program of a hook ended; `beside`: it said that nobody is to wait for it, and goes on. */
export type Ended = { readonly beside: false; readonly result: SpawnResult } | { readonly beside: true };

/** Runs the program of a hook. It and all that it starts are ended when its time is over, or the signal fires. Rejects where it cannot be started. */
export async function runProgram(ctx: Context, run: ProgramRun): Promise<Ended> {
  const { item, cwd, root, signal } = run;
  const [command, args] = await lineOf(item);
  await ctx.use(processes).load(signal);
  const beside = Promise.withResolvers<Ended>();
  let head = '';
  const child = ctx.spawn(command, args, {
    cwd,
    env: {
      CLAUDE_PROJECT_DIR: root,
      GEMINI_PROJECT_DIR: root,
      GEMINI_CWD: cwd,
      CURSOR_PROJECT_DIR: root,
      KERN_PROJECT_DIR: root,
      ...run.env,
      ...item.env,
    },
    input: `${JSON.stringify(run.input)}\n`,
    timeoutMs: item.timeoutMs,
    signal,
    keepBytes: keptOutput,
    limits: { outputBytes: mostOutput },
    label: `hook ${item.name}`,
    onOutput: (chunk, stream) => {
      if (stream !== 'stdout' || head.includes('\n') || head.length > 1_000) return;
      head += Buffer.from(chunk).toString('utf8');
      if (saysAsync(head)) beside.resolve({ beside: true });
    },
  });
  return Promise.race([child.result.then((result): Ended => ({ beside: false, result })), beside.promise]);
}

/** `{"async": true}` as its first line. */
function saysAsync(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.split('\n')[0] ?? '');
    return typeof value === 'object' && value !== null && 'async' in value && value.async === true;
  } catch {
    return false; // not the whole line yet, or another one
  }
}

/** What runs a file that is not executable itself. */
const interpreters: Readonly<Record<string, readonly [string, ...string[]]>> = {
  '.sh': ['/bin/sh'],
  '.bash': ['bash'],
  '.zsh': ['zsh'],
  '.fish': ['fish'],
  '.py': ['python3'],
  '.js': [process.execPath],
  '.mjs': [process.execPath],
  '.cjs': [process.execPath],
  '.ps1': ['pwsh', '-NoProfile', '-File'],
};

async function lineOf(item: HookItem): Promise<readonly [string, readonly string[]]> {
  const { kind, path, command = '', args } = item;
  if (kind === 'command') {
    if (args !== undefined) return [command, args];
    return process.platform === 'win32'
      ? ['powershell', ['-NoProfile', '-Command', command]]
      : ['/bin/sh', ['-c', command]];
  }
  const isExecutable =
    process.platform !== 'win32' &&
    (await access(path, constants.X_OK).then(
      () => true,
      () => false,
    ));
  if (isExecutable) return [path, []];
  const [program, ...before] = interpreters[extname(path)] ?? [];
  if (program !== undefined) return [program, [...before, path]];
  throw new KernError('hook_not_executable', `${path} may not be executed`, {
    hint: `chmod +x ${path}, or give it an ending that says what runs it: .sh, .py, .js`,
  });
}
