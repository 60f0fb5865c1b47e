import { isAscii, isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, open as openWithCallback, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { detectEncoding } from 'kern/contracts';

const openFile = promisify(openWithCallback);

/** Larger files are read in pieces of this size. */
export const pieceBytes = 1024 * 1024;
/** NUL in a piece of this size: what is in it, and what follows, is no text. As ripgrep has it. */
const binaryBytes = 64 * 1024;

/** Something else may stand there by now: opening a pipe without this waits for its writer. */
export const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/** What of a file is text. */
export interface FileText {
  readonly text: string;
  /** How it was read; of what says so itself, and of UTF-8, nothing is said. */
  readonly guessed: string | undefined;
  /** What follows is binary. */
  readonly hasRest: boolean;
}

export interface FileReader {
  /** All of a small file; `large` is one that is to be read in pieces. */
  read(path: string): Promise<FileText | 'large' | undefined>;
  /** For a file in pieces. */
  decoder(): PieceDecoder;
}

export interface PieceDecoder {
  /** The text of the next piece; `isText`: the next one counts as well. */
  decode(bytes: Buffer): Promise<{ readonly text: string; readonly isText: boolean }>;
  end(): string;
  readonly guessed: string | undefined;
}

/** `forced`: an encoding that is known. Several reads may be under way. */
export function createFileReader(forced: string | undefined): FileReader {
  const buffer = Buffer.allocUnsafe(pieceBytes + 1);
  return {
    async read(path) {
      const file = await openFile(path, readFlags);
      let size: number;
      try {
        const found = fstatSync(file);
        if (!found.isFile()) return undefined;
        // At once: for a small file the ways through the thread pool take four times as long as the reading.
        size = fill(buffer, file, found.size);
      } finally {
        closeSync(file);
      }
      if (size > pieceBytes) return 'large';
      const bytes = buffer.subarray(0, size);
      // Whatever is waited for, the next file will then be in the buffer.
      return (forced === undefined ? plainText(bytes) : undefined) ?? decodedText(Buffer.from(bytes), forced);
    },
    decoder: () => createPieceDecoder(forced),
  };
}

/** Of what needs no guess. */
function plainText(bytes: Buffer): FileText | undefined {
  const marked = markedUtf16(bytes);
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes), guessed: undefined, hasRest: false };
  const end = textEnd(bytes, 0);
  const text = bytes.subarray(0, end);
  const hasRest = end < bytes.length;
  if (isAscii(text)) return { text: text.toString('latin1'), guessed: undefined, hasRest };
  if (!hasRest && !isUtf8(text)) return undefined;
  return { text: new TextDecoder().decode(text), guessed: undefined, hasRest };
}

async function decodedText(bytes: Buffer, forced: string | undefined): Promise<FileText> {
  const encoding = forced ?? (await detectEncoding(bytes, true)).encoding;
  const decoder = await decoderOf(encoding);
  const text = decoder.write(bytes) + decoder.end();
  return { text, guessed: encoding === 'utf-8' ? undefined : encoding, hasRest: false };
}

/** As long as all is ASCII, nothing is decided. */
function createPieceDecoder(forced: string | undefined): PieceDecoder {
  let decoder: Decoder | undefined;
  let guessed: string | undefined;
  let isMarked = false;
  let position = 0;
  const choose = async (text: Buffer): Promise<Decoder> => {
    const marked = position === 0 ? markedUtf16(text) : undefined;
    const encoding = forced ?? marked ?? (await detectEncoding(text, false)).encoding;
    isMarked = marked !== undefined || forced !== undefined;
    if (encoding !== 'utf-8' && marked === undefined) guessed = encoding;
    return decoderOf(encoding);
  };
  return {
    get guessed() {
      return guessed;
    },
    async decode(bytes) {
      if (position === 0 && (forced ?? markedUtf16(bytes)) !== undefined) decoder = await choose(bytes);
      const end = isMarked ? bytes.length : textEnd(bytes, position);
      const text = bytes.subarray(0, end);
      if (decoder === undefined && !isAscii(text)) decoder = await choose(text);
      position += bytes.length;
      return { text: decoder?.write(text) ?? text.toString('latin1'), isText: end === bytes.length };
    },
    end: () => decoder?.end() ?? '',
  };
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** Leaves a byte order mark out. */
async function decoderOf(encoding: string): Promise<Decoder> {
  if (/^utf-(?:8|16le|16be)$/.test(encoding)) {
    const decoder = new TextDecoder(encoding);
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const { default: iconv } = await import('iconv-lite');
  const decoder = iconv.getDecoder(encoding);
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? '' };
}

/** What a file that is named is, by how it begins: `encoding`, if ripgrep would not know it for text. */
export async function kindOf(path: string): Promise<{ readonly isBinary: boolean; readonly encoding?: string }> {
  try {
    await using file = await open(path, readFlags);
    const start = Buffer.alloc(binaryBytes);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const bytes = start.subarray(0, bytesRead);
    if (!bytes.includes(0)) return { isBinary: false };
    const { encoding } = await detectEncoding(bytes, bytesRead < binaryBytes);
    if (encoding === markedUtf16(bytes)) return { isBinary: false };
    return /^utf-(?:16|32)/.test(encoding) ? { isBinary: false, encoding } : { isBinary: true };
  } catch {
    // The search itself will say what is wrong with it.
    return { isBinary: false };
  }
}

/** Reads a file from its start, as far as there is room. What the system makes up as it is read has a size of 0. */
function fill(buffer: Buffer, file: number, expected: number): number {
  for (let size = 0; ; ) {
    const read = readSync(file, buffer, size, buffer.length - size, size);
    size += read;
    if (read === 0 || size === expected || size === buffer.length) return size;
  }
}

function markedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Where what is text ends. `position`: of the bytes in the file. */
function textEnd(bytes: Uint8Array, position: number): number {
  const nul = bytes.indexOf(0);
  if (nul === -1) return bytes.length;
  return Math.max(0, nul - ((position + nul) % binaryBytes));
}
