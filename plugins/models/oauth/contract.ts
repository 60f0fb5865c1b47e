import { defineCapability, defineService } from 'kern/plugin';
import { z } from 'zod';
import type { Credential, Network } from '../contract.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** A person signs in: where to look, what to type. */
export interface LoginUi {
  /** A page to open; `code` is to be typed there. */
  show(step: { readonly url: string; readonly code?: string; readonly message?: string }): void;
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  progress(message: string): void;
}

/** What is kept of a sign-in, in `auth.json`. */
export interface StoredTokens {
  readonly access: string;
  readonly refresh?: string;
  /** ms since 1970. */
  readonly expires?: number;
  readonly account?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** How one signs in to a provider of models. */
export interface AuthProvider {
  /** The id of the model provider that it is for. */
  readonly id: string;
  readonly displayName: string;
  /** Not tried against the vendor's own servers. */
  readonly verified: boolean;
  login(ui: LoginUi, signal: AbortSignal, network?: Network): Promise<StoredTokens>;
  /** New tokens for old ones. Throws `auth_expired` when one has to sign in again. */
  refresh(tokens: StoredTokens, signal: AbortSignal, network?: Network): Promise<StoredTokens>;
  credential(tokens: StoredTokens): Credential;
  /** Tells the server that the tokens are no longer wanted. */
  revoke?(tokens: StoredTokens, signal: AbortSignal, network?: Network): Promise<void>;
}

/** Ways of signing in. Key: the id of the model provider. */
export const authProviders = defineCapability<AuthProvider>({
  id: 'auth-provider',
  schema: z.custom<AuthProvider>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      ['login', 'refresh', 'credential'].every((name) => isFunction((value as Record<string, unknown>)[name])),
    'an auth provider is {id, displayName, verified, login(ui, signal), refresh(tokens, signal), credential(tokens)}',
  ),
  key: (provider) => provider.id,
});

export interface AccountStatus {
  readonly provider: string;
  readonly account: string;
  readonly kind: 'key' | 'oauth' | 'environment' | 'command';
  /** ISO 8601. */
  readonly expires?: string;
  /** Until when its limit is used up. */
  readonly restsUntil?: string;
  /** Why it cannot be used, and what to do. */
  readonly problem?: string;
}

/** Keys and sign-ins. */
export interface Auth {
  /** What is wrong with what is kept, in words: a file that was set aside, say. */
  problems?(): readonly string[];
  /**
   * What to send now: the provider's own `keys` first, then `auth.json`; of several accounts one that has not met its
   * limit. A session stays with the account it began with while that can be used: prompt caches belong to accounts.
   */
  credential(provider: string, signal: AbortSignal, sessionId?: string): Promise<Credential | undefined>;
  /** Whether there is something, without a refresh, a command or a network call. */
  has(provider: string): boolean;
  /** The server refused it, or its limit is used up: the next `credential` is another account, where there is one. Answers whether there is. */
  failed(
    provider: string,
    credential: Credential,
    why: 'unauthorized' | 'limited',
    retryAfterMs?: number,
  ): Promise<boolean>;
  /** `account`: what it is called here; default: what the server says, or the provider's name. */
  login(provider: string, ui: LoginUi, signal: AbortSignal, account?: string): Promise<AccountStatus>;
  saveKey(provider: string, key: string, account?: string): Promise<AccountStatus>;
  logout(provider: string, account?: string): Promise<number>;
  status(): Promise<readonly AccountStatus[]>;
  /** The text without the secrets that are known here, and without what looks like one. */
  redact(text: string): string;
}

/** Keys and sign-ins. Only kern itself supplies it. */
export const auth = defineService<Auth>({ id: 'auth', level: 'builtin' });
