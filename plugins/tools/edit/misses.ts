import { createHash } from 'node:crypto';

/** Counts how often a session has sent the same edit in vain. */
export interface Misses {
  /** How often, this time included. */
  failed(session: string, call: unknown): number;
  /** What failed may be tried again once a file is another. */
  done(session: string): void;
}

export function createMisses(most = 500): Misses {
  const counts = new Map<string, number>();
  return {
    failed(session, call) {
      const key = `${session}\0${createHash('sha256').update(JSON.stringify(call)).digest('base64')}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.delete(key);
      counts.set(key, count);
      for (const [oldest] of counts) {
        if (counts.size <= most) break;
        counts.delete(oldest);
      }
      return count;
    },
    done(session) {
      for (const key of [...counts.keys()]) if (key.startsWith(`${session}\0`)) counts.delete(key);
    },
  };
}
