import type { Kernel } from '../kernel.ts';
import type { TrustState } from '../plugin.ts';
import { type Slot, whoIs, whyBlocked } from './slot.ts';

/** Says that nobody has trusted what stands at a place now. Who it is is known before it goes, and told after. */
export function tellBlocked(
  kernel: Kernel,
  slot: Slot,
  trust: Exclude<TrustState, 'trusted'>,
  wasLive: boolean,
): () => void {
  const { id } = whoIs(slot);
  const { name, entry } = slot.place;
  const { revision } = slot;
  const why = whyBlocked(trust);
  return () => {
    const [code, text] = wasLive
      ? ['kept_old', `kept the old: ${entry}: ${why}`]
      : ['blocked', `${name} is blocked: ${why}`];
    kernel.journal.add(id, 'warning', code, text);
    const reason = wasLive ? `${entry}: ${why}\nlook at what changed; then kern trust grant` : why;
    kernel.announce({ id, state: wasLive ? 'kept' : 'blocked', revision, reason, file: entry });
  };
}
