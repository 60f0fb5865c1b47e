import { isUtf8 } from 'node:buffer';
import { detectEncoding } from 'kern/contracts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/bmp';

/** What the first bytes of a file say about it. */
export type Content =
  | { readonly kind: 'text'; readonly encoding: string; readonly bomBytes: number }
  | { readonly kind: 'image'; readonly mimeType: ImageType }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'zip' }
  | { readonly kind: 'binary'; readonly what: string };

/** By content, never by name. `start` is the first 64 KB, or the whole file. */
export async function sniff(start: Uint8Array, isWhole: boolean): Promise<Content> {
  const mimeType = imageType(start);
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  if (startsWith(start, ascii('%PDF-'))) return { kind: 'pdf' };
  if (startsWith(start, [0x50, 0x4b, 0x03, 0x04])) return { kind: 'zip' };
  const known = signatures.find(([, ...bytes]) => startsWith(start, bytes));
  if (known !== undefined) return { kind: 'binary', what: known[0] };
  const found = await detectEncoding(start, isWhole);
  if (/^utf-(16|32)/.test(found.encoding) || found.bomBytes > 0) return { kind: 'text', ...found };
  return isText(start) ? { kind: 'text', ...found } : { kind: 'binary', what: 'binary data' };
}

/** Logs have the odd control character; a text in an old charset has hardly any. */
function isText(start: Uint8Array): boolean {
  if (start.includes(0)) return false;
  let control = 0;
  for (const byte of start) if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) control += 1;
  return control * (isUtf8(start) || start.every((byte) => byte < 0x80) ? 10 : 50) <= start.length;
}

function imageType(start: Uint8Array): ImageType | undefined {
  if (startsWith(start, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (startsWith(start, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith(start, ascii('GIF87a')) || startsWith(start, ascii('GIF89a'))) return 'image/gif';
  if (startsWith(start, ascii('RIFF')) && startsWith(start.subarray(8), ascii('WEBP'))) return 'image/webp';
  // Two letters are few: the size of the header behind them is one of these.
  if (startsWith(start, ascii('BM')) && [12, 40, 52, 56, 64, 108, 124].includes(start[14] ?? 0) && start[15] === 0)
    return 'image/bmp';
  return undefined;
}

const ascii = (text: string): readonly number[] => [...text].map((letter) => letter.charCodeAt(0));

const signatures: readonly (readonly [what: string, ...bytes: number[]])[] = [
  ['gzip data (`zcat` shows it)', 0x1f, 0x8b],
  ['bzip2 data (`bzcat` shows it)', ...ascii('BZh')],
  ['xz data (`xzcat` shows it)', 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00],
  ['zstd data (`zstdcat` shows it)', 0x28, 0xb5, 0x2f, 0xfd],
  ['a 7z archive', 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
  ['an old Office document (doc, xls or ppt)', 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  ['a program (ELF)', 0x7f, 0x45, 0x4c, 0x46],
  ['a program (Mach-O)', 0xcf, 0xfa, 0xed, 0xfe],
  ['a Java class, or a program (Mach-O)', 0xca, 0xfe, 0xba, 0xbe],
  ['WebAssembly', 0x00, 0x61, 0x73, 0x6d],
  ['an SQLite database', ...ascii('SQLite format 3')],
];

function startsWith(start: Uint8Array, bytes: readonly number[]): boolean {
  return start.length >= bytes.length && bytes.every((byte, at) => start[at] === byte);
}
