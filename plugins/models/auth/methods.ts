import { type AuthProvider, authProviders } from 'kern/contracts';
import { type Context, KernError, nearNames } from 'kern/plugin';

type Place = Pick<Context, 'use' | 'run'>;

/** How one signs in to a provider: what a plugin supplies, called in its name. */
export async function methodOf(ctx: Place, provider: string): Promise<AuthProvider | undefined> {
  const reader = ctx.use(authProviders);
  await reader.load(undefined, provider);
  const entry = reader.get(provider);
  if (entry === undefined) return undefined;
  const { item } = entry;
  const { id, displayName, verified, revoke } = item;
  return {
    id,
    displayName,
    verified,
    login: (...call) => ctx.run(entry, () => item.login(...call)),
    refresh: (...call) => ctx.run(entry, () => item.refresh(...call)),
    credential: (tokens) => item.credential(tokens),
    ...(revoke === undefined ? {} : { revoke: (...call) => ctx.run(entry, () => revoke.apply(item, call)) }),
  };
}

export async function unknownMethod(ctx: Place, provider: string): Promise<KernError> {
  const reader = ctx.use(authProviders);
  await reader.load();
  const known = reader.items().map(({ id }) => id);
  const near = nearNames(provider, known);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `with a key: kern auth login ${provider} --key`;
  return new KernError('auth_unknown', `one cannot sign in to ${provider}; there is ${known.join(', ')}`, { hint });
}
