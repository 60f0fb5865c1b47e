import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Context, KernError } from 'kern/plugin';

/** What `kern --help` prints where nothing but the built-ins is there; without its first line, which names the version. */
export async function helpText(ctx: Context, root: string, signal: AbortSignal): Promise<readonly string[]> {
  const home = await mkdtemp(path.join(tmpdir(), 'kern-docs-'));
  try {
    const kern = path.join(root, 'plugins', 'cli', 'kern.mjs');
    const child = ctx.spawn(process.execPath, [kern, '--help'], { cwd: home, env: { KERN_HOME: home }, signal });
    const { exitCode, stdout, stderr } = await child.result;
    if (exitCode !== 0) throw new KernError('help_failed', `kern --help ended with ${exitCode}: ${stderr.trim()}`);
    return ['```text', ...stdout.trim().split('\n').slice(2), '```'];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
