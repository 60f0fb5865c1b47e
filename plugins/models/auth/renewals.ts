import { type AuthProvider, ModelError, type Network } from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { abortable } from './abortable.ts';
import { accountsOf, type TokenAccount, withAccount } from './accounts.ts';
import type { AuthStore } from './store.ts';

/** A token that is this near to its end is renewed first, in ms. */
const marginMs = 60_000;
/** Shorter than a lock is thought to be alive. */
const limitMs = 20_000;

export interface RenewalPorts {
  readonly store: AuthStore;
  /** How one signs in to a provider; undefined where no plugin knows. */
  method(provider: string): Promise<AuthProvider | undefined>;
  network(): Network | undefined;
}

/** Keeps tokens fresh. No refresh token is sent twice, and none that was answered is lost, as far as that can be had. */
export class Renewals {
  readonly #ports: RenewalPorts;
  readonly #running = new Map<string, Promise<TokenAccount>>();

  constructor(ports: RenewalPorts) {
    this.#ports = ports;
  }

  /** The account with a token that can be sent. `refused`: a server did not take this one, whatever its date says. */
  async fresh(
    provider: string,
    account: TokenAccount,
    refused: string | undefined,
    signal: AbortSignal,
  ): Promise<TokenAccount> {
    if (account.access !== refused && !isOld(account)) return account;
    const id = JSON.stringify([provider, account.account]);
    const running = this.#running.get(id) ?? this.#begin(id, provider, account, refused);
    // Whoever stops waiting does not stop it: an answer that nobody takes is a token lost.
    return abortable(running, signal);
  }

  /** Resolves when no renewal is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  #begin(id: string, provider: string, account: TokenAccount, refused: string | undefined): Promise<TokenAccount> {
    const renewal = this.#alone(provider, account, refused).finally(() => this.#running.delete(id));
    renewal.catch(() => undefined); // whoever waits hears of it
    this.#running.set(id, renewal);
    return renewal;
  }

  #alone(provider: string, seen: TokenAccount, refused: string | undefined): Promise<TokenAccount> {
    return this.#ports.store.alone(provider, async () => {
      const account = this.#current(provider, seen.account);
      if (account === undefined) throw gone(provider, seen.account);
      if (account.expired !== undefined) throw expired(provider, account.expired);
      // Another process was quicker.
      if (account.access !== refused && !isOld(account)) return account;
      return this.#renew(provider, account, refused);
    });
  }

  async #renew(provider: string, account: TokenAccount, refused: string | undefined): Promise<TokenAccount> {
    const method = await this.#ports.method(provider);
    if (method === undefined)
      throw new KernError('auth_expired', `no plugin knows how to renew the sign-in for ${provider}`, {
        hint: `\`kern providers --why auth-provider\` shows the ways to sign in`,
      });
    const wasCutOff = account.renewing;
    // What is on disk when the answer gets lost: that one was on its way.
    await this.#keep(provider, { ...account, renewing: new Date().toISOString() }, account);
    try {
      const tokens = await method.refresh(account, AbortSignal.timeout(limitMs), this.#ports.network());
      const { type, account: name } = account;
      const renewed: TokenAccount = { ...tokens, type, account: name };
      await this.#keep(provider, renewed, account);
      return renewed;
    } catch (error) {
      if (codeOf(error) !== 'auth_expired') {
        // What stands in the way may pass, and the old one is good for a minute perhaps.
        if (account.access !== refused && (account.expires ?? 0) > Date.now()) return account;
        throw failed(provider, error);
      }
      const now = this.#current(provider, account.account);
      // One who held the lock before us, and was thought dead, has come back with an answer.
      if (now !== undefined && now.refresh !== account.refresh && now.expired === undefined) return now;
      const why =
        wasCutOff === undefined
          ? messageOf(error)
          : `its renewal was cut off at ${wasCutOff}, before the new token could be kept, and the old one is used up`;
      await this.#keep(provider, { ...account, expired: why }, account);
      throw expired(provider, why);
    }
  }

  #current(provider: string, name: string): TokenAccount | undefined {
    return accountsOf(this.#ports.store.read(), provider).find(
      (one): one is TokenAccount => one.type === 'oauth' && one.account === name,
    );
  }

  /** Writes it where `before` still stands: not over a new sign-in, and not after a sign-out. */
  async #keep(provider: string, account: TokenAccount, before: TokenAccount): Promise<void> {
    await this.#ports.store.change((file) => {
      const now = accountsOf(file, provider).find((one) => one.account === account.account);
      const isSame = now?.type === 'oauth' && (now.refresh === before.refresh || now.expired !== undefined);
      return isSame ? withAccount(file, provider, account) : file;
    });
  }
}

export function isOld({ expires }: TokenAccount, now = Date.now()): boolean {
  return expires !== undefined && expires - marginMs <= now;
}

function failed(provider: string, error: unknown): unknown {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new ModelError('model_disconnected', `the renewal of the sign-in for ${provider} took longer than 20 s`, {
      hint: 'check the network and try again',
    });
  return error;
}

function expired(provider: string, why: string): KernError {
  const message = why.startsWith('the sign-in for') ? why : `the sign-in for ${provider} is no longer valid: ${why}`;
  return new KernError('auth_expired', message, { hint: `sign in again: kern auth login ${provider}` });
}

function gone(provider: string, account: string): KernError {
  return new KernError('auth_expired', `${account} was signed out of ${provider} meanwhile`, {
    hint: `sign in again: kern auth login ${provider}`,
  });
}
