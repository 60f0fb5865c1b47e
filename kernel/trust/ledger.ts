import { lstatSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, KernError } from '../error.ts';
import { ensureHome, readPrivate, writePrivate } from '../home.ts';
import { withLock } from './lock.ts';

/** What a person decided about one item of one project. */
export interface LedgerLine {
  /** The real path of the project. */
  readonly root: string;
  readonly kind: string;
  readonly id: string;
  readonly decision: 'trusted' | 'denied';
  /** The content it was about. */
  readonly sha256: string;
  readonly at: string;
  /** Its parts, to say later what has changed. Pairs, since a name may be any text. */
  readonly parts: readonly (readonly [name: string, hash: string])[];
}

/** All decisions, by root, kind and id. */
export type Lines = ReadonlyMap<string, LedgerLine>;

/** One key for three texts; no two items share one, whatever characters are in them. */
export function lineKey(line: { readonly root: string; readonly kind: string; readonly id: string }): string {
  return JSON.stringify([line.root, line.kind, line.id]);
}

/** The ledger of all projects, `trust.json`. Several processes read and write it. */
export class Ledger {
  readonly file: string;
  readonly #home: string;
  readonly #problems: string[] = [];
  #read: { readonly stamp: string; readonly lines: Lines } | undefined;

  constructor(home: string) {
    this.#home = home;
    this.file = path.join(home, 'trust.json');
  }

  /** What was wrong with the file, for the person to see. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The decisions as they are on disk now. Throws where the file may have been written by someone else. */
  async lines(): Promise<Lines> {
    const stamp = stampOf(this.file);
    if (this.#read?.stamp === stamp) return this.#read.lines;
    const lines = (await this.#parse()) ?? (await this.#setAside());
    this.#read = { stamp, lines };
    return lines;
  }

  /** Changes the decisions, based on what is on disk at that moment. */
  async change(edit: (lines: Map<string, LedgerLine>) => void): Promise<void> {
    await ensureHome(this.#home);
    await this.#locked(async () => {
      const lines = new Map((await this.#parse()) ?? (await this.#moveAway()));
      edit(lines);
      const sorted = Array.from(lines.values()).toSorted((a, b) => (lineKey(a) < lineKey(b) ? -1 : 1));
      const text = sorted.map((line) => `\n    ${JSON.stringify(line)}`).join(',');
      await writePrivate(this.file, `{\n  "version": 1,\n  "lines": [${text}${text === '' ? '' : '\n  '}]\n}\n`);
      this.#read = undefined;
    });
  }

  /** `undefined`: there is a file, and it is no ledger. */
  async #parse(): Promise<Lines | undefined> {
    const text = await readPrivate(this.file);
    if (text === undefined) return new Map();
    let content: { version?: unknown; lines?: unknown };
    try {
      content = JSON.parse(text) as typeof content;
    } catch {
      return undefined;
    }
    if (typeof content === 'object' && content !== null && typeof content.version === 'number' && content.version > 1) {
      throw new KernError('ledger_newer', `${this.file} was written by a newer kern (version ${content.version}).`, {
        hint: 'Update kern, or move the file away.',
      });
    }
    if (content?.version !== 1 || !Array.isArray(content.lines) || !content.lines.every(isLine)) return undefined;
    return new Map(content.lines.map((line) => [lineKey(line), line]));
  }

  async #setAside(): Promise<Lines> {
    return this.#locked(async () => (await this.#parse()) ?? (await this.#moveAway()));
  }

  /** A ledger that cannot be read grants nothing, and is kept for a person to look at. */
  async #moveAway(): Promise<Lines> {
    const away = `${this.file}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await rename(this.file, away).catch((cause: unknown) => {
      if (codeOf(cause) !== 'ENOENT') throw cause;
    });
    this.#problems.push(
      `the trust ledger could not be read and is now ${away}: nothing is trusted until it is granted again`,
    );
    return new Map();
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return withLock(`${this.file}.lock`, work);
  }
}

/** Changes whenever the file is replaced. */
function stampOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

function isLine(value: unknown): value is LedgerLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Partial<Record<keyof LedgerLine, unknown>>;
  const texts = [line.root, line.kind, line.id, line.sha256, line.at].every((one) => typeof one === 'string');
  return (
    texts &&
    (line.decision === 'trusted' || line.decision === 'denied') &&
    Array.isArray(line.parts) &&
    line.parts.every(isPart)
  );
}

function isPart(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string');
}
