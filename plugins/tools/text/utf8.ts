import { isUtf8 } from 'node:buffer';

/**
 * Bytes that are no characters, as halves of surrogate pairs: 0x80 is U+DC80. Nothing that is well-formed has them, so
 * every file can be a text and come back as the bytes it was.
 */
const rawByte = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/;

/** Decodes UTF-8; what is none stands as raw bytes. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += bytes.toString('utf8', from, at) + rawByteOf(bytes[at] ?? 0);
      from = at + 1;
    }
    at += length || 1;
  }
  return text + bytes.toString('utf8', from);
}

/** How much of it is UTF-8: characters of more than one byte, and bytes that are part of none. */
export function countUtf8(bytes: Uint8Array): { readonly characters: number; readonly stray: number } {
  let characters = 0;
  let stray = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) stray += 1;
    else if (length > 1) characters += 1;
    at += length || 1;
  }
  return { characters, stray };
}

export const rawByteOf = (byte: number): string => String.fromCharCode(0xdc00 + byte);

export const hasRawBytes = (text: string): boolean => rawByte.test(text);

/** The parts of a text between its raw bytes, and these. */
export function* partsOf(text: string): Generator<{ readonly text: string } | { readonly byte: number }> {
  let from = 0;
  for (const { index } of text.matchAll(new RegExp(rawByte, 'g'))) {
    if (index > from) yield { text: text.slice(from, index) };
    yield { byte: text.charCodeAt(index) - 0xdc00 };
    from = index + 1;
  }
  if (from < text.length) yield { text: text.slice(from) };
}

/** How many of the last bytes begin a character that is not all there. */
export function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** The length of the character at `at`; 0 if there is none. Overlong forms and surrogates are none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  if (first < 0xe0) return 2;
  if (!isFollowing(bytes[at + 2])) return 0;
  if (first < 0xf0) return 3;
  return isFollowing(bytes[at + 3]) ? 4 : 0;
}

const isFollowing = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
