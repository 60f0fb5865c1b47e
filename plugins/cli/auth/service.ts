import { type Auth, auth, type CommandHost, modelProviders } from 'kern/contracts';
import { KernError, nearNames, visible } from 'kern/plugin';

/** The keys and sign-ins of kern, awake. */
export async function authOf({ view, say }: CommandHost): Promise<Auth> {
  await view.use(auth).load();
  const service = view.service(auth);
  for (const problem of service.problems?.() ?? []) say(visible(problem));
  return service;
}

/** The providers of models, by what stands before the slash. */
export async function providerIds({ view, signal }: CommandHost): Promise<readonly string[]> {
  const reader = view.use(modelProviders);
  await reader.load(signal);
  return reader.items().map(({ id }) => id);
}

/** A name that nothing has is a mistake of whoever typed it. */
export function unknownProvider(name: string, known: readonly string[]): KernError {
  const near = nearNames(name, known);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are ${known.join(', ')}`;
  return new KernError('provider_unknown', `there is no provider ${name}`, { hint });
}
