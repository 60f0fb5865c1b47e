import { type HookItem, hookItems, trustItemOf } from 'kern/contracts';
import type { Context, Entry } from 'kern/plugin';
import type { HookState } from './contract.ts';
import { whyUnused } from './moments.ts';

/** The provider of kern's own folders: what lies there is meant for kern. */
const own = 'native';

/** What becomes of a hook: it runs, or why not and what to do about it. */
export async function stateOf(ctx: Context, { item, origin }: Entry<HookItem>): Promise<HookState> {
  const { name, event, path, kind } = item;
  const about = { name, event, path };
  const unused = whyUnused(item);
  if (unused !== undefined) return { ...about, state: 'unused', why: unused };
  const needsSwitch = origin.provider !== own && (origin.level === 'user' || kind === 'module');
  const code = needsSwitch ? codeOf(ctx, origin.provider) : true;
  if (code !== true)
    return {
      ...about,
      state: 'off',
      // Whoever said no has been told.
      ...(code === false
        ? {}
        : {
            why: `they are of another agent: providers: { ${origin.provider}: { code: true } } lets them run, false ends this notice`,
          }),
    };
  const trustItem = await trustItemOf('hook', item, { root: ctx.where.root, level: origin.level });
  const state = trustItem === undefined ? 'trusted' : await ctx.trust.check(trustItem);
  if (state === 'trusted') return { ...about, state: 'runs' };
  const how = 'kern trust shows what would run, kern trust grant lets it, --trust does for one run';
  return {
    ...about,
    state,
    why:
      state === 'changed'
        ? `what stands there is not what was trusted: ${how}`
        : `nobody has trusted this project with them: ${how}`,
  };
}

/** What a person has said about the code of a provider. */
function codeOf(ctx: Context, provider: string): boolean | undefined {
  const said = ctx.setting('providers');
  const one = typeof said === 'object' && said !== null ? Reflect.get(said, provider) : undefined;
  const code = typeof one === 'object' && one !== null ? Reflect.get(one, 'code') : undefined;
  return typeof code === 'boolean' ? code : undefined;
}

/** All hooks that are found from here. */
export async function foundHooks(ctx: Context): Promise<readonly Entry<HookItem>[]> {
  const reader = ctx.use(hookItems);
  await reader.load(ctx.signal);
  return reader.entries().filter(({ verdict }) => verdict.state === 'won');
}
