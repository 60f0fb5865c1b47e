// Sessions in one SQLite database instead of a file each. To use it:
//   plugins: { sessions: { storage: sqlite } }
// It has no `lock`, so one kern at a time may write a session: a storage that several processes reach needs one.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sessionStorages } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

/** Some bytes of a session, and where in it they begin. */
interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export default definePlugin({
  id: 'sqlite-sessions',
  setup(ctx) {
    const file = join(ctx.where.home, 'sessions.db');
    let opened: DatabaseSync | undefined;
    const db = (): DatabaseSync => {
      if (opened === undefined) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        opened = new DatabaseSync(file);
        opened.exec(
          'CREATE TABLE IF NOT EXISTS pieces (path TEXT, at INTEGER, bytes BLOB, ms REAL, PRIMARY KEY (path, at))',
        );
      }
      return opened;
    };
    ctx.defer(() => opened?.close());

    const pieces = (path: string, from: number, to: number): readonly Piece[] =>
      db()
        .prepare('SELECT at, bytes FROM pieces WHERE path = ? AND at < ? AND at + length(bytes) > ? ORDER BY at')
        .all(path, to, from) as unknown as readonly Piece[];
    const between = (path: string, from: number, to: number): Buffer =>
      Buffer.concat(
        pieces(path, from, to).map(({ at, bytes }) => bytes.subarray(Math.max(0, from - at), Math.max(0, to - at))),
      );
    const sizeOf = (path: string): number | undefined =>
      (db().prepare('SELECT max(at + length(bytes)) AS size FROM pieces WHERE path = ?').get(path)?.size as
        | number
        | null
        | undefined) ?? undefined;
    const add = (path: string, at: number, bytes: Uint8Array): void => {
      db().prepare('INSERT INTO pieces VALUES (?, ?, ?, ?)').run(path, at, bytes, Date.now());
    };
    const remove = (path: string, from = 0): void => {
      db().prepare('DELETE FROM pieces WHERE path = ? AND at >= ?').run(path, from);
    };

    ctx.contribute(sessionStorages, {
      id: 'sqlite',
      size: async (path) => sizeOf(path),
      readSync: (path, at, length) => between(path, at, at + length),
      async *read(path) {
        for (const { bytes } of pieces(path, 0, Number.MAX_SAFE_INTEGER)) yield bytes;
      },
      async append(path, fresh) {
        if (fresh && sizeOf(path) !== undefined) throw new Error(`there is a session ${path} already`);
        return {
          async write(bytes) {
            add(path, sizeOf(path) ?? 0, bytes);
            return bytes.length;
          },
          async truncate(size) {
            const kept = between(path, 0, size);
            remove(path);
            if (kept.length > 0) add(path, 0, kept);
          },
          // Every write is a transaction of its own, and on the disk when it is over.
          sync: async () => {},
          close: async () => {},
        };
      },
      async replace(path, content) {
        const parts: Buffer[] = [];
        for await (const part of content) parts.push(Buffer.from(part as string));
        db().exec('BEGIN');
        remove(path);
        add(path, 0, Buffer.concat(parts));
        db().exec('COMMIT');
      },
      async list(folder) {
        const found = db()
          .prepare('SELECT path, max(at + length(bytes)) AS size, max(ms) AS ms FROM pieces GROUP BY path')
          .all() as unknown as readonly { readonly path: string; readonly size: number; readonly ms: number }[];
        return found
          .filter(({ path }) => dirname(path) === folder)
          .map(({ path, size, ms }) => ({ path, size, modifiedMs: ms }));
      },
      remove: async (path) => remove(path),
    });
  },
});
