import { isUtf8 } from 'node:buffer';
import type { Repair, SessionDiagnosis } from 'kern/contracts';
import { mayHaveBlobs } from './blob-references.ts';
import { EntryIndex, holeType, leafType } from './entry-index.ts';
import { type Head, headOf, headOfParsed } from './head.ts';
import { type Heading, headingOf, lostHeading } from './header.ts';
import { freeId } from './ids.ts';
import type { Line } from './lines.ts';
import { type BadPart, breakCycles, type LostParent, Mending } from './mend.ts';
import { segmentsOf } from './segments.ts';
import { isTooDeep, type LineSource, longestLine, parsedLine } from './source.ts';
import { traitsOf } from './traits.ts';
import { wellFormed } from './well-formed.ts';

/** One of these must be there where no header says that this is a session. */
const knownTypes: ReadonlySet<string> = new Set([
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'context_edit',
  'custom',
  'custom_message',
  'label',
  'session_info',
]);
/** What these say is wanted before anybody asks for an entry. */
const parsedTypes: ReadonlySet<string> = new Set(['session', 'title', 'label', 'session_info', 'title_change']);

const [closeBrace, nul] = [0x7d, 0];

/**
 * Reads the lines of a file once, in order, and makes the index of its entries. Most lines are not parsed: their first
 * bytes say where they belong. `isThorough` parses all, to find what a glance does not see.
 */
export class Scan {
  readonly index = new EntryIndex();
  readonly repairs: Repair[] = [];
  readonly bad: BadPart[] = [];
  /** By the id of the entry. */
  readonly labels = new Map<string, string>();
  /** The latest that was given; an empty one takes it away. */
  name: string | undefined;
  /** By what only one program writes; of parsed lines. */
  readonly traits = new Set<'kern' | 'pi' | 'oh-my-pi'>();
  /** Entries that may refer to blobs; of a thorough look. */
  readonly withBlobs: number[] = [];
  /** Behind the last whole line. */
  size = 0;
  needsNewline = false;
  isTorn = false;
  readonly #isThorough: boolean;
  readonly #file: string;
  readonly #source: LineSource;
  #heading: Heading | undefined;
  #title: string | undefined;
  #looksLikeSession = false;
  #hasContent = false;
  readonly #lost: LostParent[] = [];
  /** The last entry, if only its first bytes were looked at. */
  #unread: number | undefined;

  constructor(file: string, source: LineSource, isThorough: boolean) {
    this.#file = file;
    this.#source = source;
    this.#isThorough = isThorough;
  }

  get heading(): Heading {
    const heading = this.#heading ?? lostHeading(this.#file);
    return { ...heading, title: this.#title ?? heading.title };
  }

  get writer(): SessionDiagnosis['dialect'] {
    return (['oh-my-pi', 'kern', 'pi'] as const).find((program) => this.traits.has(program)) ?? 'unknown';
  }

  get hasHeader(): boolean {
    return this.#heading !== undefined;
  }

  /** Something is there, and it is neither a session nor what is left of one. */
  get isForeign(): boolean {
    return this.#heading === undefined && this.#hasContent && !this.#looksLikeSession;
  }

  line(given: Line): void {
    const end = given.at + given.length + (given.isEnded ? 1 : 0);
    if (given.last === undefined) {
      this.size = end;
      return;
    }
    const line = this.#trimmed(given);
    const isWhole = line !== undefined && this.#take(line);
    if (isWhole || given.isEnded) this.size = end;
    if (given.isEnded) return;
    this.isTorn = !isWhole;
    this.needsNewline = isWhole;
    if (isWhole) this.repair(given.number, 'no-final-newline', 'the last line is whole, but has no newline at its end');
  }

  /** All lines were there: what could not be settled on the way is settled now. */
  finish(): void {
    if (this.#unread !== undefined) this.verify(this.#unread);
    const mending = new Mending(this, this.bad);
    for (const lost of this.#lost) mending.settle(lost);
    if (mending.mayCycle) breakCycles(this);
    if (!this.hasHeader && !this.isForeign)
      this.repair(1, 'no-header', 'the session has no first line that says what it is; a new one is made');
  }

  /** Where the session goes on: -1 before the first entry. */
  leaf(): number {
    const isHole = (nth: number): boolean =>
      this.index.type(nth) === holeType || this.index.customType(nth) === holeType;
    const last = this.index.inOrder().findLast((nth) => !isHole(nth));
    if (last === undefined) return -1;
    return this.index.customType(last) === leafType ? this.index.parent(last) : last;
  }

  repair(line: number, kind: Repair['kind'], message: string): void {
    this.repairs.push({ line, kind, message });
  }

  /** Parses the line of an entry that was only glanced at. A broken one becomes a hole; what is whole behind it is added. */
  verify(nth: number): void {
    const { at, length, line } = this.index.place(nth);
    if (at === undefined || length > longestLine || this.index.type(nth) === holeType) return;
    const bytes = this.#source.read(at, length);
    if (parsedLine(bytes) !== undefined) return;
    const [first] = segmentsOf(bytes);
    if (first?.head === undefined) this.index.spoil(nth);
    else this.index.settle(nth, at, first.length);
    this.#broken({ number: line, at, isEnded: true }, bytes, true);
  }

  /** Gives an entry its place. Answers with its number. */
  add(head: Head, place: { readonly at: number; readonly length: number; readonly line: number }): number {
    const { index } = this;
    const isFirstVersion = this.#heading?.version === 1;
    const { parent, lost } = this.#parentOf(head, place.line, isFirstVersion);
    const id = this.#idOf(head, place.line, isFirstVersion);
    const nth = index.add(id, parent, head, place);
    if (head.id !== undefined && head.id !== id) index.alias(head.id, nth);
    if (lost !== undefined) this.#lost.push({ nth, parentId: lost });
    if (knownTypes.has(head.type) && head.id !== undefined) this.#looksLikeSession = true;
    return nth;
  }

  #parentOf(
    { id, parentId }: Head,
    line: number,
    isFirstVersion: boolean,
  ): { readonly parent: number; readonly lost?: string } {
    const before = this.index.size - 1;
    if (parentId === null) return { parent: -1 };
    if (parentId === undefined) {
      if (!isFirstVersion) this.repair(line, 'lost-parent', 'it names no parent: it follows the entry before it');
      return { parent: before };
    }
    const parent = this.index.meant(parentId);
    if (parent !== undefined) return { parent };
    if (parentId !== id) return { parent: before, lost: parentId };
    this.repair(line, 'parent-cycle', `it names itself (${id}) as its parent: it follows the entry before it`);
    return { parent: before };
  }

  /** Ids that have to be made are the same each time the file is opened: what is added later may name them. */
  #idOf({ id }: Head, line: number, isFirstVersion: boolean): string {
    if (id !== undefined && !this.index.has(id)) return id;
    const made = freeId(line, (taken) => this.index.has(taken));
    if (id !== undefined)
      this.repair(line, 'duplicate-id', `its id ${id} is that of an entry before it: it is ${made} now`);
    else if (!isFirstVersion) this.repair(line, 'missing-id', `it has no id: it is ${made} now`);
    return made;
  }

  /** Answers whether the line is whole. */
  #take(line: Line): boolean {
    this.#hasContent = true;
    const head = this.#glance(line);
    if (head !== undefined) {
      this.#unread = this.add(head, { at: line.at, length: line.length, line: line.number });
      return true;
    }
    if (line.length > longestLine) {
      this.bad.push({ line: line.number, at: line.at, length: line.length, head: headOf(line.head) });
      this.repair(line.number, 'too-long-line', `it has ${line.length} bytes: it is passed over`);
      return line.isEnded;
    }
    const bytes = line.head.length === line.length ? line.head : this.#source.read(line.at, line.length);
    const raw = parsedLine(bytes);
    if (raw === undefined) return this.#broken(line, bytes);
    if (isTooDeep(raw)) {
      this.bad.push({ line: line.number, at: line.at, length: line.length, head: headOfParsed(raw) });
      this.repair(line.number, 'bad-line', 'it is nested too deeply: it is passed over');
      return true;
    }
    if (this.#isThorough) this.#checkText(line.number, bytes, raw);
    for (const trait of traitsOf(raw)) this.traits.add(trait);
    this.#takeParsed(line, raw);
    if (this.#isThorough && mayHaveBlobs(bytes) && this.index.size > 0) this.withBlobs.push(this.index.size - 1);
    return true;
  }

  #glance(line: Line): Head | undefined {
    // With more than one parent it may be more than one entry.
    if (this.#isThorough || !line.isEnded || line.last !== closeBrace || line.words > 1) return undefined;
    const head = headOf(line.head);
    return head === undefined || parsedTypes.has(head.type) ? undefined : head;
  }

  #takeParsed(line: Line, raw: Record<string, unknown>): void {
    this.#unread = undefined;
    const head = headOfParsed(raw);
    if (head?.type === 'session') {
      this.#takeHeader(line, raw);
      return;
    }
    if (head?.type === 'title' && head.id === undefined) {
      if (typeof raw.title === 'string' && raw.title !== '') this.#title = raw.title;
      this.traits.add('oh-my-pi');
      return;
    }
    if (head === undefined) {
      this.bad.push({ line: line.number, at: line.at, length: line.length, head: undefined });
      this.repair(line.number, 'bad-line', 'it is no entry of a session: it says no type');
      return;
    }
    const nth = this.add(head, { at: line.at, length: line.length, line: line.number });
    if (head.type === 'session_info') this.name = typeof raw.name === 'string' ? raw.name : '';
    if (head.type === 'title_change' && typeof raw.title === 'string') this.name = raw.title;
    if (head.type === 'label') this.#label(raw, nth);
  }

  #takeHeader({ number, at, length }: Line, raw: Record<string, unknown>): void {
    if (this.#heading !== undefined) {
      this.bad.push({ line: number, at, length, head: undefined });
      this.repair(number, 'bad-line', 'it is a second header: the first one counts');
      return;
    }
    this.#heading = headingOf(raw, this.#file);
    const before = this.index.size;
    if (before === 0) return;
    this.repair(number, 'line-before-header', `the header comes after ${before} entries: they are read all the same`);
  }

  #label({ targetId, label }: Record<string, unknown>, nth: number): void {
    if (typeof targetId !== 'string') return;
    const meant = this.index.meant(targetId);
    const id = meant === undefined || meant === nth ? targetId : this.index.id(meant);
    if (typeof label === 'string' && label !== '') this.labels.set(id, label);
    else this.labels.delete(id);
  }

  /** A line that is not one entry. Answers whether what ends it is whole. `isKnown`: its first entry is in the index. */
  #broken(line: Pick<Line, 'number' | 'at' | 'isEnded'>, bytes: Buffer, isKnown = false): boolean {
    this.#unread = undefined;
    const segments = segmentsOf(bytes);
    for (const { from, length, head } of segments) {
      const place = { line: line.number, at: line.at + from, length };
      if (head === undefined) this.bad.push({ ...place, head: headOf(bytes.subarray(from, from + length)) });
      else if (from > 0 || !isKnown) this.add(head, place);
    }
    const whole = segments.filter(({ head }) => head !== undefined).length;
    if (whole > 0) {
      const what = whole === segments.length ? `${whole} entries` : `${whole} whole, and what was cut off`;
      this.repair(line.number, 'bad-line', `it holds more than one entry: ${what}`);
      return line.isEnded || segments.at(-1)?.head !== undefined;
    }
    if (isBeginning(bytes)) this.#looksLikeSession = true;
    if (line.isEnded) this.repair(line.number, 'bad-line', 'it is no JSON object: it is passed over');
    else
      this.repair(line.number, 'torn-line', `the last line was cut off after ${bytes.length} bytes: it is passed over`);
    return line.isEnded;
  }

  #checkText(line: number, bytes: Buffer, raw: Record<string, unknown>): void {
    if (!isUtf8(bytes)) this.repair(line, 'lone-surrogate', 'it holds bytes that are no UTF-8: they are read as �');
    else if (wellFormed(raw) !== raw)
      this.repair(line, 'lone-surrogate', 'it holds half of a character, which a model reads as �');
  }

  /** Without the mark that some editors put at the beginning, and without what a power loss leaves: blocks of NUL. */
  #trimmed(line: Line): Line | undefined {
    if (line.at === 0 && line.head[0] === 0xef && line.head[1] === 0xbb && line.head[2] === 0xbf)
      return this.#from(line, 3);
    if (line.head[0] !== nul) return line;
    const zeros = this.#zeros(line);
    if (zeros < line.length) {
      this.repair(
        line.number,
        'bad-line',
        `it begins with ${zeros} NUL bytes, as a power loss leaves them: what follows is read`,
      );
      return this.#from(line, zeros);
    }
    this.repair(
      line.number,
      line.isEnded ? 'bad-line' : 'torn-line',
      `it is ${zeros} NUL bytes, as a power loss leaves them`,
    );
    return undefined;
  }

  #from(line: Line, skipped: number): Line {
    const [at, length] = [line.at + skipped, line.length - skipped];
    const kept = line.head.subarray(skipped);
    const head =
      kept.length > 0 && line.head.length === line.length
        ? kept
        : this.#source.read(at, Math.min(length, line.head.length));
    return { ...line, at, length, head };
  }

  #zeros(line: Line): number {
    const block = 1024 * 1024;
    for (let from = 0; from < line.length; from += block) {
      const bytes = this.#source.read(line.at + from, Math.min(block, line.length - from));
      const found = bytes.findIndex((byte) => byte !== nul);
      if (found !== -1) return from + found;
    }
    return line.length;
  }
}

/** The first line of a session as far as it was written. */
function isBeginning(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, 64).replaceAll(' ', '');
  return ['{"type":"session"', '{"type":"title"'].some((start) => text.startsWith(start) || start.startsWith(text));
}
