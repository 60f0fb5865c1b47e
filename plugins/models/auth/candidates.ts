import { createHash } from 'node:crypto';
import { keyAtHand, keySource } from 'kern/contracts';
import { type Account, endOf } from './accounts.ts';
import type { Candidate } from './choose.ts';

/** A key of the provider's own sources. */
export interface SourceCandidate extends Candidate {
  readonly from: 'source';
  readonly source: string;
  readonly kind: 'environment' | 'command' | 'key';
  /** For people. */
  readonly account: string;
}

/** An account of `auth.json`. */
export interface KeptCandidate extends Candidate {
  readonly from: 'file';
  readonly account: Account;
}

/** The sources of a provider that have something, in order. */
export function sourceCandidates(sources: readonly string[]): readonly SourceCandidate[] {
  return sources.flatMap((text): readonly SourceCandidate[] => {
    const { isThere, key } = keyAtHand(text);
    if (!isThere) return [];
    const source = keySource(text);
    // Another value is another key: what its forerunner has used up is not its own.
    const hash = createHash('sha256').update(key ?? text);
    const id = `source:${hash.digest('hex').slice(0, 16)}`;
    const found = { from: 'source', id, source: text } as const;
    if (source.kind === 'variable') return [{ ...found, kind: 'environment', account: source.name }];
    if (source.kind === 'command') return [{ ...found, kind: 'command', account: text }];
    return [{ ...found, kind: 'key', account: endOf(source.key) }];
  });
}

/** The accounts that are not known to be of no use any more. */
export function keptCandidates(accounts: readonly Account[]): readonly KeptCandidate[] {
  return accounts.flatMap((account) =>
    account.type === 'oauth' && account.expired !== undefined
      ? []
      : [{ from: 'file', id: account.account, account } as const],
  );
}
