import type { Capability, Hook, Kernel } from 'kern/plugin';

/** Why nothing may take the place of a built-in: it guards, or supplies what only built-ins may. */
export function whyNotReplaced(kernel: Kernel, id: string): string | undefined {
  if (keepersOf(kernel).has(id)) return `${id} guards what tools do, and a guard is never replaced`;
  const capabilities = suppliesOf(kernel, id).map(
    (name) => kernel.snapshot().declarations.get(`capability:${name}`)?.token,
  );
  const closed = capabilities.find((token) => isClosed(token as Capability<unknown> | undefined));
  return closed === undefined ? undefined : `${id} supplies ${closed.id}, which only built-ins may`;
}

/** The plugins without which a guarded call is denied, unless the person switched them off. */
export function keepersOf(kernel: Kernel): ReadonlySet<string> {
  const tokens = Array.from(kernel.snapshot().declarations.values(), ({ token }) => token as Partial<Hook>);
  return new Set(tokens.flatMap(({ guard }) => (guard?.keeper === undefined ? [] : [guard.keeper])));
}

function suppliesOf(kernel: Kernel, id: string): readonly string[] {
  const asleep = kernel.sleeping.find((plugin) => plugin.id === id);
  if (asleep !== undefined) return Object.keys(asleep.contributes);
  const live = kernel
    .snapshot()
    .activations.find((activation) => activation.id === id && activation.level === 'builtin');
  return live?.offers.map(({ capability }) => capability.id) ?? [];
}

const isClosed = (capability: Capability<unknown> | undefined): boolean => capability?.from?.includes('user') === false;
