import path from 'node:path';
import {
  type FoundItems,
  type FoundKind,
  foundCapabilities,
  foundConsumers,
  type Runnable,
  runnablesOf,
  type TrustReport,
  type WorkbenchTrust,
} from 'kern/contracts';
import {
  type Capability,
  didYouMean,
  KernError,
  nearNames,
  type TrustItem,
  type TrustState,
  type View,
} from 'kern/plugin';

/** A part of an item that is not what was granted. */
interface Difference {
  readonly part: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly before?: string;
  readonly after?: string;
}

/** Ledger and gate, as far as commands ask them. */
export interface TrustPart {
  readonly root: string;
  readonly problems: readonly string[];
  status(items: readonly TrustItem[]): Promise<readonly { readonly state: TrustState }[]>;
  grant(items: readonly TrustItem[]): Promise<void>;
  revoke(items?: readonly TrustItem[]): Promise<void>;
  why(item: TrustItem): Promise<{
    readonly state: TrustState;
    readonly sha256?: string;
    readonly denied?: true;
    readonly reason: string;
    readonly at?: string;
  }>;
  differences(item: TrustItem): Promise<readonly Difference[]>;
}

export interface TrustDeskParts {
  readonly view: View;
  readonly trust: TrustPart;
  /** What the host would load from the project. */
  readonly plugins: () => readonly TrustItem[];
  /** Nothing that could be trusted stands there: a package that is not installed. */
  readonly isHollow: (item: TrustItem) => boolean;
  /** Why nobody would run what was found. */
  readonly unused: (kind: FoundKind, item: FoundItems[FoundKind]) => Promise<string | undefined>;
}

/** What is listed: an item, where it was found, and what it would run. */
type Listed = Runnable & { readonly provider?: string };

/** Answers `kern trust`: of everything that a project brings and that would run. Nothing of it is run for that. */
export function createTrustDesk({ view, trust, plugins, isHollow, unused }: TrustDeskParts): WorkbenchTrust {
  const listed = async (): Promise<readonly Listed[]> => {
    const own = plugins().map((item): Listed => ({ item, runs: item.path ?? item.id }));
    const all = new Map(own.map((one) => [keyOf(one.item), one]));
    // What the host loads it has found through the same providers.
    for (const one of await foundIn(view, unused)) {
      const known = all.get(keyOf(one.item));
      all.set(keyOf(one.item), known === undefined ? one : { ...one, item: known.item });
    }
    return [...all.values()].toSorted((a, b) => (keyOf(a.item) < keyOf(b.item) ? -1 : 1));
  };

  const chosen = async (names: readonly string[] | undefined): Promise<readonly Listed[]> => {
    const items = await listed();
    if (names === undefined) return items;
    const known = items.map(({ item: { kind, id } }) => `${kind}:${id}`);
    return [...new Set(names.flatMap((name) => meant(name, items, trust.root) ?? refuse(name, known)))];
  };

  const report = async (items: readonly Listed[]): Promise<TrustReport> => {
    const reports = await Promise.all(
      items.map(async ({ item, runs, notBy, provider }) => {
        const { state, sha256 = '', denied, reason, at } = await trust.why(item);
        return {
          kind: item.kind,
          id: item.id,
          ...(item.path === undefined ? {} : { path: item.path }),
          sha256,
          state,
          ...(provider === undefined ? {} : { provider }),
          runs,
          ...(notBy === undefined ? {} : { notBy }),
          reason: state !== 'trusted' && isHollow(item) ? `${reason}; nothing of it is there to be trusted` : reason,
          ...(at === undefined ? {} : { at }),
          ...(denied === undefined ? {} : { denied }),
        };
      }),
    );
    return { root: trust.root, state: overall(reports.map(({ state }) => state)), items: reports };
  };

  return {
    status: async () => report(await listed()),
    grant: async (names) => {
      const items = await chosen(names);
      const hollow = names === undefined ? undefined : items.find(({ item }) => isHollow(item));
      if (hollow !== undefined)
        throw new KernError('trust_not_there', `${hollow.item.id} is not there, and was not trusted`, {
          hint: '`kern plugins install` fetches what the lock file of the project names.',
        });
      // Of all, what cannot be bound to a content stays as it is, and says why; what was named is refused aloud.
      const bound = await Promise.all(
        items.map(
          async ({ item }) => !isHollow(item) && (names !== undefined || (await trust.why(item)).sha256 !== undefined),
        ),
      );
      await trust.grant(items.filter((_, at) => bound[at]).map(({ item }) => item));
      return report(await listed());
    },
    revoke: async (names) => {
      await trust.revoke(names === undefined ? undefined : (await chosen(names)).map(({ item }) => item));
      return report(await listed());
    },
    why: async (name) => {
      const items = await chosen(name === undefined ? undefined : [name]);
      return { ...(await report(items)), problems: trust.problems };
    },
    changes: async (names) => {
      const items = await chosen(names);
      const found = await Promise.all(
        items.map(async ({ item }) => ({
          kind: item.kind,
          id: item.id,
          changes: await trust.differences(item),
        })),
      );
      return found.filter(({ changes }) => changes.length > 0);
    },
  };
}

const keyOf = ({ kind, id }: TrustItem): string => `${kind}:${id}`;

/** Everything that providers found in the project and that would run, as it is in force. */
async function foundIn(view: View, unused: TrustDeskParts['unused']): Promise<readonly Listed[]> {
  const kinds = Object.keys(foundConsumers) as FoundKind[];
  const found = await Promise.all(kinds.map((kind) => foundOf(kind, view, unused)));
  return found.flat();
}

async function foundOf(kind: FoundKind, view: View, unused: TrustDeskParts['unused']): Promise<readonly Listed[]> {
  const reader = view.use(foundCapabilities[kind] as Capability<FoundItems[FoundKind]>);
  await reader.load();
  const items = await Promise.all(
    reader.entries().map(async ({ item, origin, verdict }) => {
      if (verdict.state !== 'won') return [];
      const runnables = await runnablesOf(kind, item, { root: view.where.root, level: origin.level });
      if (runnables.length === 0) return [];
      const isCode = runnables.some((one) => one.item.kind === 'plugin');
      const notBy =
        isCode && !own.has(origin.provider) && !hasCode(view, origin.provider)
          ? `not before providers: { ${origin.provider}: { code: true } }`
          : await unused(kind, item);
      const later = notBy === undefined ? {} : { notBy };
      return runnables.map((one): Listed => ({ ...later, ...one, provider: origin.provider }));
    }),
  );
  return items.flat();
}

/** What lies there is meant for kern. */
const own: ReadonlySet<string> = new Set(['native', 'packages']);

function hasCode(view: View, provider: string): boolean {
  const said = view.setting('providers');
  const own: unknown = typeof said === 'object' && said !== null ? Reflect.get(said, provider) : undefined;
  return typeof own === 'object' && own !== null && Reflect.get(own, 'code') === true;
}

function overall(states: readonly TrustState[]): TrustReport['state'] {
  if (states.length === 0) return 'nothing';
  return (['changed', 'untrusted'] as const).find((state) => states.includes(state)) ?? 'trusted';
}

/** By its whole name; else all that stand in a file or have a short name of that kind. */
function meant(name: string, items: readonly Listed[], root: string): readonly Listed[] | undefined {
  const exact = items.filter(({ item }) => keyOf(item) === name);
  const near = exact.length > 0 ? exact : items.filter(({ item }) => namesOf(item, root).includes(name));
  return near.length > 0 ? near : undefined;
}

function refuse(name: string, known: readonly string[]): never {
  const hint =
    didYouMean(nearNames(name, known)) ??
    (known.length === 0
      ? 'This project declares nothing that has to be trusted.'
      : `There is: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', … (`kern trust` lists all)' : ''}`);
  throw new KernError('trust_unknown_item', `this project declares no ${name}`, { hint });
}

/** `plugin:.kern/extensions/weather/index.ts`, and shorter: its path, `weather`; `mcp:docs`, and shorter `docs`. */
function namesOf({ kind, id, path: file = id }: TrustItem, root: string): readonly string[] {
  const files = [file, path.relative(root, file).split(path.sep).join('/')];
  if (kind !== 'plugin') return [id, ...files];
  const { dir, name } = path.parse(file);
  const short = name === 'index' ? path.basename(dir) : name;
  return [id, ...files, `${kind}:${short}`, short];
}
