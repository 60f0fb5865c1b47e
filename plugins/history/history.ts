import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PastPrompt, PromptHistory } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import { HistoryDatabase, isBusy, isUnwritable, type NewPrompt, Spoilt } from './database.ts';

/** What is longer was pasted, and is found in its session. */
const longest = 100_000;
/** With other processes that write all the time. */
const mostTries = 50;

export interface HistoryOptions {
  /** KERN_HOME. */
  readonly home: string;
  readonly settings: () => { readonly enabled: boolean; readonly maxEntries: number };
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Remembers prompts in `history.db`. SQLite is loaded and the file opened when the first one is written or asked for. */
export class FileHistory implements PromptHistory {
  readonly #options: HistoryOptions;
  readonly #file: string;
  #database: Promise<HistoryDatabase> | undefined;
  #waiting: NewPrompt[] = [];
  #writing: Promise<void> | undefined;
  /** Why there is no history here; said once. */
  #absence: string | undefined;
  #isClosed = false;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#file = path.join(options.home, 'history.db');
  }

  add(prompt: string, cwd?: string): void {
    const { enabled } = this.#options.settings();
    if (!enabled || this.#isClosed || this.#absence !== undefined) return;
    if (prompt.trim() === '' || prompt.length > longest) return;
    this.#waiting.push({ prompt, cwd, at: this.#options.now() });
    this.#writing ??= this.#write();
  }

  getRecent(limit: number, { cwd }: { readonly cwd?: string | undefined } = {}): Promise<readonly PastPrompt[]> {
    return this.#read((database) => database.recent(atMost(limit), cwd));
  }

  search(
    query: string,
    limit: number,
    { cwd }: { readonly cwd?: string | undefined } = {},
  ): Promise<readonly PastPrompt[]> {
    if (query.trim() === '') return this.getRecent(limit, { cwd });
    return this.#read((database) => database.search(query, atMost(limit), cwd));
  }

  async clear(): Promise<void> {
    await this.flush();
    await this.#use((database) => database.clear());
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    const database = await this.#database?.catch(() => undefined);
    this.#database = undefined;
    database?.close();
  }

  async #write(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const prompts = this.#waiting.splice(0);
      try {
        await this.#use((database) => database.add(prompts, this.#options.settings().maxEntries));
      } catch (error) {
        this.#options.warn(`a prompt is not remembered: ${messageOf(error)}`);
      }
    }
    this.#writing = undefined;
  }

  /** What was just added is found too. */
  async #read(read: (database: HistoryDatabase) => readonly PastPrompt[]): Promise<readonly PastPrompt[]> {
    await this.flush();
    if (this.#database === undefined && !existsSync(this.#file)) return [];
    return (await this.#use(read)) ?? [];
  }

  /** Works with the database; one that turns out spoilt is put away and begun anew. Undefined where there is no history. */
  async #use<T>(work: (database: HistoryDatabase) => T): Promise<T | undefined> {
    for (let tries = 0; this.#absence === undefined; tries++) {
      try {
        return work(await this.#open());
      } catch (error) {
        if (isBusy(error) && tries < mostTries) await sleep(20 + Math.random() * 100);
        else if (error instanceof Spoilt && tries < mostTries) await this.#begin(error);
        else if (isUnwritable(error)) this.#giveUp(error);
        else throw error;
      }
    }
    return undefined;
  }

  async #open(): Promise<HistoryDatabase> {
    // A file that another kern put away is not the one to go on with.
    if (this.#database !== undefined && !(await this.#database).isInPlace) await this.#forget();
    this.#database ??= HistoryDatabase.open(this.#file);
    this.#database.catch(() => {
      this.#database = undefined;
    });
    return this.#database;
  }

  async #forget(): Promise<void> {
    const old = this.#database;
    this.#database = undefined;
    (await old?.catch(() => undefined))?.close();
  }

  async #begin(cause: Spoilt): Promise<void> {
    await this.#forget();
    const time = new Date(this.#options.now()).toISOString().replaceAll(/[:.]/g, '-');
    const name = HistoryDatabase.setAside(this.#file, cause.inode, time);
    if (name === undefined) return;
    this.#options.warn(
      `the prompt history could not be read (${cause.message}): it is kept as ${name}, and begins anew`,
    );
  }

  #giveUp(error: unknown): void {
    this.#absence = messageOf(error);
    this.#options.warn(`prompts are not remembered: ${this.#file} cannot be written (${this.#absence})`);
  }
}

const atMost = (limit: number): number => Math.max(0, Math.min(Math.floor(limit), 10_000));
