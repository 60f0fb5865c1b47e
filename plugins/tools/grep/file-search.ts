import type { Matcher } from './matcher.ts';
import type { Hits } from './query.ts';

/** A file that is being searched, given piece by piece. */
export interface FileSearch {
  push(text: string): void;
  end(): void;
  readonly hasHits: boolean;
}

/** A longer line is searched in parts: it may be as long as the file. */
const longLine = 1024 * 1024;
/** What parts of a line have in common, so that a match across their border is found. */
const overlap = 64 * 1024;
/** Of a long line, what may be shown. */
const keptStart = 8 * 1024;

const beyondAscii = /[^\0-\x7f]/;

export interface FileSearchOptions {
  readonly path: string;
  readonly matcher: Matcher;
  readonly context: number;
  readonly hits: Hits;
}

/** Searches line by line. Of the file only the lines are held that may yet be shown beside a hit. */
export function searchLines({ path, matcher, context, hits }: FileSearchOptions): FileSearch {
  const lines = createLines(path, context, hits);
  let rest = '';
  let long: { readonly start: string; isHit: boolean } | undefined;

  /** The line that is being read has become too long to be held. */
  const shorten = (): void => {
    const from = long === undefined ? 0 : 1;
    long ??= { start: rest.slice(0, keptStart), isHit: false };
    long.isHit ||= matcher.isIn(rest, beyondAscii.test(rest), from, false);
    rest = rest.slice(-overlap);
  };
  const endLong = (end: string): void => {
    if (long === undefined) return;
    const line = end.replace(/\r$/, '');
    lines.add(long.start, long.isHit || matcher.isIn(line, beyondAscii.test(line), 1), true);
    long = undefined;
  };
  const block = (text: string): void => {
    const plain = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
    const unicode = beyondAscii.test(plain);
    if (!lines.isAfterHit && !matcher.mayBeIn(plain, unicode)) {
      lines.pass(plain);
      return;
    }
    for (const line of linesOf(plain)) {
      if (hits.isDone) return;
      lines.add(line, matcher.isIn(line, unicode));
    }
  };
  const complete = (text: string): void => {
    if (long === undefined) {
      block(text);
      return;
    }
    const first = text.indexOf('\n');
    endLong(text.slice(0, first));
    block(text.slice(first + 1));
  };

  return {
    push(text) {
      const end = text.lastIndexOf('\n');
      rest += end === -1 ? text : text.slice(0, end + 1);
      if (end !== -1) {
        const whole = rest;
        rest = text.slice(end + 1);
        complete(whole);
      }
      if (rest.length > longLine) shorten();
    },
    end() {
      if (long !== undefined) endLong(rest);
      else if (rest !== '') block(rest);
      rest = '';
    },
    get hasHits() {
      return lines.hasHits;
    },
  };
}

/** Hands lines on with their numbers: hits, and what is near them. */
function createLines(path: string, context: number, hits: Hits) {
  let number = 0;
  let hasHits = false;
  let before: { readonly number: number; readonly text: string; readonly isCut: boolean }[] = [];
  let after = 0;
  const wait = (text: string, isCut: boolean): void => {
    if (context === 0) return;
    before.push({ number, text, isCut });
    if (before.length > context) before.shift();
  };
  return {
    get hasHits(): boolean {
      return hasHits;
    },
    /** The line that comes now is shown, hit or not. */
    get isAfterHit(): boolean {
      return after > 0;
    },
    add(text: string, isHit: boolean, isCut = false): void {
      number += 1;
      if (isHit) {
        for (const line of before) hits.line(path, line.number, false, line.text, line.isCut);
        before = [];
        after = context;
        hasHits = true;
        hits.line(path, number, true, text, isCut);
      } else if (after > 0) {
        after -= 1;
        hits.line(path, number, false, text, isCut);
      } else {
        wait(text, isCut);
      }
    },
    /** Lines without a hit; only the last of them may be shown yet. */
    pass(text: string): void {
      const start = lastLines(text, context);
      for (let at = text.indexOf('\n'); at !== -1 && at < start; at = text.indexOf('\n', at + 1)) number += 1;
      for (const line of linesOf(text.slice(start))) {
        number += 1;
        wait(line, false);
      }
    },
  };
}

/** A text that ends with a line feed has no line after it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Where the last `count` lines of a text begin. */
function lastLines(text: string, count: number): number {
  if (count === 0) return text.length;
  let start = text.endsWith('\n') ? text.length : text.length + 1;
  // The place before a line is the end of the line above it.
  for (let left = count; left > 0 && start > 0; left -= 1)
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

/** Searches a whole text: a match may span lines, and all of them are hits. */
export function searchAcross({ path, matcher, context, hits }: FileSearchOptions): FileSearch {
  const parts: string[] = [];
  const lines = createLines(path, context, hits);
  const search = (text: string): void => {
    const spans = lineSpans(matcher.places(text, beyondAscii.test(text)), text);
    let span = spans.next();
    let number = 0;
    for (let at = 0; at < text.length && !hits.isDone; ) {
      const end = text.indexOf('\n', at);
      const line = text.slice(at, end === -1 ? text.length : end);
      at = end === -1 ? text.length : end + 1;
      number += 1;
      while (span.done !== true && span.value[1] < number) span = spans.next();
      lines.add(line, span.done !== true && span.value[0] <= number);
    }
  };
  return {
    push: (text) => void parts.push(text),
    end: () => search(parts.join('').replaceAll('\r\n', '\n')),
    get hasHits() {
      return lines.hasHits;
    },
  };
}

/** Of each match the first and the last line it touches, from 1. */
function* lineSpans(
  places: Iterable<readonly [from: number, to: number]>,
  text: string,
): Generator<readonly [first: number, last: number]> {
  let number = 1;
  let next = text.indexOf('\n');
  const lineOf = (place: number): number => {
    while (next !== -1 && next < place) {
      number += 1;
      next = text.indexOf('\n', next + 1);
    }
    return number;
  };
  for (const [from, to] of places) {
    // After the last line feed there is no line to show.
    if (from === text.length && from > 0 && text.endsWith('\n')) return;
    const first = lineOf(from);
    yield [first, lineOf(Math.max(from, to - 1))];
  }
}
