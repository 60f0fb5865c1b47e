import { keyAtHand } from 'kern/contracts';
import type { Account } from './accounts.ts';

/** What stands in the sources of a provider, as far as it can be told without a command. */
export function secretsOf(sources: readonly string[]): readonly string[] {
  return sources.flatMap((source) => keyAtHand(source).key ?? []);
}

export function secretsIn(account: Account): readonly string[] {
  if (account.type === 'key') return secretsOf([account.key]);
  return [account.access, ...(account.refresh === undefined ? [] : [account.refresh])];
}

/** What the environment calls a key, a token or a password. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)S?$/i.test(name) && value.length >= 8
      ? [value]
      : [],
  );
}
