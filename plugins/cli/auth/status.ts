import { type AccountStatus, authProviders, type CommandArgs, type CommandHost, columns } from 'kern/contracts';
import { visible } from 'kern/plugin';
import { authOf } from './service.ts';

export async function status({ shared }: CommandArgs, host: CommandHost): Promise<number> {
  const auth = await authOf(host);
  const accounts = await auth.status();
  const reader = host.view.use(authProviders);
  await reader.load(host.signal);
  const signIns = reader.items().map(({ id, displayName, verified }) => ({ provider: id, displayName, verified }));
  if (shared.json) {
    host.json({ accounts, signIns });
    return 0;
  }
  for (const line of columns(accounts.map(rowOf))) host.print(line);
  if (accounts.length === 0) host.print('no keys, and nobody signed in');
  const names = signIns.map(({ provider }) => provider).join(', ');
  host.say(`\`kern auth login <provider> --key\` keeps a key; one can sign in to ${names}.`);
  return 0;
}

const kinds: Readonly<Record<AccountStatus['kind'], string>> = {
  key: 'a key',
  oauth: 'signed in',
  environment: 'environment',
  command: 'command',
};

function rowOf({ provider, account, kind, expires, restsUntil, problem }: AccountStatus): readonly string[] {
  const state =
    problem !== undefined
      ? problem
      : restsUntil !== undefined
        ? `has met its limit until ${restsUntil}`
        : expires !== undefined
          ? `the token is renewed by ${expires}`
          : '';
  return [provider, account, kinds[kind], state].map(visible);
}
