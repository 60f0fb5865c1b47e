import { existsSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files are stamped by a clock that may be a tick behind the one of the process. */
const tickMs = 10;

/**
 * Of these paths those that may have changed since a moment (ms): by their stamps, without reading them. One that is not
 * there may have gone since when a folder that it would be in has changed.
 */
export function changedSince(paths: readonly string[], since: number): readonly string[] {
  const now = Date.now();
  // What is stamped with a time to come says nothing: its drive has another clock.
  const isIn = ({ ctimeMs }: Stats): boolean => ctimeMs >= since - tickMs && ctimeMs <= now + tickMs;
  const looks = new Map<string, boolean | undefined>();
  /** Undefined where nothing is. */
  const look = (path: string): boolean | undefined => {
    if (looks.has(path)) return looks.get(path);
    const stats = statOf(path);
    const told = stats === undefined ? undefined : isIn(stats);
    looks.set(path, told);
    return told;
  };
  /** What went leaves its mark on the folder that it was in. */
  const wentFrom = (path: string): boolean => {
    const folder = dirname(path);
    return look(folder) ?? (folder !== path && wentFrom(folder));
  };
  return paths.filter((path) => {
    const file = resolve(path);
    return look(file) ?? wentFrom(file);
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not to be looked at is as good as not there
  }
}

/** Of these paths those that are not there. */
export const absentOf = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(paths.filter((path) => !existsSync(resolve(path))));
