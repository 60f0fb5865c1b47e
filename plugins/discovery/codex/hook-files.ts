import type { At, HookItem } from 'kern/contracts';

/** Only what is named as a hook is one: everything else in the folder may be a program that a hook calls, and is never loaded. */
export async function codexHookFiles({ path, make }: At): Promise<readonly HookItem[]> {
  const files = (await make.below(path)).filter(({ kind }) => kind === 'file');
  return files.flatMap((file) => {
    const [, when, tool] = /^(pre|post)-(.+)\.[mc]?[jt]s$/.exec(file.name) ?? [];
    return when === undefined || tool === undefined ? [] : [make.hookFile(file.path, when as 'pre' | 'post', { tool })];
  });
}
