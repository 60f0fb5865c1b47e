import { type Account, type AuthFile, accountsOf } from './accounts.ts';
import { type KeptCandidate, keptCandidates, type SourceCandidate, sourceCandidates } from './candidates.ts';
import { choose } from './choose.ts';

/** A key of the provider's own sources, or an account that is kept. */
export type Way = SourceCandidate | KeptCandidate;

const mostSessions = 500;

export interface RotationPorts {
  sources(provider: string): readonly string[];
  /** Read only where it is needed. */
  file(): AuthFile;
}

/** Which account is asked: what rests, and which session has which. */
export class Rotation {
  readonly #ports: RotationPorts;
  /** By provider and candidate, in ms since 1970. Those of `auth.json` come on top. */
  readonly #rests = new Map<string, Map<string, number>>();
  /** The account of each session, by provider and session. */
  readonly #current = new Map<string, string>();

  constructor(ports: RotationPorts) {
    this.#ports = ports;
  }

  /** All that there is, in order. */
  ways(provider: string): readonly Way[] {
    const kept = keptCandidates(accountsOf(this.#ports.file(), provider));
    return [...sourceCandidates(this.#ports.sources(provider)), ...kept];
  }

  /** Those of the environment first: while one of them can be used, no file is read. */
  choose(provider: string, sessionId: string | undefined): Way | undefined {
    const now = Date.now();
    const current = this.#current.get(key(provider, sessionId));
    const inMemory = (id: string): number => this.#rests.get(provider)?.get(id) ?? 0;
    const sources = sourceCandidates(this.#ports.sources(provider));
    const isOfSources = current === undefined || sources.some(({ id }) => id === current);
    if (isOfSources && sources.some(({ id }) => inMemory(id) <= now))
      return choose<Way>(sources, inMemory, now, current);
    return choose<Way>(this.ways(provider), (id) => this.restOf(provider, id), now, current);
  }

  /** Until when one rests, in ms since 1970. */
  restOf(provider: string, id: string): number {
    const inFile = this.#ports.file().rests[provider]?.[id] ?? 0;
    return Math.max(inFile, this.#rests.get(provider)?.get(id) ?? 0);
  }

  rest(provider: string, id: string, until: number): void {
    const rests = this.#rests.get(provider) ?? new Map<string, number>();
    this.#rests.set(provider, rests.set(id, until));
  }

  /** It is another key, or another sign-in, by the same name. */
  rested({ account }: Account, provider: string): void {
    this.#rests.get(provider)?.delete(account);
  }

  remember(provider: string, sessionId: string | undefined, id: string): void {
    if (sessionId === undefined) return;
    const session = key(provider, sessionId);
    this.#current.delete(session); // the last one used is the last one forgotten
    this.#current.set(session, id);
    const [oldest] = this.#current.keys();
    if (this.#current.size > mostSessions && oldest !== undefined) this.#current.delete(oldest);
  }
}

/** For people. */
export function nameOf(way: Way): string {
  return way.from === 'source' ? way.account : way.account.account;
}

const key = (provider: string, sessionId: string | undefined): string => `${provider} ${sessionId ?? ''}`;
