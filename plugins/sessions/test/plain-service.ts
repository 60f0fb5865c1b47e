import { Blobs } from '../blobs.ts';
import { Breadcrumbs } from '../breadcrumbs.ts';
import { fileStorage } from '../file-storage.ts';
import type { HeldLocks } from '../lock.ts';
import { SessionFiles } from '../service.ts';
import type { LiveSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** The service without a kernel around it. */
export function plainService(
  home: string,
  rest: { readonly settings?: Partial<LiveSettings>; readonly terminal?: () => Terminal | undefined } = {},
): SessionFiles {
  const locks: HeldLocks = new Map();
  return new SessionFiles({
    home,
    dir: undefined,
    live: { fsync: 'second', inlineLimit: 500_000, ...rest.settings },
    blobs: new Blobs(home),
    crumbs: new Breadcrumbs(home, rest.terminal ?? (() => undefined)),
    borrow: async () => ({ storage: fileStorage(locks), release: () => {} }),
  });
}
