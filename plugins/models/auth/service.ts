import {
  type AccountStatus,
  type Auth,
  type Credential,
  type LoginUi,
  modelProviders,
  models,
  redactText,
} from 'kern/contracts';
import { type Context, codeOf, KernError, messageOf } from 'kern/plugin';
import {
  type Account,
  type AuthFile,
  accountsOf,
  endOf,
  rested,
  type TokenAccount,
  withAccount,
  withoutAccount,
  withRest,
} from './accounts.ts';
import { keptCandidates, sourceCandidates } from './candidates.ts';
import { KeyValues } from './key-values.ts';
import { methodOf, unknownMethod } from './methods.ts';
import { Renewals } from './renewals.ts';
import { nameOf, Rotation, type Way } from './rotation.ts';
import { environmentSecrets, secretsIn, secretsOf } from './secrets.ts';
import { statusOf } from './status.ts';
import { type AuthStore, brokenText } from './store.ts';

type Place = Pick<Context, 'use' | 'service' | 'spawn' | 'run' | 'log'>;

/** How long an account rests when the server does not say, in ms. */
const limitRestMs = 60_000;
const refusalRestMs = 10 * 60_000;
const absenceRestMs = 10_000;
/** How long a server may take to hear that tokens are no longer wanted. */
const revokeMs = 5_000;
/** A server that refuses what is as fresh as this refuses the account. */
const onceMs = 60_000;

/** Who handed out what: a secret leads back to the account it is of. */
interface Handed {
  readonly provider: string;
  readonly way: Way;
}

export class AuthService implements Auth {
  readonly #ctx: Place;
  readonly #store: AuthStore;
  readonly #values: KeyValues;
  readonly #renewals: Renewals;
  readonly #rotation: Rotation;
  /** By secret. They are also what `redact` takes out. */
  readonly #handed = new Map<string, Handed>();
  /** Tokens that a server did not take. */
  readonly #refused = new Set<string>();
  /** When a refusal last led to another try, by provider and candidate. */
  readonly #renewed = new Map<string, number>();
  readonly #said = new Set<string>();
  readonly #notes = new Set<Promise<unknown>>();

  constructor(ctx: Place, store: AuthStore) {
    this.#ctx = ctx;
    this.#store = store;
    this.#values = new KeyValues(ctx);
    this.#renewals = new Renewals({
      store,
      method: (provider) => methodOf(ctx, provider),
      network: () => ctx.service(models).network,
    });
    this.#rotation = new Rotation({ sources: (provider) => this.#sources(provider), file: () => store.read() });
  }

  has(provider: string): boolean {
    if (sourceCandidates(this.#sources(provider)).length > 0) return true;
    return keptCandidates(this.#quietly((file) => accountsOf(file, provider))).length > 0;
  }

  async credential(provider: string, signal: AbortSignal, sessionId?: string): Promise<Credential | undefined> {
    for (;;) {
      const way = this.#rotation.choose(provider, sessionId);
      if (way === undefined) return this.#nothing(provider);
      try {
        const credential = await this.#credentialOf(provider, way, signal);
        if (credential === undefined) return undefined; // the variable is gone since
        this.#handed.set(credential.secret, { provider, way });
        this.#rotation.remember(provider, sessionId, way.id);
        return credential;
      } catch (error) {
        // A sign-in that has ended is no longer among those to choose from; a key that cannot be had may be there soon.
        const code = codeOf(error);
        if (code !== 'auth_expired' && code !== 'model_unauthorized') throw error;
        if (code === 'model_unauthorized') this.#rotation.rest(provider, way.id, Date.now() + absenceRestMs);
        const next = this.#rotation.choose(provider, sessionId);
        if (next === undefined || next.id === way.id || this.#rotation.restOf(provider, next.id) > Date.now())
          throw error;
        this.#ctx.log.warn(`${messageOf(error)}; going on with ${nameOf(next)}`);
      }
    }
  }

  async failed(
    provider: string,
    { secret }: Credential,
    why: 'unauthorized' | 'limited',
    retryAfterMs?: number,
  ): Promise<boolean> {
    const handed = this.#handed.get(secret);
    if (handed === undefined || handed.provider !== provider) return false;
    const { way } = handed;
    const rotation = this.#rotation;
    try {
      if (why === 'unauthorized' && this.#mayBeRenewed(provider, way, secret)) return true;
      const now = Date.now();
      const until = now + (why === 'unauthorized' ? refusalRestMs : (retryAfterMs ?? limitRestMs));
      rotation.rest(provider, way.id, until);
      const others = rotation.ways(provider).filter(({ id }) => id !== way.id);
      if (others.length === 0) return false;
      const next = others.find(({ id }) => rotation.restOf(provider, id) <= now);
      const what = why === 'limited' ? 'has met its limit' : 'was refused';
      const then = next === undefined ? 'so have all others' : `going on with ${nameOf(next)}`;
      this.#ctx.log.warn(`${provider}: ${nameOf(way)} ${what}; ${then}`);
      // For other processes; nobody waits for that.
      if (why === 'limited') this.#note((file) => withRest(file, provider, way.id, until, now));
      return next !== undefined;
    } catch (error) {
      // What the request failed with matters more than that it could not be looked up.
      this.#ctx.log.warn(messageOf(error));
      return false;
    }
  }

  async login(provider: string, ui: LoginUi, signal: AbortSignal, account?: string): Promise<AccountStatus> {
    const method = await methodOf(this.#ctx, provider);
    if (method === undefined) throw await unknownMethod(this.#ctx, provider);
    const network = this.#ctx.service(models).network;
    const tokens = await method.login(ui, signal, network);
    const kept: TokenAccount = { ...tokens, type: 'oauth', account: account ?? tokens.account ?? provider };
    return this.#keep(provider, kept);
  }

  async saveKey(provider: string, key: string, account = endOf(key.trim())): Promise<AccountStatus> {
    const clean = key.trim();
    if (clean === '') throw new KernError('usage', 'the key is empty', { hint: 'pipe it in, or type it when asked' });
    if (/[^\x21-\x7e]/.test(clean) && !clean.startsWith('!'))
      throw new KernError('usage', 'a key has no blanks, line breaks or letters beyond ASCII', {
        hint: 'copy it again, whole and alone',
      });
    return this.#keep(provider, { type: 'key', account, key: clean });
  }

  async logout(provider: string, account?: string): Promise<number> {
    const gone = accountsOf(this.#store.read(), provider).filter(
      (one) => account === undefined || one.account === account,
    );
    if (gone.length === 0) return 0;
    await this.#store.change((file) => withoutAccount(file, provider, account));
    const method = await methodOf(this.#ctx, provider);
    const signal = AbortSignal.timeout(revokeMs);
    for (const one of gone) {
      if (one.type !== 'oauth' || method?.revoke === undefined) continue;
      await method.revoke(one, signal, this.#ctx.service(models).network).catch((error: unknown) => {
        this.#ctx.log.warn(`${provider} was not told that ${one.account} signed out: ${messageOf(error)}`);
      });
    }
    return gone.length;
  }

  async status(): Promise<readonly AccountStatus[]> {
    const reader = this.#ctx.use(modelProviders);
    await reader.load();
    const file = this.#store.read();
    const providers = new Set([...reader.items().map(({ id }) => id), ...Object.keys(file.providers)]);
    return [...providers].flatMap((provider) =>
      statusOf(provider, sourceCandidates(this.#sources(provider)), accountsOf(file, provider), (id) =>
        this.#rotation.restOf(provider, id),
      ),
    );
  }

  problems(): readonly string[] {
    try {
      this.#store.read();
      const { path } = this.#store;
      return this.#store.broken().map((name) => `${brokenText(path, name)}, and remove that file`);
    } catch (error) {
      return codeOf(error) === 'ENOENT' ? [] : [messageOf(error)];
    }
  }

  redact(text: string): string {
    const sources = this.#ctx
      .use(modelProviders)
      .items()
      .flatMap((provider) => [...(provider.keys?.() ?? []), ...(provider.secrets?.() ?? [])]);
    const kept = this.#quietly((file) => Object.keys(file.providers).flatMap((provider) => accountsOf(file, provider)));
    const held = [...secretsOf(sources), ...kept.flatMap(secretsIn), ...environmentSecrets(process.env)];
    return redactText(text, [...this.#handed.keys(), ...held]);
  }

  /** Resolves when no token is under way, and all is written down. */
  async settled(): Promise<void> {
    await Promise.all([this.#renewals.settled(), ...this.#notes]);
  }

  #note(edit: (file: AuthFile) => AuthFile): void {
    const note = this.#store
      .change(edit)
      .catch((error: unknown) => this.#ctx.log.warn(messageOf(error)))
      .finally(() => this.#notes.delete(note));
    this.#notes.add(note);
  }

  #sources(provider: string): readonly string[] {
    return this.#ctx.use(modelProviders).get(provider)?.item.keys?.() ?? [];
  }

  async #credentialOf(provider: string, way: Way, signal: AbortSignal): Promise<Credential | undefined> {
    if (way.from === 'source') {
      const secret = await this.#values.value(way.source, provider, signal);
      return secret === undefined ? undefined : { kind: 'key', secret, account: way.account };
    }
    const { account } = way;
    if (account.type === 'key') {
      const secret = await this.#values.value(account.key, `${provider} (${account.account})`, signal);
      if (secret !== undefined) return { kind: 'key', secret, account: account.account };
      throw new KernError(
        'model_unauthorized',
        `${account.key} is not set; auth.json takes the key of ${provider} from it`,
        {
          hint: `set ${account.key.slice(1)}`,
        },
      );
    }
    const refused = this.#refused.has(account.access) ? account.access : undefined;
    const fresh = await this.#renewals.fresh(provider, account, refused, signal);
    const method = await methodOf(this.#ctx, provider);
    if (method === undefined)
      throw new KernError('auth_expired', `no plugin knows what to do with the sign-in for ${provider}`);
    return { ...method.credential(fresh), account: fresh.account };
  }

  /** Nothing can be chosen: where there was a sign-in, it says what became of it. */
  #nothing(provider: string): undefined {
    const ended = accountsOf(this.#store.read(), provider).find(
      (one): one is TokenAccount => one.type === 'oauth' && one.expired !== undefined,
    );
    if (ended?.expired === undefined) return undefined;
    throw new KernError('auth_expired', ended.expired, { hint: `sign in again: kern auth login ${provider}` });
  }

  /** A token may have been taken back before its time, and a command may print another key by now. */
  #mayBeRenewed(provider: string, way: Way, secret: string): boolean {
    const id = JSON.stringify([provider, way.id]);
    const isFresh = Date.now() - (this.#renewed.get(id) ?? 0) < onceMs;
    if (isFresh || this.#refused.has(secret)) return false;
    this.#renewed.set(id, Date.now());
    this.#refused.add(secret);
    if (way.from === 'source') return this.#values.forget(way.source);
    if (way.account.type === 'key') return this.#values.forget(way.account.key);
    const { account } = way.account;
    const now = accountsOf(this.#store.read(), provider).find((one) => one.account === account);
    return now?.type === 'oauth' && (now.access !== secret || now.refresh !== undefined);
  }

  async #keep(provider: string, account: Account): Promise<AccountStatus> {
    const file = await this.#store.change((before) =>
      rested(withAccount(before, provider, account), provider, account.account),
    );
    this.#rotation.rested(account, provider);
    const [status] = statusOf(
      provider,
      [],
      accountsOf(file, provider).filter((one) => one.account === account.account),
      () => 0,
    );
    if (status === undefined) throw new Error(`${account.account} was not kept`); // it has just been written
    return status;
  }

  /** Of a file that is refused nothing is used, and that is said once. */
  #quietly(accounts: (file: AuthFile) => readonly Account[]): readonly Account[] {
    try {
      return accounts(this.#store.read());
    } catch (error) {
      const message = messageOf(error);
      if (!this.#said.has(message)) this.#ctx.log.warn(message);
      this.#said.add(message);
      return [];
    }
  }
}
