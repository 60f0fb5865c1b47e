import { join } from 'node:path';
import { type At, flagOf, type HookItem, isFields } from 'kern/contracts';

/** `hooks` of a settings.json. */
export async function claudeHooks({ path, files, make }: At): Promise<readonly HookItem[]> {
  const data = await files.json(path);
  if (!isFields(data) || flagOf(data.disableAllHooks) === true) return [];
  return make.hooks(data.hooks, path, { dialect: 'claude' });
}

/**
 * Only what is asked before or after a tool. What else lies in the folder are the programs that the hooks of the settings
 * call: to load them as code would run them.
 */
export async function claudeHookFiles({ path, make }: At): Promise<readonly HookItem[]> {
  const found = await Promise.all(
    (['pre', 'post'] as const).map(async (when) => {
      const files = (await make.below(join(path, when))).filter(({ kind }) => kind === 'file');
      return files.map((file) => make.hookFile(file.path, when));
    }),
  );
  return found.flat();
}
