import { isUtf8 } from 'node:buffer';
import { countUtf8, unfinished } from './utf8.ts';
import { utf16WithoutMark } from './utf16.ts';

export interface Encoding {
  /** `utf-8`, `utf-16le`, `shift_jis`, `windows-1252` … */
  readonly encoding: string;
  /** The length of the byte order mark. */
  readonly bomBytes: number;
}

/** More says nothing new about a charset. */
const sampleBytes = 64 * 1024;

/**
 * The encoding of a text, by its bytes: mark, pattern of NULs, UTF-8, else what is likeliest. `isWhole`: these are all
 * bytes there are, not the beginning. A short text in an old charset is a guess.
 */
export async function detectEncoding(bytes: Uint8Array, isWhole: boolean): Promise<Encoding> {
  const marked = markOf(bytes);
  if (marked !== undefined) return marked;
  const isHalf = isWhole && bytes.length % 2 !== 0;
  const wide = isHalf ? undefined : utf16WithoutMark(bytes.subarray(0, sampleBytes));
  if (wide !== undefined) return { encoding: wide, bomBytes: 0 };
  const complete = isWhole ? bytes : bytes.subarray(0, bytes.length - unfinished(bytes));
  if (isUtf8(complete)) return { encoding: 'utf-8', bomBytes: 0 };
  // The charset shows where the other letters are, not in the licence above them.
  const from = bytes.findIndex((byte) => byte >= 0x80);
  const sample = complete.subarray(Math.max(0, from - 1024), Math.max(0, from - 1024) + sampleBytes);
  const { characters, stray } = countUtf8(sample);
  if (characters > 4 * stray) return { encoding: 'utf-8', bomBytes: 0 };
  const guess = await likeliest(sample);
  // Old charsets seldom look like UTF-8 by chance. Where as much is UTF-8 as is not, it was damaged, unless all of it
  // is characters of two bytes: a few of those can look like anything.
  const isDamaged = characters > 0 && characters >= stray && !(await isAllPairs(sample, guess));
  return { encoding: isDamaged ? 'utf-8' : guess, bomBytes: 0 };
}

/** Every byte is part of a character in a charset of two bytes and more. The end of a sample may be half of one. */
async function isAllPairs(sample: Uint8Array, encoding: string): Promise<boolean> {
  if (!/^(shift_jis|euc-|gb|big5)/.test(encoding)) return false;
  const { default: iconv } = await import('iconv-lite');
  const text = iconv.decode(sample, encoding);
  return !(sample.length < sampleBytes ? text : text.slice(0, -1)).includes('\ufffd');
}

/** What a byte order mark says. */
export function markOf(bytes: Uint8Array): Encoding | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bomBytes: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0 && couldBe32(bytes)) return { encoding: 'utf-32le', bomBytes: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: 'utf-32be', bomBytes: 4 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  return undefined;
}

/** The mark of UTF-32 is also that of UTF-16 before a NUL: then the planes that nobody uses turn up. */
function couldBe32(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, sampleBytes);
  if (bytes.length % 4 !== 0) return false;
  for (let at = 4; at < length; at += 4) {
    const plane = bytes[at + 2] ?? 0;
    if (bytes[at + 3] !== 0 || (plane > 3 && plane < 14) || plane > 16) return false;
  }
  return true;
}

/** Statistics know long texts; a few words are told by how their bytes stand together. */
async function likeliest(sample: Uint8Array): Promise<string> {
  const { default: iconv } = await import('iconv-lite');
  const { analyse } = await import('chardet');
  const ranking = analyse(sample).filter(
    ({ name }) => !/^(ASCII|UTF|ISO-2022)/i.test(name) && iconv.encodingExists(name),
  );
  const shape = shapeOf(sample);
  const best = ranking[0];
  const western = shape.hasControls ? 'windows-1252' : 'iso-8859-1';
  if (shape.high >= 40 && best !== undefined && best.confidence >= 40) return best.name.toLowerCase();
  const decoded = (name: string): string => iconv.decode(sample, name).replaceAll(/\p{ASCII}/gu, '');
  // The second byte of its characters may be a plain letter: that looks western.
  if (shape.hasControls && kana.test(decoded('shift_jis'))) return 'shift_jis';
  if (shape.isWestern) return western;
  if (shape.inPairs) {
    const found = asian.find(({ name, typical }) => typical.test(decoded(name)));
    if (found !== undefined) return found.name;
  }
  return best?.name.toLowerCase() ?? western;
}

const kana = /^(?=.*[\u3040-\u30ff])[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]+$/;

/** In this order: what is all kana or all Hangul is hardly anything else; nearly all pairs are something in GB 18030. */
const asian: readonly { readonly name: string; readonly typical: RegExp }[] = [
  { name: 'shift_jis', typical: /^[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]+$/ },
  { name: 'euc-jp', typical: kana },
  { name: 'euc-kr', typical: /^[\uac00-\ud7a3]+$/ },
  { name: 'gb18030', typical: /^[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e\u2010-\u2026]+$/ },
  { name: 'big5', typical: /^[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]+$/ },
];

interface Shape {
  /** Bytes from 0x80. */
  readonly high: number;
  /** ISO 8859 has control characters there, Windows quotes and dashes. */
  readonly hasControls: boolean;
  /** Single ones among plain letters, as in `Grüße`. */
  readonly isWestern: boolean;
  /** Two and two. */
  readonly inPairs: boolean;
}

function shapeOf(sample: Uint8Array): Shape {
  let high = 0;
  let controls = 0;
  let western = 0;
  let runs = 0;
  let pairs = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if ((sample[at] ?? 0) < 0x80) continue;
    const start = at;
    while ((sample[at] ?? 0) >= 0x80) {
      if ((sample[at] ?? 0) < 0xa0) controls += 1;
      at += 1;
    }
    high += at - start;
    runs += 1;
    if (at - start <= 2 && (isLetter(sample[start - 1]) || isLetter(sample[at]))) western += 1;
    // The second byte of a pair may be a plain letter.
    if (at - start >= 2) pairs += 1;
  }
  return { high, hasControls: controls > 0, isWestern: western * 10 >= runs * 7, inPairs: pairs * 2 >= runs };
}

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a));
