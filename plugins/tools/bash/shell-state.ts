import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';

/** What lasts of a session's shell from one command to the next: where it is, and what it exports beyond our environment. */
export interface ShellState {
  readonly cwd: string | undefined;
  /** `null`: unset. */
  readonly env: Readonly<Record<string, string | null>>;
}

export const shellStates = z.record(
  z.string(),
  z.object({ cwd: z.string().optional(), env: z.record(z.string(), z.string().nullable()) }),
);

export const freshShell: ShellState = { cwd: undefined, env: {} };

/** Of a shell itself, of this one call, or able to make every later shell useless. */
const ofTheShell = new Set([
  '_',
  'BASHOPTS',
  'BASH_ENV',
  'ENV',
  'KERN_RUN',
  'POSIXLY_CORRECT',
  'PWD',
  'SHELLOPTS',
  'SHLVL',
]);

/** Longer values than these would make starting a program impossible. */
const valueLimit = 64 * 1024;
const totalLimit = 256 * 1024;

/** What a shell wrote down at its end. */
export interface Dump {
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
}

/** Reads what the shell wrote. Undefined where it did not come to its end. */
export function takeDump(path: string): Dump | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const parts = text.split('\0');
  // What follows the last NUL is nothing, what precedes it is the mark of a whole dump.
  if (parts.pop() !== '' || parts.pop() !== 'end') return undefined;
  const [cwd, ...pairs] = parts;
  if (cwd === undefined || !cwd.startsWith('/')) return undefined;
  const env = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at > 0) env.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return { cwd, env };
}

/** Removes what a shell wrote, which holds an environment, and what it wrote on the way there. */
export function removeState(path: string): void {
  for (const file of [path, `${path}.names`]) rmSync(file, { force: true });
}

/**
 * The state after a command. `started` is the environment its shell was started with: what it changed of that lasts,
 * what this call alone was given does not. Answers also the names that could not be kept.
 */
export function afterCommand(
  before: ShellState,
  started: Readonly<Record<string, string>>,
  dump: Dump,
  keepsCwd: boolean,
): { readonly state: ShellState; readonly tooLong: readonly string[] } {
  const env: Record<string, string | null> = { ...before.env };
  const tooLong: string[] = [];
  for (const name of new Set([...Object.keys(started), ...dump.env.keys()])) {
    const value = dump.env.get(name);
    if (ofTheShell.has(name) || value === started[name]) continue;
    if (value !== undefined && Buffer.byteLength(value) > valueLimit) tooLong.push(name);
    else env[name] = value ?? null;
  }
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    total += name.length + Buffer.byteLength(value ?? '');
    if (total <= totalLimit) continue;
    tooLong.push(name);
    delete env[name];
  }
  return { state: { cwd: keepsCwd ? dump.cwd : before.cwd, env }, tooLong };
}
