import { type AccountStatus, keySource } from 'kern/contracts';
import type { Account } from './accounts.ts';
import type { SourceCandidate } from './candidates.ts';

/** What there is for a provider, in the order in which it is asked. No secret is in it. */
export function statusOf(
  provider: string,
  sources: readonly SourceCandidate[],
  accounts: readonly Account[],
  restOf: (id: string) => number,
): readonly AccountStatus[] {
  const rests = (id: string): Pick<AccountStatus, 'restsUntil'> => {
    const until = restOf(id);
    return until > Date.now() ? { restsUntil: new Date(until).toISOString() } : {};
  };
  return [
    ...sources.map(({ id, kind, account }) => ({ provider, account, kind, ...rests(id) })),
    ...accounts.map((one) => ({ provider, account: one.account, ...factsOf(one), ...rests(one.account) })),
  ];
}

function factsOf(account: Account): Pick<AccountStatus, 'kind' | 'expires' | 'problem'> {
  if (account.type === 'oauth') {
    const { expires, expired } = account;
    return {
      kind: 'oauth',
      ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
      ...(expired === undefined ? {} : { problem: expired }),
    };
  }
  const source = keySource(account.key);
  if (source.kind === 'command') return { kind: 'command' };
  if (source.kind === 'literal') return { kind: 'key' };
  const isSet = Boolean(process.env[source.name]?.trim());
  return { kind: 'environment', ...(isSet ? {} : { problem: `${source.name} is not set` }) };
}
