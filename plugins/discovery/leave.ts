import type { Context, Origin, TrustItem } from 'kern/plugin';

/** Whether something that was found may run; else why not, and what to do about it. */
export type Leave =
  | { readonly state: 'runs' }
  | {
      readonly state: 'off' | 'untrusted' | 'changed';
      /** Undefined where a person has said that it may not. */
      readonly why?: string;
    };

/** The provider of kern's own folders: what lies there is meant for kern. */
const own = 'native';

/**
 * Whether found things of one file may run, hooks as well as shell lines: what is a person's own and another agent's where
 * the person has switched that on, what is a project's where it is trusted. `item` says what has to be trusted, if anything.
 */
export async function leaveToRun(
  ctx: Pick<Context, 'setting' | 'trust'>,
  { provider, plugin, level }: Origin,
  item: () => Promise<TrustItem | undefined>,
  { isModule = false } = {},
): Promise<Leave> {
  // What a person's plugin offers itself is no file of another agent.
  const isAnothers = isModule || (level === 'user' && provider !== plugin);
  const code = isAnothers && provider !== own ? codeOf(ctx, provider) : true;
  if (code === false) return { state: 'off' };
  if (code === undefined) {
    const how = `providers: { ${provider}: { code: true } } lets them run, false ends this notice`;
    return { state: 'off', why: `they are of another agent: ${how}` };
  }
  const asked = await item();
  const state = asked === undefined ? 'trusted' : await ctx.trust.check(asked);
  if (state === 'trusted' || asked === undefined) return { state: 'runs' };
  const unbound = await ctx.trust.unbound?.(asked);
  if (unbound !== undefined) {
    const help = 'put it into the project as a file of its own; --trust runs it for one run';
    return { state, why: `it cannot be trusted as it is: ${unbound}: ${help}` };
  }
  const what =
    state === 'changed' ? 'what stands there is not what was trusted' : 'nobody has trusted this project with them';
  const how = 'kern trust shows what would run, kern trust grant lets it, --trust does for one run';
  return { state, why: `${what}: ${how}` };
}

/** What a person has said about the code of a provider. */
function codeOf(ctx: Pick<Context, 'setting'>, provider: string): boolean | undefined {
  const said = ctx.setting('providers');
  const one = typeof said === 'object' && said !== null ? Reflect.get(said, provider) : undefined;
  const code = typeof one === 'object' && one !== null ? Reflect.get(one, 'code') : undefined;
  return typeof code === 'boolean' ? code : undefined;
}
