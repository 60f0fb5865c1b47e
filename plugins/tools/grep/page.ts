import { outputLimits, searching } from 'kern/contracts';
import type { Hits } from './query.ts';

export interface PageOptions {
  /** The first hit to show, from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly context: number;
  readonly shownPath: (path: string) => string;
  readonly accepts: (path: string) => boolean;
  readonly onGrow: () => void;
}

/** One page of hits, as the model reads it. */
export interface Page extends Hits {
  readonly text: string;
  /** Hits seen, those before the page included. */
  readonly seen: number;
  /** Hits on the page. */
  readonly shown: number;
  readonly files: number;
  /** There is at least one hit after the page. */
  readonly hasMore: boolean;
  readonly fullBy: 'limit' | 'size' | undefined;
  readonly hasCutLines: boolean;
  readonly binaries: readonly string[];
  /** Files with such lines on the page that it matters what encoding was guessed. */
  readonly decodings: readonly { readonly path: string; readonly encoding: string }[];
}

const beyondAscii = /[^\0-\x7f]/;
/** Only so many files are named in a notice. */
const mostNamed = 5;

export function createPage({ offset, limit, context, shownPath, accepts, onGrow }: PageOptions): Page {
  const lines: string[] = [];
  const binaries: string[] = [];
  const decodings: { path: string; encoding: string }[] = [];
  let bytes = 0;
  let seen = 0;
  let shown = 0;
  let files = 0;
  let hasMore = false;
  let hasCutLines = false;
  let fullBy: Page['fullBy'];
  let file = { path: '', isAccepted: false, isShown: false, hasForeign: false, name: '' };
  /** Lines that are shown if a hit follows soon enough. */
  let before: { readonly number: number; readonly text: string }[] = [];
  /** Context is shown up to here: as far as it belongs to the last hit that is shown. */
  let until = 0;

  const enter = (path: string): void => {
    file = { path, isAccepted: accepts(path), isShown: false, hasForeign: false, name: shownPath(path) };
    before = [];
    until = 0;
  };
  const formed = (number: number, text: string, isCut: boolean, mark: ':' | '-'): string => {
    const cut = searching.cutLine(text);
    const isShort = cut.isCut || isCut;
    hasCutLines ||= isShort;
    return `${file.name}${mark}${number}${mark} ${cut.text}${isShort ? '…' : ''}`;
  };
  /** All of them, or none where there is no room. */
  const add = (added: readonly string[]): boolean => {
    const size = added.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (bytes + size > outputLimits.bytes || lines.length + added.length > outputLimits.lines) return false;
    lines.push(...added);
    // Neither the name nor the mark of a cut says anything of what is in the file.
    file.hasForeign ||= added.some((line) => beyondAscii.test(line.slice(file.name.length).replace(/…$/, '')));
    bytes += size;
    return true;
  };
  const hit = (number: number, text: string, isCut: boolean): void => {
    const above = before.filter((line) => line.number >= number - context).map((line) => line.text);
    before = [];
    until = 0;
    seen += 1;
    if (seen < offset) return;
    if (shown === limit) fullBy ??= 'limit';
    const line = formed(number, text, isCut, ':');
    // The first hit is shown in any case, if need be without what is around it.
    if (fullBy === undefined && !add([...above, line]) && !(shown === 0 && add([line]))) fullBy = 'size';
    if (fullBy !== undefined) {
      hasMore = true;
      return;
    }
    shown += 1;
    until = number + context;
    if (!file.isShown) files += 1;
    file.isShown = true;
    onGrow();
  };

  return {
    line(path, number, isHit, text, isCut = false) {
      if (hasMore) return;
      if (path !== file.path) enter(path);
      if (!file.isAccepted) return;
      if (isHit) {
        hit(number, text, isCut);
      } else if (number <= until) {
        add([formed(number, text, isCut, '-')]);
      } else {
        before.push({ number, text: formed(number, text, isCut, '-') });
        if (before.length > context) before.shift();
      }
    },
    binary(path) {
      if (binaries.length < mostNamed && accepts(path)) binaries.push(shownPath(path));
    },
    decoded(path, encoding) {
      if (decodings.length < mostNamed && file.path === path && file.hasForeign)
        decodings.push({ path: shownPath(path), encoding });
    },
    get isDone() {
      return hasMore;
    },
    get text() {
      return lines.join('\n');
    },
    get seen() {
      return seen;
    },
    get shown() {
      return shown;
    },
    get files() {
      return files;
    },
    get hasMore() {
      return hasMore;
    },
    get fullBy() {
      return fullBy;
    },
    get hasCutLines() {
      return hasCutLines;
    },
    binaries,
    decodings,
  };
}
