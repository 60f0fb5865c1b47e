import type { StoredTokens } from 'kern/contracts';

/** What `auth.json` keeps of one account. */
export type Account = KeyAccount | TokenAccount;

export interface KeyAccount {
  readonly type: 'key';
  readonly account: string;
  /** The key itself, `$NAME` or `!command`. */
  readonly key: string;
}

export interface TokenAccount extends StoredTokens {
  readonly type: 'oauth';
  readonly account: string;
  /** A renewal began then (ISO 8601), and its answer has not come in yet. */
  readonly renewing?: string;
  /** Why it cannot be renewed any more. */
  readonly expired?: string;
}

/** The whole file. What a newer kern has put there, and this one does not know, stays as it is. */
export interface AuthFile {
  readonly version: 1;
  readonly providers: Readonly<Record<string, readonly unknown[]>>;
  /** Until when limits are used up, in ms since 1970, by provider and account. */
  readonly rests: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const emptyFile: AuthFile = { version: 1, providers: {}, rests: {} };

/** The accounts of a provider, in order. */
export function accountsOf(file: AuthFile, provider: string): readonly Account[] {
  return Object.hasOwn(file.providers, provider) ? (file.providers[provider] ?? []).filter(isAccount) : [];
}

/** With this account in the place of the one of its name, or after the others. */
export function withAccount(file: AuthFile, provider: string, account: Account): AuthFile {
  const before = file.providers[provider] ?? [];
  const at = before.findIndex((one) => isAccount(one) && one.account === account.account);
  const accounts = at === -1 ? [...before, account] : before.with(at, account);
  return { ...file, providers: { ...file.providers, [provider]: accounts } };
}

/** With nothing left of its limits: it is another key, or another sign-in. */
export function rested(file: AuthFile, provider: string, account: string): AuthFile {
  const { [account]: _, ...rests } = file.rests[provider] ?? {};
  return { ...file, rests: { ...file.rests, [provider]: rests } };
}

/** Without one account of a provider, or without all. */
export function withoutAccount(file: AuthFile, provider: string, account: string | undefined): AuthFile {
  const kept =
    account === undefined
      ? []
      : (file.providers[provider] ?? []).filter((one) => !isAccount(one) || one.account !== account);
  const { [provider]: _, ...providers } = file.providers;
  const { [provider]: __, ...rests } = file.rests;
  return { ...file, providers: kept.length === 0 ? providers : { ...providers, [provider]: kept }, rests };
}

/** With a rest noted; those that are over are left out. */
export function withRest(file: AuthFile, provider: string, account: string, until: number, now: number): AuthFile {
  const current = Object.entries(file.rests).flatMap(([id, rests]) => {
    const left = Object.entries(rests).filter(([, end]) => end > now);
    return left.length === 0 ? [] : [[id, Object.fromEntries(left)] as const];
  });
  const rests = Object.fromEntries(current);
  return { ...file, rests: { ...rests, [provider]: { ...rests[provider], [account]: until } } };
}

export function isAccount(value: unknown): value is Account {
  if (!isFields(value) || typeof value.account !== 'string') return false;
  if (value.type === 'key') return typeof value.key === 'string' && value.key !== '';
  return (
    value.type === 'oauth' &&
    typeof value.access === 'string' &&
    isMaybe(value.refresh, 'string') &&
    isMaybe(value.expires, 'number') &&
    isMaybe(value.renewing, 'string') &&
    isMaybe(value.expired, 'string') &&
    (value.data === undefined ||
      (isFields(value.data) && Object.values(value.data).every((one) => typeof one === 'string')))
  );
}

/** The file as it was written; undefined where it is none of ours. */
export function parseFile(text: string): AuthFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isFields(value) || value.version !== 1 || !isFields(value.providers)) return undefined;
  const { providers, rests = {} } = value;
  if (!Object.values(providers).every(Array.isArray) || !isFields(rests)) return undefined;
  if (!Object.values(rests).every((one) => isFields(one) && Object.values(one).every((end) => typeof end === 'number')))
    return undefined;
  // Looked at above, down to where this kern reads it.
  return { ...value, providers, rests } as unknown as AuthFile;
}

export function formatFile(file: AuthFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** What is to be shown of a key. */
export function endOf(key: string): string {
  return key.length >= 12 ? `…${key.slice(-4)}` : '…';
}

function isMaybe(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
