import type { CommandArgs, CommandHost } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { authOf, providerIds, unknownProvider } from './service.ts';

export async function token({ positionals, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const [provider = ''] = positionals;
  const known = await providerIds(host);
  const credential = await (await authOf(host)).credential(provider, host.signal);
  if (credential === undefined) {
    if (!known.includes(provider)) throw unknownProvider(provider, known);
    throw new KernError('not_signed_in', `there is nothing for ${provider}`, { hint: `kern auth login ${provider}` });
  }
  const { secret, kind, account } = credential;
  if (host.stdout.isTTY === true)
    host.say(`This is a secret (${account}): whoever has it is you. It stays in the scrollback of this terminal.`);
  if (shared.json) host.json({ token: secret, kind, account });
  else host.print(secret);
  return 0;
}
