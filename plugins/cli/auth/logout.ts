import type { CommandArgs, CommandHost } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { authOf } from './service.ts';

export async function logout({ positionals, options, shared }: CommandArgs, host: CommandHost): Promise<number> {
  const [provider = ''] = positionals;
  const account = typeof options.account === 'string' ? options.account : undefined;
  const auth = await authOf(host);
  const removed = await auth.logout(provider, account);
  const left = (await auth.status()).filter((one) => one.provider === provider);
  if (removed === 0) {
    const elsewhere = left.map((one) => one.account).join(', ');
    const hint =
      elsewhere === ''
        ? '`kern auth` shows what there is'
        : `there is ${elsewhere}; a variable is unset where it is set`;
    throw new KernError('not_signed_in', `nothing is kept for ${[provider, account].filter(Boolean).join(', ')}`, {
      hint,
    });
  }
  if (shared.json) host.json({ removed });
  else host.print(`forgot ${removed === 1 ? 'one account' : `${removed} accounts`} of ${provider}`);
  const [next] = left;
  if (next !== undefined) host.say(`There still is ${next.account} (${next.kind}).`);
  return 0;
}
