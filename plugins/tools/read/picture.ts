import type { ImageType } from './sniff.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** How a camera was held: 1 upright, 3 upside down, 6 and 8 on its side, the others mirrored. */
  readonly orientation: number;
}

/** What the header of an image says; undefined if it says nothing that makes sense, or the end of the file is missing. */
export function pictureOf(bytes: Buffer, type: ImageType): Picture | undefined {
  try {
    const found = readers[type](bytes);
    return found !== undefined && found.width > 0 && found.height > 0 ? { orientation: 1, ...found } : undefined;
  } catch {
    return undefined; // it ends within its header
  }
}

type Size = Omit<Picture, 'orientation'> & { readonly orientation?: number };

const readers: Readonly<Record<ImageType, (bytes: Buffer) => Size | undefined>> = {
  'image/png': (bytes) =>
    bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.lastIndexOf('IEND') > 0
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  'image/gif': (bytes) =>
    bytes.lastIndexOf(0x3b) > 12 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined,
  'image/bmp': (bytes) =>
    bytes[14] === 12
      ? { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
      : { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) },
  'image/webp': webp,
  'image/jpeg': jpeg,
};

function webp(bytes: Buffer): Size | undefined {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

function jpeg(bytes: Buffer): Size | undefined {
  if (bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) === -1) return undefined;
  let orientation = 1;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0xe1) orientation = exifOrientation(bytes.subarray(at + 4, at + 2 + length)) ?? orientation;
    // All "start of frame" markers; three numbers among them mean something else.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5), orientation };
    at += 2 + length;
  }
  return undefined;
}

function exifOrientation(exif: Buffer): number | undefined {
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0') return undefined;
  const tiff = exif.subarray(6);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return undefined;
  for (let entry = 0; entry < short(start); entry += 1) {
    const at = start + 2 + entry * 12;
    if (at + 12 > tiff.length) return undefined;
    if (short(at) === 0x0112) return short(at + 8);
  }
  return undefined;
}
