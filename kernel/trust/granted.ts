import { readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../error.ts';
import { ensureHome, readPrivate, writePrivate } from '../home.ts';
import type { Lines } from './ledger.ts';

/** The texts of what was granted, by their part. */
export type GrantedTexts = ReadonlyMap<string, string>;

/**
 * Keeps what was granted as a person saw it, so that a later change can be shown. A file a content, in `trust/` of the
 * home; the gate itself never reads it.
 */
export class GrantedTextsStore {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  get #folder(): string {
    return path.join(this.#home, 'trust');
  }

  #file(sha256: string): string {
    return path.join(this.#folder, `${sha256}.json`);
  }

  async keep(sha256: string, texts: GrantedTexts): Promise<void> {
    if (texts.size === 0) return;
    await ensureHome(this.#folder);
    await writePrivate(this.#file(sha256), `${JSON.stringify(Array.from(texts))}\n`);
  }

  /** `undefined`: it was not kept, or cannot be read. */
  async read(sha256: string): Promise<GrantedTexts | undefined> {
    if (!isHash(sha256)) return undefined;
    try {
      const text = await readPrivate(this.#file(sha256));
      const pairs: unknown = text === undefined ? undefined : JSON.parse(text);
      return Array.isArray(pairs) && pairs.every(isPair) ? new Map(pairs) : undefined;
    } catch {
      return undefined; // a difference that cannot be shown is still told by its parts
    }
  }

  /** Forgets what no line of the ledger speaks of any more. */
  async tidy(lines: Lines): Promise<void> {
    const wanted = new Set(Array.from(lines.values(), ({ sha256 }) => `${sha256}.json`));
    const names = await readdir(this.#folder).catch((thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    for (const name of names)
      if (isHash(name.slice(0, -'.json'.length)) && !wanted.has(name))
        await unlink(path.join(this.#folder, name)).catch(() => undefined); // another was faster
  }
}

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string');
}
