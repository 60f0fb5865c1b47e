import {
  type EntryReport,
  type FoundItems,
  type FoundKind,
  foundConsumers,
  hooks,
  leftOutBy,
  type ProviderItems,
  type ProviderReport,
  textsOf,
  trustItemOf,
} from 'kern/contracts';
import {
  type Capability,
  didYouMean,
  type Entry,
  KernError,
  type Kernel,
  nearNames,
  type TrustItem,
  type TrustState,
  type View,
} from 'kern/plugin';

/** The gate, as far as reports ask it. */
interface Gate {
  status(items: readonly TrustItem[]): Promise<readonly { readonly state: TrustState }[]>;
}

/** The capabilities that are declared: what plugins can supply. Services are code with one winner, and no items. */
export function capabilitiesOf(kernel: Kernel): ReadonlyMap<string, Capability<unknown>> {
  const found = new Map<string, Capability<unknown>>();
  for (const { token } of kernel.snapshot().declarations.values()) {
    if (token.token === 'capability' && !('service' in token)) found.set(token.id, token as Capability<unknown>);
  }
  return found;
}

/** Everyone who supplies items: discovery providers, and plugins that offer some themselves. */
export async function providerReports(kernel: Kernel, view: View): Promise<readonly ProviderReport[]> {
  const capabilities = [...capabilitiesOf(kernel).values()];
  await Promise.all(capabilities.map((capability) => wakeAll(capability, view)));
  const counts = new Map<string, Record<string, number>>();
  const priorities = new Map<string, number>();
  for (const capability of capabilitiesOf(kernel).values()) {
    for (const { origin } of view.use(capability).entries()) {
      const own = counts.get(origin.provider) ?? {};
      own[capability.id] = (own[capability.id] ?? 0) + 1;
      counts.set(origin.provider, own);
      priorities.set(origin.provider, origin.priority);
    }
  }
  const discovering = new Map(kernel.snapshot().providers.map(({ provider }) => [provider.id, provider]));
  const ids = [...new Set([...discovering.keys(), ...counts.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return ids.map((id) => {
    const provider = discovering.get(id);
    const plugin = kernel.snapshot().activations.find((activation) => activation.id === id);
    return {
      id,
      displayName: provider?.displayName ?? plugin?.unit.definition.description ?? id,
      priority: provider?.priority ?? priorities.get(id) ?? 0,
      state: isOff(kernel, id) ? 'off' : 'on',
      counts: counts.get(id) ?? {},
      // A file that several kinds stand in is wrong for each of them: said once.
      warnings: [...new Set(kernel.warnings(id))],
      ...(provider === undefined
        ? {}
        : { levels: { user: levelOf(kernel, id, 'user'), project: levelOf(kernel, id, 'project') } }),
    };
  });
}

/** Loads a capability and wakes also those of whom manifests tell enough: a report is about what is really there. */
export async function wakeAll(capability: Capability<unknown>, view: View): Promise<void> {
  const reader = view.use(capability);
  await reader.load();
  // Whoever does not wake is reported for it.
  await Promise.allSettled(reader.entries().map((entry) => view.run(entry, () => undefined)));
}

function levelOf(kernel: Kernel, id: string, level: 'user' | 'project'): NonNullable<ProviderReport['levels']>['user'] {
  const { off } = kernel.settings.provider(id, level);
  return off === undefined ? { state: 'on' } : { state: 'off', by: off };
}

function isOff(kernel: Kernel, id: string): boolean {
  return (['builtin', 'user', 'project', 'session'] as const).every(
    (level) => kernel.settings.provider(id, level).off !== undefined,
  );
}

/** Every item of one supplier, with what came of it. */
export async function providerItems(id: string, kernel: Kernel, view: View, gate: Gate): Promise<ProviderItems> {
  const providers = await providerReports(kernel, view);
  const provider = providers.find((report) => report.id === id);
  if (provider === undefined) {
    const near = nearNames(
      id,
      providers.map((report) => report.id),
    );
    throw new KernError('provider_unknown', `there is no provider ${id}`, {
      hint: didYouMean(near) ?? '`kern providers` lists them.',
    });
  }
  const items = await Promise.all(
    [...capabilitiesOf(kernel).values()].map(async (capability) => {
      const entries = view.use(capability).entries({ providers: [id] });
      return Promise.all(
        entries.map(async (entry) => ({
          capability: capability.id,
          ...(await reportOf(capability.id, entry, kernel, view, gate)),
        })),
      );
    }),
  );
  return { provider, items: items.flat() };
}

export async function entryReports(
  capability: Capability<unknown>,
  kernel: Kernel,
  view: View,
  gate: Gate,
): Promise<readonly EntryReport[]> {
  const reader = view.use(capability);
  await reader.load();
  return Promise.all(reader.entries().map((entry) => reportOf(capability.id, entry, kernel, view, gate)));
}

/** What can be switched off by itself: `skill:review`. */
export async function itemNames(kernel: Kernel, view: View): Promise<readonly string[]> {
  const names = [...capabilitiesOf(kernel).values()].flatMap((capability) =>
    view
      .use(capability)
      .entries()
      .flatMap(({ key }) => (key === undefined ? [] : [`${capability.id}:${key}`])),
  );
  return [...new Set(names)];
}

const isFoundKind = (id: string): id is FoundKind => Object.hasOwn(foundConsumers, id);

/** A winner that nobody has trusted yet is no winner that runs. */
async function reportOf(
  capability: string,
  { key, origin, verdict, item }: Entry<unknown>,
  kernel: Kernel,
  view: View,
  gate: Gate,
): Promise<EntryReport> {
  const report = { key: key ?? null, origin, verdict };
  if (verdict.state !== 'won' || !isFoundKind(capability)) return report;
  const leftOut = capability === 'skill' ? skillLeftOut(key, kernel) : undefined;
  if (leftOut !== undefined) return { ...report, verdict: { state: 'disabled', by: leftOut } };
  const { root } = view.where;
  const found = item as FoundItems[typeof capability]; // it was parsed as one
  const never =
    capability === 'hook'
      ? await whyNoHook({ key, origin, verdict, item: found as FoundItems['hook'] }, view)
      : undefined;
  if (never !== undefined) return { ...report, unused: never };
  const trustItem = await trustItemOf(capability, found, { root, level: origin.level });
  const [status] = trustItem === undefined ? [] : await gate.status([trustItem]);
  if (status !== undefined && status.state !== 'trusted') return { ...report, verdict: { state: 'untrusted' } };
  const unused = whyUnused(capability, kernel);
  return unused === undefined ? report : { ...report, unused };
}

/** The plugin of the skills leaves some out by their names. */
function skillLeftOut(name: string | undefined, kernel: Kernel): string | undefined {
  const { settings } = kernel.settings.plugin('skills', 'builtin');
  const [includeSkills, ignoredSkills] = [textsOf(settings.includeSkills), textsOf(settings.ignoredSkills)];
  const by = name === undefined ? undefined : leftOutBy(name, { includeSkills, ignoredSkills });
  return by === undefined ? undefined : `plugins.skills.${by}`;
}

function whyUnused(kind: FoundKind, kernel: Kernel): string | undefined {
  const { plugin } = foundConsumers[kind];
  const { off } = kernel.settings.plugin(plugin, 'builtin');
  if (off !== undefined) return `${plugin}, which uses it, is off: ${off}`;
  const isThere =
    kernel.sleeping.some(({ id }) => id === plugin) || kernel.known.some(({ definition }) => definition.id === plugin);
  return isThere ? undefined : `no plugin ${plugin} is there to use it`;
}

/** Why nobody does anything with something that was found; undefined where somebody does. */
export async function whyNotUsed(
  kind: FoundKind,
  found: FoundItems[FoundKind],
  kernel: Kernel,
  view: View,
): Promise<string | undefined> {
  return whyUnused(kind, kernel) ?? whyNeverAsked(kind, found, view);
}

/** Why a hook does not run, whoever trusts it: its event does not come, or it is another agent's and nobody has let it. */
async function whyNoHook(hook: Entry<FoundItems['hook']>, view: View): Promise<string | undefined> {
  await view.use(hooks).load();
  const { state, why } = await view.service(hooks).stateOf(hook);
  if (state === 'unused') return why;
  if (state === 'off') return why ?? `it may not run: providers.${hook.origin.provider}.code is false`;
  return undefined;
}

/** A hook whose event does not come is used by nobody, though hooks run. */
async function whyNeverAsked(kind: FoundKind, found: FoundItems[FoundKind], view: View): Promise<string | undefined> {
  if (kind !== 'hook') return undefined;
  await view.use(hooks).load();
  return view.service(hooks).whyUnused(found as FoundItems['hook']);
}
