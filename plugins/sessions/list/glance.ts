import type { SessionStorage } from 'kern/contracts';
import { type Head, headOf, headOfParsed } from '../read/head.ts';
import { headingOf, lostHeading } from '../read/header.ts';
import { type Line, LineSplitter } from '../read/lines.ts';
import { blocksOf, isRaw } from '../read/message.ts';
import { LineSource, longestLine, parsedLine } from '../read/source.ts';
import type { Indexed } from './indexed.ts';

export interface ListedFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

const glanceBytes = 4 * 1024;
const windowBytes = 512 * 1024;
/** As many bytes before the place where reading goes on are compared. */
const compared = 48;
/** A file in which nothing has looked like a session by now is none. */
const patience = 64 * 1024;
const longestFirst = 400;

/** What a list says of a file. Of one that is known and has only grown no more is read than what was added. */
export function glance(
  storage: Pick<SessionStorage, 'readSync'>,
  file: ListedFile,
  known: Indexed | undefined,
): Indexed {
  const source = new LineSource(storage, file.path);
  const from = known !== undefined && hasOnlyGrown(known, file, source) ? known : undefined;
  const seen = new Seen(file.path, source, from);
  const splitter = new LineSplitter(glanceBytes, (line) => seen.line(line), { at: from?.at });
  for (let at = from?.at ?? 0; at < file.size && !seen.isNone(at); ) {
    const bytes = source.read(at, Math.min(windowBytes, file.size - at));
    if (bytes.length === 0) break;
    splitter.push(bytes);
    at += bytes.length;
  }
  splitter.end();
  return seen.result(file);
}

function hasOnlyGrown({ isNone, at, before }: Indexed, { size }: ListedFile, source: LineSource): boolean {
  if (isNone === true || size < at) return false;
  return bytesBefore(at, source) === before;
}

function bytesBefore(at: number, source: LineSource): string {
  const from = Math.max(0, at - compared);
  return source.read(from, at - from).toString('base64');
}

/** What was seen so far of one file. */
class Seen {
  readonly #file: string;
  readonly #source: LineSource;
  #hasHeader: boolean;
  #hasEntry: boolean;
  #found: Pick<Indexed, 'id' | 'name' | 'cwd' | 'created' | 'last' | 'firstMessage' | 'parentSession'>;
  #messages: number;
  #tail: 0 | 1 = 0;
  #at: number;

  constructor(file: string, source: LineSource, known: Indexed | undefined) {
    const { header } = lostHeading(file);
    this.#file = file;
    this.#source = source;
    this.#hasHeader = known !== undefined;
    this.#hasEntry = known !== undefined;
    this.#found = known ?? { id: header.id, name: '', cwd: '', created: header.timestamp, last: '', firstMessage: '' };
    this.#messages = known?.messages ?? 0;
    this.#at = known?.at ?? 0;
  }

  isNone(at: number): boolean {
    return !this.#hasHeader && !this.#hasEntry && at >= patience;
  }

  result({ size, modifiedMs }: ListedFile): Indexed {
    const isNone = !this.#hasHeader && !this.#hasEntry;
    return {
      // What was known before says the size of then.
      ...this.#found,
      size,
      modifiedMs,
      ...(isNone ? { isNone } : {}),
      at: this.#at,
      before: bytesBefore(this.#at, this.#source),
      messages: this.#messages,
      tail: this.#tail,
    };
  }

  line(line: Line): void {
    if (line.isEnded) this.#at = line.at + line.length + 1;
    if (line.last === undefined) return;
    const head = line.isEnded ? headOf(line.head) : undefined;
    const isPlain = head !== undefined && !parsedTypes.has(head.type);
    if (isPlain && (head.role !== 'user' || this.#found.firstMessage !== '')) {
      this.#count(head, line.isEnded);
      return;
    }
    const raw = line.length > longestLine ? undefined : parsedLine(trimmed(this.#source.read(line.at, line.length)));
    const parsed = raw === undefined ? undefined : headOfParsed(raw);
    if (raw !== undefined && parsed !== undefined) this.#take(parsed, raw, line.isEnded);
  }

  #take(head: Head, raw: Record<string, unknown>, isEnded: boolean): void {
    const { title, name, message } = raw;
    if (head.type === 'session' && !this.#hasHeader) {
      const { header, title: named } = headingOf(raw, this.#file);
      const { id, cwd, timestamp, parentSession } = header;
      this.#hasHeader = true;
      const last = this.#found.last === '' ? timestamp : this.#found.last;
      const own = { ...this.#found, id, cwd, created: timestamp, last, name: this.#found.name || (named ?? '') };
      this.#found = parentSession === undefined ? own : { ...own, parentSession };
      return;
    }
    if (head.type === 'session_info') this.#found = { ...this.#found, name: typeof name === 'string' ? name : '' };
    if (head.type === 'title' || head.type === 'title_change')
      this.#found = { ...this.#found, name: typeof title === 'string' ? title : '' };
    if (head.type === 'title') return;
    this.#count(head, isEnded);
    if (head.role === 'user' && this.#found.firstMessage === '' && isRaw(message))
      this.#found = { ...this.#found, firstMessage: firstText(message.content) };
  }

  #count({ type, id, role, timestamp }: Head, isEnded: boolean): void {
    if (id !== undefined && (type === 'message' || type === 'model_change')) this.#hasEntry = true;
    // Lines of one moment come often: the record is made anew only when there is something new.
    if (timestamp !== undefined && timestamp !== this.#found.last) this.#found = { ...this.#found, last: timestamp };
    if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return;
    if (isEnded) this.#messages += 1;
    else this.#tail = 1;
  }
}

/** Without a byte order mark, and without the zeros of a power loss. */
function trimmed(line: Buffer): Buffer {
  const begin = line.indexOf(0x7b);
  return begin > 0 && line.subarray(0, begin).every((byte) => [0, 0xef, 0xbb, 0xbf].includes(byte))
    ? line.subarray(begin)
    : line;
}

const parsedTypes: ReadonlySet<string> = new Set(['session', 'title', 'session_info', 'title_change']);

function firstText(content: unknown): string {
  const text = blocksOf(content).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return text.join('\n').trim().slice(0, longestFirst).toWellFormed();
}
