/** What the first bytes of a file say about it. */
export type Content =
  | { readonly kind: 'text'; readonly bomBytes: number }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'binary'; readonly what: string };

/** By content, never by name. `start` is the first 8 KB, or the whole file. */
export function sniff(start: Uint8Array): Content {
  const mimeType = imageType(start);
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  const known = signatures.find(([, ...bytes]) => startsWith(start, bytes));
  if (known !== undefined) return { kind: 'binary', what: known[0] };
  if (startsWith(start, [0xff, 0xfe]) || startsWith(start, [0xfe, 0xff]))
    return { kind: 'binary', what: 'text in UTF-16 (`iconv -f UTF-16 -t UTF-8` shows it)' };
  const bomBytes = startsWith(start, [0xef, 0xbb, 0xbf]) ? 3 : 0;
  if (start.includes(0)) return { kind: 'binary', what: 'binary data' };
  let control = 0;
  for (const byte of start) if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) control += 1;
  // Logs have the odd control character; where every tenth byte is one, it is no text.
  return control * 10 > start.length ? { kind: 'binary', what: 'binary data' } : { kind: 'text', bomBytes };
}

function imageType(start: Uint8Array): string | undefined {
  if (startsWith(start, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (startsWith(start, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith(start, ascii('GIF87a')) || startsWith(start, ascii('GIF89a'))) return 'image/gif';
  if (startsWith(start, ascii('RIFF')) && startsWith(start.subarray(8), ascii('WEBP'))) return 'image/webp';
  return undefined;
}

const ascii = (text: string): readonly number[] => [...text].map((letter) => letter.charCodeAt(0));

const signatures: readonly (readonly [what: string, ...bytes: number[]])[] = [
  ['a PDF document (`pdftotext` shows its text)', ...ascii('%PDF-')],
  ['a zip archive, or a document made of one (docx, xlsx, jar)', 0x50, 0x4b, 0x03, 0x04],
  ['gzip data (`zcat` shows it)', 0x1f, 0x8b],
  ['bzip2 data', ...ascii('BZh')],
  ['xz data', 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00],
  ['zstd data', 0x28, 0xb5, 0x2f, 0xfd],
  ['a 7z archive', 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
  ['a program (ELF)', 0x7f, 0x45, 0x4c, 0x46],
  ['a program (Mach-O)', 0xcf, 0xfa, 0xed, 0xfe],
  ['WebAssembly', 0x00, 0x61, 0x73, 0x6d],
  ['an SQLite database', ...ascii('SQLite format 3')],
];

function startsWith(start: Uint8Array, bytes: readonly number[]): boolean {
  return start.length >= bytes.length && bytes.every((byte, at) => start[at] === byte);
}
