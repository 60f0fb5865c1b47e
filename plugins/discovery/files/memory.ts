import { basename, dirname } from 'node:path';
import type { Head } from '../contract.ts';

/** What a file held at one time. */
export interface Version {
  readonly mark: string;
  readonly text: string;
  /** Written so short a time before it was read that the next write may leave the same mark. */
  readonly isRecent: boolean;
  head: Head | undefined;
  /** Undefined: nobody has judged it yet. */
  verdict: 'good' | 'bad' | undefined;
  /** Good, and nothing in it was found to be wrong. */
  isWhole: boolean;
}

/** What of a file is no use. Without a text it could not even be read. */
interface Refused {
  readonly mark: string;
  readonly text: string | undefined;
  readonly why: string;
}

interface Known {
  last: Version | undefined;
  /** What counts: the last version that could be used. */
  good: Version | undefined;
  /** What counted before it, should something turn out to be wrong with that. */
  prior: Version | undefined;
  refused: Refused | undefined;
  size: number;
}

/** How much text is remembered. */
const room = 8 * 1024 * 1024;

/**
 * What files held when they were read last, so that an unchanged one costs a look and no more; and what they held when
 * they could be used last, so that a slip of the pen takes nothing away.
 */
export class Memory {
  readonly #known = new Map<string, Known>();
  readonly #inFolder = new Map<string, Set<string>>();
  #size = 0;

  /** What was read at this mark, where the mark tells it from what may be there now. */
  version(path: string, mark: string): Version | undefined {
    const last = this.#known.get(path)?.last;
    return last?.mark === mark && !last.isRecent ? last : undefined;
  }

  /** A file was read. What is known of a text that it held before is known of it now. */
  read(path: string, { mark, text, isRecent }: Pick<Version, 'mark' | 'text' | 'isRecent'>): Version {
    const known = this.#at(path);
    const { last } = known;
    if (last?.mark === mark && last.text === text && last.isRecent === isRecent) return last;
    const same = [last, known.good].find((version) => version?.text === text);
    const version: Version = {
      mark,
      text,
      isRecent,
      head: same?.head,
      verdict: same?.verdict,
      isWhole: same?.isWhole ?? false,
    };
    known.last = version;
    if (known.good?.text === text) known.good = version;
    this.#measure(path, known);
    return version;
  }

  /** It can be used: from now on it is what counts. */
  accept(path: string, version: Version): void {
    if (version.verdict === 'good') return;
    const known = this.#at(path);
    version.verdict = 'good';
    version.isWhole = true;
    known.prior = known.good?.isWhole === true ? known.good : undefined;
    known.good = version;
    known.refused = undefined;
    this.#measure(path, known);
  }

  /** It cannot be used. Answers with what goes on to count; undefined where nothing does. */
  refuse(path: string, what: Pick<Version, 'mark'> & { readonly text?: string }, why: string): Version | undefined {
    const known = this.#at(path);
    if (what.text !== undefined && known.last?.text === what.text) known.last.verdict = 'bad';
    if (what.text !== undefined && known.good?.text === what.text) known.good = takePrior(known);
    if (known.good !== undefined) known.refused = { mark: what.mark, text: what.text, why };
    this.#measure(path, known);
    return known.good;
  }

  /** Something in the version that counts cannot be used. True: what counted before it does so again. */
  refusePart(path: string, why: string): boolean {
    const known = this.#known.get(path);
    if (known?.good === undefined) return false;
    const { good, prior } = known;
    if (prior === undefined) {
      good.isWhole = false;
      return false;
    }
    known.good = takePrior(known);
    known.refused = { mark: good.mark, text: good.text, why };
    this.#measure(path, known);
    return true;
  }

  /** Why a version does not count, and what does in its place. */
  instead(path: string, { text, mark }: Version): { readonly why: string; readonly good: Version } | undefined {
    const known = this.#known.get(path);
    if (known?.good === undefined || known.refused?.text !== text) return undefined;
    // The same again, saved once more.
    known.refused = { ...known.refused, mark };
    return { why: known.refused.why, good: known.good };
  }

  /** What tells that which counts from what counted before. */
  markOf(path: string, mark: string): string {
    const known = this.#known.get(path);
    return known?.good !== undefined && known.refused?.mark === mark ? known.good.mark : mark;
  }

  /** It is not there: what it held counts no more, also should it come back. */
  forget(path: string): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    this.#known.delete(path);
    this.#size -= known.size;
    const folder = dirname(path);
    const inside = this.#inFolder.get(folder);
    inside?.delete(path);
    if (inside?.size === 0) this.#inFolder.delete(folder);
  }

  /** What is not in a folder any more. */
  forgetBut(folder: string, isThere: (name: string) => boolean): void {
    for (const path of this.#inFolder.get(folder) ?? []) if (!isThere(basename(path))) this.forget(path);
  }

  #at(path: string): Known {
    return this.#known.get(path) ?? { last: undefined, good: undefined, prior: undefined, refused: undefined, size: 0 };
  }

  #measure(path: string, known: Known): void {
    const versions = new Set([known.last, known.good, known.prior]);
    const size = [...versions].reduce((sum, version) => sum + (version?.text.length ?? 0), 0);
    this.forget(path);
    if (size > room / 4) return;
    known.size = size;
    this.#known.set(path, known);
    this.#size += size;
    const inside = this.#inFolder.get(dirname(path)) ?? new Set();
    this.#inFolder.set(dirname(path), inside.add(path));
    for (const oldest of this.#known.keys()) {
      if (this.#size <= room) return;
      this.forget(oldest);
    }
  }
}

function takePrior(known: Known): Version | undefined {
  const { prior } = known;
  known.prior = undefined;
  return prior;
}
