import {
  type AccountStatus,
  type Auth,
  type AuthProvider,
  authProviders,
  type Credential,
  type LoginUi,
  modelProviders,
  models,
  redactText,
} from 'kern/contracts';
import { type Context, codeOf, KernError, messageOf, nearNames } from 'kern/plugin';
import {
  type Account,
  accountsOf,
  endOf,
  rested,
  type TokenAccount,
  withAccount,
  withoutAccount,
  withRest,
} from './accounts.ts';
import { type KeptCandidate, keptCandidates, type SourceCandidate, sourceCandidates } from './candidates.ts';
import { choose } from './choose.ts';
import { KeyValues } from './key-values.ts';
import { Renewals } from './renewals.ts';
import { environmentSecrets, secretsIn, secretsOf } from './secrets.ts';
import { statusOf } from './status.ts';
import type { AuthStore } from './store.ts';

type Place = Pick<Context, 'use' | 'service' | 'spawn' | 'run' | 'log'>;
type Way = SourceCandidate | KeptCandidate;

/** How long an account rests when the server does not say, in ms. */
const limitRestMs = 60_000;
const refusalRestMs = 10 * 60_000;
/** How long a server may take to hear that tokens are no longer wanted. */
const revokeMs = 5_000;
const mostSessions = 500;
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
  /** By secret. They are also what `redact` takes out. */
  readonly #handed = new Map<string, Handed>();
  /** By provider and candidate, in ms since 1970. Those of `auth.json` come on top. */
  readonly #rests = new Map<string, Map<string, number>>();
  /** The account of each session, by provider and session. */
  readonly #current = new Map<string, string>();
  /** Tokens that a server did not take. */
  readonly #refused = new Set<string>();
  /** When a refusal last led to another try, by provider and candidate. */
  readonly #renewed = new Map<string, number>();
  readonly #said = new Set<string>();

  constructor(ctx: Place, store: AuthStore) {
    this.#ctx = ctx;
    this.#store = store;
    this.#values = new KeyValues((...call) => ctx.spawn(...call));
    this.#renewals = new Renewals({
      store,
      method: (provider) => this.#method(provider),
      network: () => ctx.service(models).network,
    });
  }

  has(provider: string): boolean {
    if (sourceCandidates(this.#sources(provider)).length > 0) return true;
    return keptCandidates(this.#keptQuietly(provider)).length > 0;
  }

  async credential(provider: string, signal: AbortSignal, sessionId?: string): Promise<Credential | undefined> {
    for (;;) {
      const way = this.#choose(provider, sessionId);
      if (way === undefined) return this.#nothing(provider);
      try {
        const credential = await this.#credentialOf(provider, way, signal);
        if (credential === undefined) return undefined; // the variable is gone since
        this.#handed.set(credential.secret, { provider, way });
        this.#remember(provider, sessionId, way.id);
        return credential;
      } catch (error) {
        if (codeOf(error) !== 'auth_expired') throw error;
        // It is noted in the file, and so no longer among those to choose from.
        const next = this.#choose(provider, sessionId);
        if (next === undefined || next.id === way.id) throw error;
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
    if (why === 'unauthorized' && this.#mayBeRenewed(provider, way, secret)) return true;
    const now = Date.now();
    const until = now + (why === 'unauthorized' ? refusalRestMs : (retryAfterMs ?? limitRestMs));
    const rests = this.#rests.get(provider) ?? new Map<string, number>();
    this.#rests.set(provider, rests.set(way.id, until));
    const others = this.#ways(provider).filter(({ id }) => id !== way.id);
    if (others.length === 0) return false;
    if (why === 'limited') await this.#store.change((file) => withRest(file, provider, way.id, until, now));
    const next = others.find(({ id }) => this.#restOf(provider, id) <= now);
    const what = why === 'limited' ? 'has met its limit' : 'was refused';
    const then = next === undefined ? 'so have all others' : `going on with ${nameOf(next)}`;
    this.#ctx.log.warn(`${provider}: ${nameOf(way)} ${what}; ${then}`);
    return next !== undefined;
  }

  async login(provider: string, ui: LoginUi, signal: AbortSignal, account?: string): Promise<AccountStatus> {
    const method = await this.#method(provider);
    if (method === undefined) throw await this.#unknownMethod(provider);
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
    const method = await this.#method(provider);
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
        this.#restOf(provider, id),
      ),
    );
  }

  redact(text: string): string {
    const providers = this.#ctx
      .use(modelProviders)
      .items()
      .map(({ id }) => id);
    const held = providers.flatMap((id) => [
      ...secretsOf(this.#sources(id)),
      ...this.#keptQuietly(id).flatMap(secretsIn),
    ]);
    return redactText(text, [...this.#handed.keys(), ...held, ...environmentSecrets(process.env)]);
  }

  /** Resolves when no token is under way. */
  settled(): Promise<void> {
    return this.#renewals.settled();
  }

  #sources(provider: string): readonly string[] {
    return this.#ctx.use(modelProviders).get(provider)?.item.keys?.() ?? [];
  }

  /** Those of the environment first: while one of them can be used, no file is read. */
  #choose(provider: string, sessionId: string | undefined): Way | undefined {
    const current = this.#current.get(keyOf(provider, sessionId));
    const restOf = (id: string): number => this.#restOf(provider, id);
    const now = Date.now();
    const sources = sourceCandidates(this.#sources(provider));
    const isCurrent = current === undefined || sources.some(({ id }) => id === current);
    const memory = this.#rests.get(provider);
    if (isCurrent && sources.some(({ id }) => (memory?.get(id) ?? 0) <= now))
      return choose<Way>(sources, (id) => memory?.get(id) ?? 0, now, current);
    return choose<Way>(this.#ways(provider), restOf, now, current);
  }

  #ways(provider: string): readonly Way[] {
    return [...sourceCandidates(this.#sources(provider)), ...keptCandidates(accountsOf(this.#store.read(), provider))];
  }

  #restOf(provider: string, id: string): number {
    const inFile = this.#store.read().rests[provider]?.[id] ?? 0;
    return Math.max(inFile, this.#rests.get(provider)?.get(id) ?? 0);
  }

  #remember(provider: string, sessionId: string | undefined, id: string): void {
    if (sessionId === undefined) return;
    const key = keyOf(provider, sessionId);
    this.#current.delete(key); // the last one used is the last one forgotten
    this.#current.set(key, id);
    const [oldest] = this.#current.keys();
    if (this.#current.size > mostSessions && oldest !== undefined) this.#current.delete(oldest);
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
    const method = await this.#method(provider);
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
    const id = keyOf(provider, way.id);
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

  async #method(provider: string): Promise<AuthProvider | undefined> {
    const reader = this.#ctx.use(authProviders);
    await reader.load(undefined, provider);
    const entry = reader.get(provider);
    if (entry === undefined) return undefined;
    const { item } = entry;
    const { revoke } = item;
    const { id, displayName, verified } = item;
    return {
      id,
      displayName,
      verified,
      login: (...call) => this.#ctx.run(entry, () => item.login(...call)),
      refresh: (...call) => this.#ctx.run(entry, () => item.refresh(...call)),
      credential: (tokens) => item.credential(tokens),
      ...(revoke === undefined ? {} : { revoke: (...call) => this.#ctx.run(entry, () => revoke.apply(item, call)) }),
    };
  }

  async #unknownMethod(provider: string): Promise<KernError> {
    const reader = this.#ctx.use(authProviders);
    await reader.load();
    const known = reader.items().map(({ id }) => id);
    const near = nearNames(provider, known);
    const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `with a key: kern auth login ${provider} --key`;
    return new KernError('auth_unknown', `one cannot sign in to ${provider}; there is ${known.join(', ')}`, { hint });
  }

  async #keep(provider: string, account: Account): Promise<AccountStatus> {
    const file = await this.#store.change((before) =>
      rested(withAccount(before, provider, account), provider, account.account),
    );
    this.#rests.get(provider)?.delete(account.account);
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
  #keptQuietly(provider: string): readonly Account[] {
    try {
      return accountsOf(this.#store.read(), provider);
    } catch (error) {
      const message = messageOf(error);
      if (!this.#said.has(message)) this.#ctx.log.warn(message);
      this.#said.add(message);
      return [];
    }
  }
}

const keyOf = (provider: string, what: string | undefined): string => `${provider} ${what ?? ''}`;

function nameOf(way: Way): string {
  return way.from === 'source' ? way.account : way.account.account;
}
