import type { EntryReport, ProviderReport } from 'kern/contracts';
import type { Capability, Kernel, View } from 'kern/plugin';

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
      warnings: kernel.warnings(id),
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

function isOff(kernel: Kernel, id: string): boolean {
  return (['builtin', 'user', 'project', 'session'] as const).every(
    (level) => kernel.settings.provider(id, level).off !== undefined,
  );
}

export async function entryReports(capability: Capability<unknown>, view: View): Promise<readonly EntryReport[]> {
  const reader = view.use(capability);
  await reader.load();
  return reader.entries().map(({ key, origin, verdict }) => ({ key: key ?? null, origin, verdict }));
}
