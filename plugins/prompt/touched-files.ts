import { matchesGlob, relative } from 'node:path';
import { tools } from 'kern/contracts';
import { brokenOff, type Context, KernError, type Where } from 'kern/plugin';

/** Globs of one file that ask for more than this are none that anybody wrote to find files. */
const patienceMs = 250;

/** The files that a call read or changed, as its tool tells. */
export async function filesOf(
  ctx: Pick<Context, 'use' | 'run' | 'where'>,
  { tool, args }: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<readonly string[]> {
  const entry = ctx.use(tools).get(tool);
  if (entry === undefined) return [];
  // What stands in for a tool that has just woken does not tell; the tool itself does.
  const effects = await ctx.run(entry, (item) => item.effects?.(args as never, ctx.where) ?? []);
  return effects.flatMap((effect) => ('path' in effect ? [effect.path] : []));
}

/** Whether a file is one of those that globs speak of; `!` takes away, and a glob without a folder holds in every folder. Throws `too_slow`. */
export function isOneOf(file: string, globs: readonly string[], where: Pick<Where, 'cwd' | 'root'>): boolean {
  warmUp();
  return brokenOff(
    patienceMs,
    () => isAmong(file, globs, where),
    () => new KernError('too_slow', `the globs ${globs.join(', ')} take too long`),
  );
}

/** What is loaded for globs must not be broken off half-way. */
export const warmUp = (): boolean => matchesGlob('a', 'a');

/** For who breaks off what takes too long. */
export function isAmong(file: string, globs: readonly string[], { cwd, root }: Pick<Where, 'cwd' | 'root'>): boolean {
  const paths = [relative(root, file), relative(cwd, file), file].map((path) => path.replaceAll('\\', '/'));
  const isMatch = (glob: string): boolean => {
    const pattern = glob.replace(/^\.\//, '');
    const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
    return paths.some((path) => !path.startsWith('../') && matchesGlob(path, anywhere));
  };
  const taken = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return globs.some((glob) => !glob.startsWith('!') && isMatch(glob)) && !taken.some(isMatch);
}
