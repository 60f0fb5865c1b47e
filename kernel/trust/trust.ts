import { KernError, messageOf } from '../error.ts';
import type { TrustGate, TrustItem, TrustState } from '../plugin.ts';
import { type Content, contentOf } from './content.ts';
import { realFolder } from './files.ts';
import { type GrantedTexts, GrantedTextsStore } from './granted.ts';
import { Ledger, type LedgerLine, lineKey } from './ledger.ts';

/** An item and how it stands. */
export interface TrustStatus {
  readonly kind: TrustItem['kind'];
  readonly id: string;
  readonly path?: string;
  /** What it consists of now; missing when that cannot be told, and then it cannot be trusted. */
  readonly sha256?: string;
  readonly state: TrustState;
  /** A person said no. */
  readonly denied?: true;
}

/** Why an item stands as it does, for a person. */
export interface TrustReason extends TrustStatus {
  readonly reason: string;
  /** When it was decided. */
  readonly at?: string;
  /** What differs from what was granted: `definition.command`, `.kern/extensions/hello.ts`. */
  readonly changes: readonly { readonly part: string; readonly change: 'added' | 'changed' | 'removed' }[];
}

/** A part of an item that is not what was granted, with its text then and now where a person can read it. */
export interface TrustDifference {
  readonly part: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly before?: string;
  readonly after?: string;
}

export interface TrustOptions {
  /** KERN_HOME. */
  readonly home: string;
  readonly root: string;
  /** `--trust`: everything of this root is trusted for this run, whatever its content becomes. */
  readonly runTrust?: boolean;
}

/** Gate and ledger of one project. */
export interface Trust {
  readonly root: string;
  readonly gate: TrustGate;
  /** Trusts the root for this run, edits included. Nothing is written. */
  grantRun(): void;
  readonly isRunTrusted: boolean;
  status(items: readonly TrustItem[]): Promise<readonly TrustStatus[]>;
  /** Trusts the items as they are now. Throws `trust_unbound` where one cannot be bound to a content; then none is granted. */
  grant(items: readonly TrustItem[]): Promise<void>;
  /** Remembers a no. It holds for whatever the item becomes, until it is granted or revoked. */
  deny(items: readonly TrustItem[]): Promise<void>;
  /** Forgets what was decided; without items, for the whole root. */
  revoke(items?: readonly TrustItem[]): Promise<void>;
  why(item: TrustItem): Promise<TrustReason>;
  /** What differs from what was granted, with its texts. Empty where it does not differ, or was never granted. */
  differences(item: TrustItem): Promise<readonly TrustDifference[]>;
  /** The project files that a trusted item may consist of, as real paths. */
  files(item: TrustItem): Promise<readonly string[]>;
  /**
   * Exactly what was granted: each of its files, as a real path, with its SHA-256. Empty when the item is not
   * trusted as it is; `undefined` when the whole root is trusted for this run.
   */
  seal(item: TrustItem): Promise<ReadonlyMap<string, string> | undefined>;
  /** What was wrong with the ledger. */
  readonly problems: readonly string[];
}

/** The one word for a folder. */
export function overallState(items: readonly { readonly state: TrustState }[]): TrustState | 'nothing' {
  if (items.length === 0) return 'nothing';
  const states = new Set(items.map((item) => item.state));
  return states.has('changed') ? 'changed' : states.has('untrusted') ? 'untrusted' : 'trusted';
}

/** Opens the gate of a project. It reads nothing until it is asked. */
export function createTrust(options: TrustOptions): Trust {
  const root = realFolder(options.root);
  const ledger = new Ledger(options.home);
  const granted = new GrantedTextsStore(options.home);
  const faults = new Set<string>();
  let runTrusted = options.runTrust === true;
  const keyOf = (item: TrustItem): string => lineKey({ root, kind: item.kind, id: item.id });

  /** A ledger that cannot be used grants nothing. */
  const lineOf = async (item: TrustItem): Promise<LedgerLine | undefined> => {
    try {
      return (await ledger.lines()).get(keyOf(item));
    } catch (thrown) {
      faults.add(messageOf(thrown));
      return undefined;
    }
  };

  const why = async (item: TrustItem): Promise<TrustReason> => {
    const line = await lineOf(item);
    const content = await contentOf(item, root).catch((thrown: unknown) => messageOf(thrown));
    const about = {
      kind: item.kind,
      id: item.id,
      ...(item.path === undefined ? {} : { path: item.path }),
      ...(typeof content === 'string' ? {} : { sha256: content.sha256 }),
      ...(line === undefined ? {} : { at: line.at }),
    };
    if (runTrusted)
      return { ...about, state: 'trusted', reason: 'the whole folder is trusted for this run', changes: [] };
    if (line?.decision === 'denied')
      return {
        ...about,
        state: 'untrusted',
        denied: true,
        reason: 'it was refused; kern trust grant takes that back',
        changes: [],
      };
    if (typeof content === 'string')
      return line === undefined
        ? { ...about, state: 'untrusted', reason: `it cannot be trusted: ${content}`, changes: [] }
        : { ...about, state: 'changed', reason: `it was granted, and cannot be trusted now: ${content}`, changes: [] };
    if (line === undefined) return { ...about, state: 'untrusted', reason: 'nobody has granted it', changes: [] };
    if (line.sha256 === content.sha256)
      return { ...about, state: 'trusted', reason: 'it is what was granted', changes: [] };
    const changes = differences(line, content);
    return {
      ...about,
      state: 'changed',
      reason: `it is not what was granted: ${changes.map(({ part, change }) => `${part} ${change}`).join(', ')}`,
      changes,
    };
  };

  const decide = async (items: readonly TrustItem[], decision: LedgerLine['decision']): Promise<void> => {
    const at = new Date().toISOString();
    const kept = new Map<string, GrantedTexts>();
    const lines = await Promise.all(
      items.map(async (item): Promise<LedgerLine> => {
        const content = await contentOf(item, root, { texts: decision === 'trusted' }).catch((cause: unknown) => {
          if (decision === 'denied') return undefined; // a no needs no content
          throw new KernError('trust_unbound', `${item.kind} ${item.id} cannot be trusted: ${messageOf(cause)}.`, {
            cause,
          });
        });
        if (content !== undefined) kept.set(content.sha256, content.texts);
        return {
          root,
          kind: item.kind,
          id: item.id,
          decision,
          sha256: content?.sha256 ?? '',
          at,
          parts: content === undefined ? [] : partsToKeep(content),
        };
      }),
    );
    await change((known) => {
      for (const line of lines) known.set(lineKey(line), line);
    });
    // After the lines that speak of them: whoever tidies meanwhile lets them be.
    if (decision === 'trusted') for (const [sha256, texts] of kept) await granted.keep(sha256, texts);
  };

  const change = async (edit: (lines: Map<string, LedgerLine>) => void): Promise<void> => {
    await ledger.change(edit);
    await granted.tidy(await ledger.lines());
  };

  return {
    root,
    gate: {
      check: async (item) => (runTrusted ? 'trusted' : (await why(item)).state),
      unbound: (item) =>
        contentOf(item, root).then(
          () => undefined,
          (thrown: unknown) => messageOf(thrown),
        ),
    },
    grantRun: () => {
      runTrusted = true;
    },
    get isRunTrusted() {
      return runTrusted;
    },
    status: (items) =>
      Promise.all(
        items.map(async (item) => {
          const { reason: _reason, at: _at, changes: _changes, ...status } = await why(item);
          return status;
        }),
      ),
    grant: (items) => decide(items, 'trusted'),
    deny: (items) => decide(items, 'denied'),
    revoke: (items) =>
      change((known) => {
        const keys = items?.map(keyOf) ?? Array.from(known).flatMap(([key, line]) => (line.root === root ? [key] : []));
        for (const key of keys) known.delete(key);
      }),
    why,
    differences: async (item) => {
      const line = await lineOf(item);
      if (line?.decision !== 'trusted') return [];
      const content = await contentOf(item, root, { texts: true }).catch(() => undefined); // `why` says what is wrong
      if (content === undefined || content.sha256 === line.sha256) return [];
      const before = await granted.read(line.sha256);
      return readable(differences(line, content)).map(({ part, change }) => {
        const [old, now] = [before?.get(part), content.texts.get(part)];
        return {
          part,
          change,
          ...(old === undefined ? {} : { before: old }),
          ...(now === undefined ? {} : { after: now }),
        };
      });
    },
    files: async (item) => (await contentOf(item, root)).files,
    seal: async (item) => {
      if (runTrusted) return undefined;
      const line = await lineOf(item);
      const content = await contentOf(item, root).catch(() => undefined); // what cannot be read is not what was granted
      const isGranted = line?.decision === 'trusted' && line.sha256 === content?.sha256;
      return isGranted ? content?.hashes : new Map();
    },
    get problems() {
      return [...ledger.problems, ...faults];
    },
  };
}

/** A file that is not there is part of the hash, but says nothing worth keeping. */
function partsToKeep(content: Content): LedgerLine['parts'] {
  return Array.from(content.parts).filter(([, hash]) => hash !== 'absent');
}

/** The entries of a definition are read as the whole that they make. */
function readable(changes: TrustReason['changes']): TrustReason['changes'] {
  const others = changes.filter(({ part }) => part !== 'definition' && !part.startsWith('definition.'));
  return others.length === changes.length ? changes : [{ part: 'definition', change: 'changed' }, ...others];
}

function differences(line: LedgerLine, content: Content): TrustReason['changes'] {
  const before = new Map(line.parts);
  const now = new Map(partsToKeep(content));
  const found: { part: string; change: 'added' | 'changed' | 'removed' }[] = [];
  for (const part of Array.from(new Set([...before.keys(), ...now.keys()])).toSorted()) {
    // The whole is named only when its entries do not say it.
    if (part === 'definition' && Array.from(now.keys()).some((name) => name.startsWith('definition.'))) continue;
    const [old, current] = [before.get(part), now.get(part)];
    if (old === undefined) found.push({ part, change: 'added' });
    else if (current === undefined) found.push({ part, change: 'removed' });
    else if (old !== current) found.push({ part, change: 'changed' });
  }
  return found;
}
