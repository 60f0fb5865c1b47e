import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processes } from 'kern/contracts';
import { type Context, messageOf } from 'kern/plugin';

/** The name under which hooks of Claude Code are told of it. */
export const envFileName = 'CLAUDE_ENV_FILE';

export type Variables = Readonly<Record<string, string>>;

/**
 * A file into which hooks write what a shell is to export (`export PATH="$PATH:/opt/x"`), while `work` lasts. Answers with
 * what it changes, once the hooks are through.
 */
export async function withEnvFile(ctx: Context, work: (file: string) => Promise<void>): Promise<Variables> {
  const folder = await mkdtemp(join(tmpdir(), 'kern-hook-'));
  const file = join(folder, 'env.sh');
  try {
    await work(file);
    const size = (await stat(file).catch(() => undefined))?.size ?? 0; // most write none
    return size === 0 ? {} : await exported(ctx, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the file makes of the environment that commands get. It was written by hooks that may run. */
async function exported(ctx: Context, file: string): Promise<Variables> {
  await ctx.use(processes).load(ctx.signal);
  const print = 'process.stdout.write(JSON.stringify(process.env))';
  const script = '. "$1" >&2; exec "$2" -e "$3"';
  const options = { timeoutMs: 10_000, label: 'hook environment' };
  const child = ctx.spawn('/bin/sh', ['-c', script, 'sh', file, process.execPath, print], options);
  const { exitCode, stdout, stderr } = await child.result;
  if (exitCode !== 0) {
    ctx.log.warn(`what hooks wrote into ${envFileName} is no shell script, and is left out: ${stderr.trim()}`);
    return {};
  }
  try {
    return difference(ctx.service(processes).environment?.() ?? {}, JSON.parse(stdout) as Variables);
  } catch (error) {
    ctx.log.warn(`what hooks wrote into ${envFileName} cannot be read, and is left out: ${messageOf(error)}`);
    return {};
  }
}

/** What a shell changes by itself is no wish of anybody. */
const ofShells: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', 'KERN_RUN']);

const difference = (before: Variables, after: Variables): Variables =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value && !ofShells.has(name)));
