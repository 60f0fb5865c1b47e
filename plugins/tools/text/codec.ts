import { KernError } from 'kern/plugin';
import { detectEncoding, markOf } from './detect.ts';
import { decodeUtf8, hasRawBytes, partsOf, rawByteOf } from './utf8.ts';
import { decodeUtf16, encodeUtf16 } from './utf16.ts';

/** The characters of a file. `encodeText(text, encoding, bom)` gives the very bytes back. */
export interface DecodedText {
  /** Without the mark. A byte that is no character of the encoding stands as U+DC80 to U+DCFF: `readableText` shows it. */
  readonly text: string;
  readonly encoding: string;
  /** It began with a byte order mark. */
  readonly bom: boolean;
}

type Iconv = typeof import('iconv-lite');

/** Decodes a whole file, by what its bytes say or by the encoding that is named. Never loses a byte. */
export async function decodeText(bytes: Uint8Array, encoding?: string): Promise<DecodedText> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = encoding === undefined ? await detectEncoding(buffer, true) : await named(encoding, buffer);
  const body = buffer.subarray(found.bomBytes);
  const decoded = { encoding: found.encoding, bom: found.bomBytes > 0 };
  if (found.encoding === 'utf-8') return { text: decodeUtf8(body), ...decoded };
  if (found.encoding === 'utf-16le' || found.encoding === 'utf-16be') {
    if (body.length % 2 !== 0) throw damaged(found.encoding);
    return { text: decodeUtf16(body, found.encoding), ...decoded };
  }
  const { default: iconv } = await import('iconv-lite');
  const text = iconv.decode(body, found.encoding, { stripBOM: false });
  if (iconv.encode(text, found.encoding, { addBOM: false }).equals(body)) return { text, ...decoded };
  if (found.encoding.startsWith('utf-32')) throw damaged(found.encoding);
  const rest = decodeWithRest(iconv, body, found.encoding);
  // Two characters side by side may have one more way to be written: then bytes say more than the charset.
  if (Buffer.compare(await encodeText(rest, found.encoding, false), body) === 0) return { text: rest, ...decoded };
  return { text: decodeUtf8(buffer), encoding: 'utf-8', bom: false };
}

/** The bytes of a text in an encoding. A character that it does not have is refused, never replaced. */
export async function encodeText(text: string, encoding: string, bom: boolean): Promise<Uint8Array> {
  const { encoding: name } = await named(encoding);
  const marked = bom && name.startsWith('utf-') ? `\ufeff${text}` : text;
  if (name === 'utf-16le' || name === 'utf-16be') return encodeUtf16(marked, name);
  if (name === 'utf-8' && marked.isWellFormed()) return Buffer.from(marked, 'utf8');
  const { default: iconv } = await import('iconv-lite');
  const parts = hasRawBytes(marked) ? partsOf(marked) : [{ text: marked }];
  const encoded: Uint8Array[] = [];
  for (const part of parts)
    encoded.push('byte' in part ? Uint8Array.of(part.byte) : encodePart(iconv, part.text, name));
  return Buffer.concat(encoded);
}

function encodePart(iconv: Iconv, text: string, encoding: string): Buffer {
  if (!text.isWellFormed())
    throw new KernError('text_not_encodable', 'The text has half a character in it (a lone surrogate)', {
      hint: 'Leave it out.',
    });
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = iconv.encode(text, encoding, { addBOM: false });
  if (iconv.decode(bytes, encoding, { stripBOM: false }) === text) return bytes;
  const lost = [...text].find(
    (character) =>
      iconv.decode(iconv.encode(character, encoding, { addBOM: false }), encoding, { stripBOM: false }) !== character,
  );
  throw new KernError(
    'text_not_encodable',
    `${encoding} has no ${lost === undefined ? 'way to write this' : nameOf(lost)}`,
    {
      hint: 'Write it with other characters, or convert the file to UTF-8 first.',
    },
  );
}

/** `“€” (U+20AC)`: what cannot be seen is known by its number. */
function nameOf(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `"${character}" (U+${number})`;
}

/** A text as a model may read it: U+FFFD for what is no character. */
export const readableText = (text: string): string => text.toWellFormed();

/** The name by which an encoding goes here. Text encodings only: iconv-lite knows base64 and hex as well. */
export async function encodingName(name: string): Promise<string | undefined> {
  const plain = name.trim().toLowerCase().replaceAll('_', '-');
  const known = aliases[plain.replaceAll('-', '')];
  if (known !== undefined) return known;
  if (/^(base64|hex|binary|ucs-?2|utf-?7|cesu)/.test(plain)) return undefined;
  const { default: iconv } = await import('iconv-lite');
  return iconv.encodingExists(plain) ? plain : undefined;
}

const aliases: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  ascii: 'utf-8',
  usascii: 'utf-8',
  utf8bom: 'utf-8',
  utf16: 'utf-16',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  utf32: 'utf-32',
  utf32le: 'utf-32le',
  utf32be: 'utf-32be',
  latin1: 'iso-8859-1',
  iso88591: 'iso-8859-1',
  shiftjis: 'shift_jis',
  sjis: 'shift_jis',
};

async function named(encoding: string, bytes?: Uint8Array): Promise<{ encoding: string; bomBytes: number }> {
  const name = await encodingName(encoding);
  if (name === undefined)
    throw new KernError('unknown_encoding', `${encoding} is no text encoding that is known here`, {
      hint: 'For example utf-8, utf-16le, windows-1252, iso-8859-1, shift_jis, euc-jp, gb18030, big5, euc-kr, koi8-r.',
    });
  const marked = bytes === undefined ? undefined : markOf(bytes);
  if (name === 'utf-16' || name === 'utf-32')
    return marked?.encoding.startsWith(name) ? marked : { encoding: `${name}le`, bomBytes: 0 };
  return { encoding: name, bomBytes: marked?.encoding === name ? marked.bomBytes : 0 };
}

/** Character by character: what does not come back as it was stands as bytes. Only of charsets that contain ASCII. */
function decodeWithRest(iconv: Iconv, bytes: Buffer, encoding: string): string {
  const comesBack = (slice: Buffer): string | undefined => {
    const text = iconv.decode(slice, encoding, { stripBOM: false });
    return !text.includes('\ufffd') && iconv.encode(text, encoding, { addBOM: false }).equals(slice) ? text : undefined;
  };
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(10, at);
    const line = bytes.subarray(at, lineEnd === -1 ? bytes.length : lineEnd + 1);
    text += comesBack(line) ?? decodeLine(line, comesBack);
    at += line.length;
  }
  return text;
}

function decodeLine(line: Buffer, comesBack: (slice: Buffer) => string | undefined): string {
  let text = '';
  for (let at = 0; at < line.length; ) {
    const byte = line[at] ?? 0;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      at += 1;
      continue;
    }
    let length = 1;
    let character = comesBack(line.subarray(at, at + 1));
    while (character === undefined && length < 4 && at + length < line.length) {
      length += 1;
      character = comesBack(line.subarray(at, at + length));
    }
    text += character ?? rawByteOf(byte);
    at += character === undefined ? 1 : length;
  }
  return text;
}

const damaged = (encoding: string): KernError =>
  new KernError('text_damaged', `It is ${encoding} but ends in the middle of a character`, {
    hint: 'Look at its bytes with read and encoding: "base64", or use a program through bash.',
  });
