import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PastPrompt } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import { matchOf } from './query.ts';

/** What a newer kern changed in it would be another number. */
const schemaVersion = 1;

const schema = `
CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL, created_at INTEGER NOT NULL, cwd TEXT);
CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER history_added AFTER INSERT ON history BEGIN
  INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;
CREATE TRIGGER history_gone AFTER DELETE ON history BEGIN
  INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
END;
PRAGMA user_version = ${schemaVersion};
`;

/** A prompt that waits for being written. */
export interface NewPrompt {
  readonly prompt: string;
  readonly cwd: string | undefined;
  readonly at: number;
}

interface Row {
  readonly id: number;
  readonly prompt: string;
  readonly created_at: number;
  readonly cwd: string | null;
}

/** What is in the file is no history of ours, or none any more. */
export class Spoilt extends Error {
  /** Which file it was. */
  readonly inode: number;
  constructor(message: string, inode: number, cause?: unknown) {
    super(message, { cause });
    this.inode = inode;
  }
}

/** How long a call may wait for another process, and nothing else happens here; whoever calls tries again. */
const busyMs = 100;

/** The open file. Its calls are synchronous and short. */
export class HistoryDatabase {
  readonly #db: DatabaseSync;
  readonly #file: string;
  /** Which file it is, whatever stands under its name later. */
  readonly #inode: number;

  private constructor(db: DatabaseSync, file: string, inode: number) {
    this.#db = db;
    this.#file = file;
    this.#inode = inode;
  }

  /** Throws `Spoilt` for what has to be set aside. */
  static async open(file: string): Promise<HistoryDatabase> {
    const { DatabaseSync } = await import('node:sqlite');
    // Made before SQLite would make it, so that nobody else can read it from the first moment.
    const handle = openSync(file, 'a', 0o600);
    const { ino } = fstatSync(handle);
    closeSync(handle);
    const db = new DatabaseSync(file, { timeout: busyMs });
    const opened = new HistoryDatabase(db, file, ino);
    try {
      opened.#prepare();
      return opened;
    } catch (error) {
      opened.close();
      throw isSpoilt(error, [codes.error]) ? new Spoilt(messageOf(error), ino, error) : error;
    }
  }

  #prepare(): void {
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const version = Number(this.#db.prepare('PRAGMA user_version').get()?.user_version);
      const isEmpty = this.#db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0;
      if (isEmpty) this.#db.exec(schema);
      else if (version !== schemaVersion) throw this.#spoilt(`its schema is ${version}, and not ${schemaVersion}`);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    // Tables of others under our number.
    this.#db
      .prepare('SELECT id, prompt, created_at, cwd FROM history, (SELECT rowid FROM history_fts LIMIT 1) LIMIT 1')
      .get();
    const { quick_check: found } = this.#db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (found !== 'ok') throw this.#spoilt(found);
  }

  #spoilt(message: string, cause?: unknown): Spoilt {
    return new Spoilt(message, this.#inode, cause);
  }

  /** Adds them in one step, and forgets the oldest beyond `most`. */
  add(prompts: readonly NewPrompt[], most: number): void {
    this.#work(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const last = this.#db.prepare('SELECT prompt FROM history WHERE cwd IS ? ORDER BY id DESC LIMIT 1');
        const insert = this.#db.prepare('INSERT INTO history (prompt, created_at, cwd) VALUES (?, ?, ?)');
        for (const { prompt, cwd = null, at } of prompts)
          if (last.get(cwd)?.prompt !== prompt) insert.run(prompt, at, cwd);
        this.#db
          .prepare('DELETE FROM history WHERE id <= (SELECT id FROM history ORDER BY id DESC LIMIT 1 OFFSET ?)')
          .run(most);
        this.#db.exec('COMMIT');
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  recent(limit: number, cwd: string | undefined): readonly PastPrompt[] {
    const where = cwd === undefined ? '' : 'WHERE cwd = ?';
    return this.#rows(`SELECT * FROM history ${where} ORDER BY id DESC LIMIT ?`, cwd === undefined ? [] : [cwd], limit);
  }

  search(query: string, limit: number, cwd: string | undefined): readonly PastPrompt[] {
    const here = cwd === undefined ? '' : 'AND cwd = ?';
    const more = cwd === undefined ? [] : [cwd];
    const match = matchOf(query);
    const byWords =
      match === undefined
        ? []
        : this.#rows(
            `SELECT * FROM history WHERE id IN (SELECT rowid FROM history_fts WHERE history_fts MATCH ?) ${here} ORDER BY id DESC LIMIT ?`,
            [match, ...more],
            limit,
          );
    if (byWords.length >= limit) return byWords;
    // The middle of words, scripts without spaces, and signs that are no words.
    const known = new Set(byWords.map(({ id }) => id));
    const byText = this.#rows(
      `SELECT * FROM history WHERE instr(lower(prompt), lower(?)) > 0 ${here} ORDER BY id DESC LIMIT ?`,
      [query.trim(), ...more],
      limit,
    ).filter(({ id }) => !known.has(id));
    return [...byWords, ...byText].sort((a, b) => b.id - a.id).slice(0, limit);
  }

  clear(): void {
    // And none of it lingers in free pages, the index or the log.
    const all = `DELETE FROM history; INSERT INTO history_fts(history_fts) VALUES ('rebuild'); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);`;
    this.#work(() => this.#db.exec(all));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  /** Puts the file away, with what belongs to it, unless another process was quicker. Answers with its new name. */
  static setAside(file: string, inode: number, time: string): string | undefined {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino !== inode) return undefined;
    const name = `${file}.corrupt-${time}`;
    renameSync(file, name);
    for (const part of ['-wal', '-shm']) {
      if (statSync(`${file}${part}`, { throwIfNoEntry: false }) !== undefined)
        renameSync(`${file}${part}`, `${name}${part}`);
    }
    return name;
  }

  /** The file under the name is still the one that is open. */
  get isInPlace(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  #rows(sql: string, values: readonly SQLInputValue[], limit: number): readonly PastPrompt[] {
    return this.#work(() =>
      (this.#db.prepare(sql).all(...values, limit) as unknown as readonly Row[]).map(
        ({ id, prompt, created_at, cwd }) => ({
          id,
          prompt,
          cwd: cwd ?? undefined,
          createdAt: new Date(created_at).toISOString(),
        }),
      ),
    );
  }

  #work<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isSpoilt(error) ? this.#spoilt(messageOf(error), error) : error;
    }
  }
}

/** The result codes of SQLite: the low byte tells the kind. */
const codes = { error: 1, busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, cannotOpen: 14, notADatabase: 26 };
const shortRead = 522;

function codeOfSqlite(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code : undefined;
}

/** Torn, or no database at all. */
function isSpoilt(error: unknown, more: readonly number[] = []): boolean {
  if (error instanceof Spoilt) return true;
  const code = codeOfSqlite(error);
  if (code === undefined) return false;
  return [codes.corrupt, codes.notADatabase, ...more].includes(code & 0xff) || code === shortRead;
}

/** Another process writes. */
export function isBusy(error: unknown): boolean {
  const code = codeOfSqlite(error);
  return code !== undefined && [codes.busy, codes.locked].includes(code & 0xff);
}

/** There is no writing here: a read-only home, or none. */
export function isUnwritable(error: unknown): boolean {
  const code = codeOfSqlite(error);
  if (code !== undefined) return [codes.readOnly, codes.cannotOpen].includes(code & 0xff);
  return ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(
    String((error as { code?: unknown } | undefined)?.code),
  );
}
