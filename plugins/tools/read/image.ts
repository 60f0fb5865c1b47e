import { errorResult, formatBytes } from 'kern/contracts';
import { pictureOf } from './picture.ts';
import type { ReadResult, Source } from './result.ts';
import type { ImageType } from './sniff.ts';

/** What models take: larger ones are made smaller. */
const sideLimit = 2000;
/** 4.5 MiB as base64. */
const bytesLimit = (4.5 * 1024 * 1024 * 3) / 4;
/** A file of a few bytes may say that it is a picture of a square mile. */
const pixelLimit = 50_000_000;

/** An image as a model can see it. */
export async function readImage(bytes: Buffer, type: ImageType, source: Source): Promise<ReadResult> {
  const { path, real, size } = source;
  const picture = pictureOf(bytes, type);
  if (picture === undefined)
    return errorResult(`${path} is a damaged image (${type}, ${formatBytes(size)}): its end or its size is missing.`);
  const { width, height } = picture;
  const name = `${path}: ${type}, ${width}×${height}, ${formatBytes(size)}`;
  const details = { path: real, kind: 'image', size, truncated: false } as const;
  const fits = width <= sideLimit && height <= sideLimit && bytes.length <= bytesLimit;
  if (fits && type !== 'image/bmp')
    return {
      content: [
        { type: 'text', text: name },
        { type: 'image', data: bytes.toString('base64'), mimeType: type },
      ],
      details,
    };
  if (width * height > pixelLimit)
    return errorResult(
      `${name}. That is more than the ${pixelLimit / 1_000_000} million pixels read makes smaller. Make a smaller copy first.`,
    );
  const made = await madeSmaller(bytes, picture.orientation).catch(() => undefined); // wasm says no more than that it failed
  if (made === undefined) return errorResult(`${name}. It could not be decoded: it is damaged, or of a rare kind.`);
  if (made.bytes.length > bytesLimit)
    return errorResult(`${name}. It stays over ${formatBytes(bytesLimit)}, however small it is made.`);
  const shownAs =
    made.scale === 1
      ? ` Shown as ${made.mimeType}.`
      : ` Shown as ${made.width}×${made.height} ${made.mimeType}: multiply coordinates by ${(1 / made.scale).toFixed(2)}.`;
  return {
    content: [
      { type: 'text', text: `${name}.${shownAs}` },
      { type: 'image', data: Buffer.from(made.bytes).toString('base64'), mimeType: made.mimeType },
    ],
    details,
  };
}

interface Smaller {
  readonly bytes: Uint8Array;
  readonly mimeType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

type Photon = typeof import('@silvia-odwyer/photon-node');
type PhotonImage = InstanceType<Photon['PhotonImage']>;

/** Scales until it fits: PNG where that is small enough (sharp text, transparency), else JPEG of falling quality. */
async function madeSmaller(bytes: Uint8Array, orientation: number): Promise<Smaller> {
  const photon = await import('@silvia-odwyer/photon-node');
  const original = photon.PhotonImage.new_from_byteslice(bytes);
  const upright = turned(photon, original, orientation);
  try {
    const [width, height] = [upright.get_width(), upright.get_height()];
    let scale = Math.min(1, sideLimit / Math.max(width, height));
    for (;;) {
      const made = encoded(photon, upright, scale);
      if (made.bytes.length <= bytesLimit || scale < 0.02) return made;
      scale *= 0.7;
    }
  } finally {
    // The memory of WebAssembly is not collected.
    if (upright !== original) upright.free();
    original.free();
  }
}

function encoded(photon: Photon, image: PhotonImage, scale: number): Smaller {
  const width = Math.max(1, Math.round(image.get_width() * scale));
  const height = Math.max(1, Math.round(image.get_height() * scale));
  const scaled = scale === 1 ? image : photon.resize(image, width, height, photon.SamplingFilter.Lanczos3);
  try {
    const png = scaled.get_bytes();
    if (png.length <= bytesLimit / 3) return { bytes: png, mimeType: 'image/png', width, height, scale };
    for (const quality of [80, 60, 40]) {
      const jpeg = scaled.get_bytes_jpeg(quality);
      if (jpeg.length <= bytesLimit || quality === 40)
        return { bytes: jpeg, mimeType: 'image/jpeg', width, height, scale };
    }
    return { bytes: png, mimeType: 'image/png', width, height, scale };
  } finally {
    if (scaled !== image) scaled.free();
  }
}

/** As the camera was held. Only pixels come out of the decoder. */
function turned(photon: Photon, image: PhotonImage, orientation: number): PhotonImage {
  if (orientation < 2 || orientation > 8) return image;
  const [width, height] = [image.get_width(), image.get_height()];
  const from = new Uint32Array(Uint8Array.from(image.get_raw_pixels()).buffer);
  const onItsSide = orientation >= 5;
  const [newWidth, newHeight] = onItsSide ? [height, width] : [width, height];
  const to = new Uint32Array(from.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const flippedX = width - 1 - x;
      const flippedY = height - 1 - y;
      const places: readonly (readonly [number, number])[] = [
        [flippedX, y],
        [flippedX, flippedY],
        [x, flippedY],
        [y, x],
        [flippedY, x],
        [flippedY, flippedX],
        [y, flippedX],
      ];
      const [newX, newY] = places[orientation - 2] ?? [x, y];
      to[newY * newWidth + newX] = from[y * width + x] ?? 0;
    }
  }
  return new photon.PhotonImage(new Uint8Array(to.buffer), newWidth, newHeight);
}
