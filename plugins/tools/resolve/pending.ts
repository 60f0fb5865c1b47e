import type { PendingChange, PendingChanges } from 'kern/contracts';

/** Of one session. Whoever shows so much and decides nothing has forgotten the oldest. */
const most = 20;

export function createPendingChanges(): PendingChanges {
  const all: { readonly id: string; readonly session: string; readonly change: PendingChange }[] = [];
  let count = 0;
  const drop = (id: string): PendingChange | undefined => {
    const at = all.findIndex((one) => one.id === id);
    return at === -1 ? undefined : all.splice(at, 1)[0]?.change;
  };
  return {
    add(session, change) {
      count += 1;
      const id = `change-${count}`;
      all.push({ id, session, change });
      const own = all.filter((one) => one.session === session);
      const oldest = own.length > most ? own[0] : undefined;
      if (oldest !== undefined) drop(oldest.id)?.discard?.();
      return id;
    },
    list: (session) =>
      all.filter((one) => session === undefined || one.session === session).map(({ id, change }) => ({ id, change })),
    take: (session, id) => (all.some((one) => one.id === id && one.session === session) ? drop(id) : undefined),
  };
}
