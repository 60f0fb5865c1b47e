/** What tells an entry its place, read without parsing the rest. */
export interface Head {
  readonly type: string;
  readonly id: string | undefined;
  /** Undefined: there is none, which is not the same as null. */
  readonly parentId: string | null | undefined;
  readonly timestamp: string | undefined;
  readonly customType: string | undefined;
  /** Of a message. */
  readonly role: string | undefined;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The head of a line by its first bytes. Undefined where that is not certain: an escape in a key or an id, something
 * missing, a head that is longer than the bytes; then the line has to be parsed.
 */
export function headOf(bytes: Buffer): Head | undefined {
  return new Scanner(bytes).head();
}

/** The same of a line that is parsed. Undefined for what is no entry at all. */
export function headOfParsed(raw: Readonly<Record<string, unknown>>): Head | undefined {
  const { type, id, parentId, timestamp, customType, message } = raw;
  if (typeof type !== 'string' || type === '') return undefined;
  const role = typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
  return {
    type,
    id: typeof id === 'string' && id !== '' ? id : undefined,
    parentId: typeof parentId === 'string' || parentId === null ? parentId : undefined,
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    customType: typeof customType === 'string' ? customType : undefined,
    role: typeof role === 'string' ? role : undefined,
  };
}

const atEnd = -1;

class Scanner {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  head(): Head | undefined {
    let type: string | undefined;
    let id: string | undefined;
    let parentId: string | null | undefined;
    let timestamp: string | undefined;
    let customType: string | undefined;
    let role: string | undefined;
    if (this.#next() !== openBrace) return undefined;
    for (this.#at += 1; ; this.#at += 1) {
      const key = this.#key();
      if (key === undefined) return undefined;
      const first = this.#next();
      let isInMessage = false;
      if (key === 'message') {
        if (first !== openBrace) return undefined;
        role = this.#role();
        if (role === undefined) return undefined;
        isInMessage = true;
      } else if (wanted.has(key)) {
        if (first === quote) {
          const text = this.#text();
          if (text === undefined) return undefined;
          if (key === 'type') type = text;
          else if (key === 'id') id = text;
          else if (key === 'parentId') parentId = text;
          else if (key === 'timestamp') timestamp = text;
          else customType = text;
        } else if (key === 'parentId' && this.#isNull()) parentId = null;
        else return undefined;
      } else if (!this.#skip()) return undefined;
      if (type !== undefined && id !== undefined && id !== '' && parentId !== undefined && timestamp !== undefined) {
        const isWhole =
          type === 'message' ? role !== undefined : !type.startsWith('custom') || customType !== undefined;
        if (isWhole) return { type, id, parentId, timestamp, customType, role };
      }
      if (isInMessage && !this.#skipTo(1)) return undefined;
      // The end of the object before all is known: something is missing.
      if (this.#next() !== comma) return undefined;
    }
  }

  /** The next byte that is no blank; `atEnd` beyond the bytes. */
  #next(): number {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at] as number;
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return byte;
    }
    return atEnd;
  }

  /** A key with its colon. */
  #key(): string | undefined {
    if (this.#next() !== quote) return undefined;
    const key = this.#text();
    if (key === undefined || this.#next() !== colon) return undefined;
    this.#at += 1;
    return key;
  }

  /** A plain text; undefined with an escape, or beyond ASCII. */
  #text(): string | undefined {
    const bytes = this.#bytes;
    const from = this.#at + 1;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.#at = at + 1;
        return knownWord(bytes, from, at) ?? bytes.toString('latin1', from, at);
      }
      if (byte === backslash || byte < 0x20 || byte > 0x7e) return undefined;
    }
    return undefined;
  }

  #isNull(): boolean {
    if (this.#bytes.toString('latin1', this.#at, this.#at + 4) !== 'null') return false;
    this.#at += 4;
    return true;
  }

  /** The role of a message, which nearly always comes first in it. The place stays inside of the message. */
  #role(): string | undefined {
    this.#at += 1;
    for (;;) {
      const key = this.#key();
      if (key === undefined) return undefined;
      if (key === 'role') return this.#next() === quote ? this.#text() : undefined;
      if (!this.#skip() || this.#next() !== comma) return undefined;
      this.#at += 1;
    }
  }

  /** Passes a value. False beyond the bytes, and for what is no value. */
  #skip(): boolean {
    const first = this.#next();
    if (first === quote) return this.#skipText();
    if (first === openBrace || first === openBracket) {
      this.#at += 1;
      return this.#skipTo(1);
    }
    const bytes = this.#bytes;
    const from = this.#at;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at] as number;
      if (byte === comma || byte === closeBrace || byte === closeBracket) return this.#at > from;
    }
    return false;
  }

  /** Passes as many closing brackets as are open. */
  #skipTo(open: number): boolean {
    const bytes = this.#bytes;
    for (let depth = open; this.#at < bytes.length; ) {
      const byte = bytes[this.#at] as number;
      if (byte === quote) {
        if (!this.#skipText()) return false;
        continue;
      }
      this.#at += 1;
      if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) return true;
      }
    }
    return false;
  }

  #skipText(): boolean {
    const bytes = this.#bytes;
    for (let at = this.#at + 1; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        this.#at = at + 1;
        return true;
      }
    }
    return false;
  }
}

/** Words that stand in nearly every line, by their length: to compare bytes is quicker than to make a text of them. */
const words: ReadonlyMap<number, readonly { readonly text: string; readonly bytes: Buffer }[]> = Map.groupBy(
  [
    ...['type', 'id', 'parentId', 'timestamp', 'message', 'role', 'content', 'customType'],
    ...['user', 'assistant', 'toolResult', 'custom', 'custom_message'],
  ].map((text) => ({ text, bytes: Buffer.from(text) })),
  ({ bytes }) => bytes.length,
);

function knownWord(bytes: Buffer, from: number, to: number): string | undefined {
  const length = to - from;
  return words.get(length)?.find((word) => isAt(bytes, from, word.bytes))?.text;
}

function isAt(bytes: Buffer, from: number, word: Buffer): boolean {
  for (let nth = 0; nth < word.length; nth += 1) if (bytes[from + nth] !== word[nth]) return false;
  return true;
}

const wanted: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'timestamp', 'customType']);
