/** A line as it came by. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Where it begins in the file, and how long it is without its newline. */
  readonly at: number;
  readonly length: number;
  /** A newline follows: else it is the last, and was perhaps cut off. */
  readonly isEnded: boolean;
  /** Its first bytes: all of them where that is no more than what is kept. */
  readonly head: Buffer;
  /** Its last byte that is no blank; undefined for an empty line. */
  readonly last: number | undefined;
  /** How often the word that is looked for stands in it. */
  readonly words: number;
}

const newline = 0x0a;

/**
 * Cuts what comes in pieces into lines. Of a line no more than `keep` bytes are held, however long it is, so that a
 * file may be larger than memory.
 */
export class LineSplitter {
  readonly #keep: number;
  readonly #onLine: (line: Line) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #length = 0;
  #last: number | undefined;
  /** The end of what came last, where a word may have begun. */
  #tail: Buffer = Buffer.alloc(0);
  #words = 0;
  #at: number;
  #number = 0;
  readonly #word: Buffer | undefined;

  /** `at`: where in the file the pieces begin. `word`: what is counted in each line. */
  constructor(
    keep: number,
    onLine: (line: Line) => void,
    options: { readonly at?: number | undefined; readonly word?: string | undefined } = {},
  ) {
    this.#keep = keep;
    this.#onLine = onLine;
    this.#at = options.at ?? 0;
    this.#word = options.word === undefined ? undefined : Buffer.from(options.word);
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#join(bytes);
    let word = this.#find(bytes, 0);
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(newline, from);
      const to = end === -1 ? bytes.length : end;
      // The piece is searched as a whole: a search for each line would take three times as long.
      for (; word < to; word = this.#find(bytes, word + 1)) this.#words += 1;
      if (end === -1) {
        this.#hold(bytes.subarray(from));
        return;
      }
      if (this.#length === 0) this.#emit(bytes.subarray(from, end), true);
      else {
        this.#hold(bytes.subarray(from, end));
        this.#emitHeld(true);
      }
      from = end + 1;
    }
  }

  #find(bytes: Buffer, from: number): number {
    const found = this.#word === undefined ? -1 : bytes.indexOf(this.#word, from);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  }

  /** A word that begins in one piece and ends in the next. */
  #join(bytes: Buffer): void {
    if (this.#word === undefined || this.#length === 0) return;
    const joint = Buffer.concat([this.#tail, bytes.subarray(0, this.#word.length - 1)]);
    if (joint.includes(this.#word)) this.#words += 1;
  }

  /** What is left is the last line. */
  end(): void {
    if (this.#length > 0) this.#emitHeld(false);
  }

  /** Copies: whoever sends the pieces may use their memory again. */
  #hold(bytes: Buffer): void {
    const room = this.#keep - this.#heldBytes;
    if (room > 0) {
      const part = Buffer.from(bytes.subarray(0, room));
      this.#held.push(part);
      this.#heldBytes += part.length;
    }
    this.#length += bytes.length;
    this.#last = lastByte(bytes) ?? this.#last;
    if (this.#word !== undefined)
      this.#tail = Buffer.concat([this.#tail, bytes.subarray(-this.#word.length)]).subarray(1 - this.#word.length);
  }

  #emit(line: Buffer, isEnded: boolean): void {
    this.#tell(line.subarray(0, this.#keep), line.length, lastByte(line), isEnded);
  }

  #emitHeld(isEnded: boolean): void {
    const head = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    const [length, last] = [this.#length, this.#last];
    this.#held = [];
    this.#heldBytes = 0;
    this.#length = 0;
    this.#last = undefined;
    this.#tail = Buffer.alloc(0);
    this.#tell(head, length, last, isEnded);
  }

  #tell(head: Buffer, length: number, last: number | undefined, isEnded: boolean): void {
    const [at, words] = [this.#at, this.#words];
    this.#number += 1;
    this.#words = 0;
    this.#at += length + (isEnded ? 1 : 0);
    this.#onLine({ number: this.#number, at, length, isEnded, head, last, words });
  }
}

function lastByte(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return byte;
  }
  return undefined;
}
