import type { Kernel } from 'kern/plugin';

type WatchPort = NonNullable<ConstructorParameters<typeof Kernel>[0]['watch']>;

/** Files that change when the test says so. */
export interface Watched {
  readonly port: WatchPort;
  change(paths: readonly string[]): void;
}

export function watched(): Watched {
  const watches = new Set<{ readonly paths: readonly string[]; readonly fn: (changed: readonly string[]) => void }>();
  return {
    port: {
      watch: (_owner, paths, fn) => {
        const watch = { paths, fn };
        watches.add(watch);
        const dispose = (): void => void watches.delete(watch);
        return { dispose, [Symbol.dispose]: dispose };
      },
      touched: () => {},
      pending: async () => {},
    },
    change: (changed) => {
      for (const { paths, fn } of [...watches]) {
        // A folder, or what is not there yet, is written with a slash at its end.
        const mine = changed.filter((file) => paths.some((path) => `${file}/`.startsWith(path.replace(/\/*$/, '/'))));
        if (mine.length > 0) fn(mine);
      }
    },
  };
}
