import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { testContext } from '../test/context.ts';
import { pictureOf } from './picture.ts';
import { readTool } from './read.ts';
import type { ReadDetails } from './result.ts';

const read = readTool(20_000_000);

/** Reads what is put into a file whose name says nothing. */
async function seen(bytes: Uint8Array): Promise<ToolResult<ReadDetails>> {
  const context = testContext();
  writeFileSync(join(context.dir, 'picture.txt'), bytes);
  return read.execute('c1', { path: 'picture.txt' }, new AbortController().signal, () => undefined, context);
}

/** The picture that was handed on, decoded. */
function picture(result: ToolResult<ReadDetails>): { mimeType: string; image: PhotonImage; bytes: Buffer } {
  const part = result.content[1];
  if (part?.type !== 'image') throw new Error(`no image: ${resultText(result)}`);
  const bytes = Buffer.from(part.data, 'base64');
  return { mimeType: part.mimeType, image: PhotonImage.new_from_byteslice(bytes), bytes };
}

function painted(width: number, height: number, colour: (x: number, y: number) => readonly [number, number, number]) {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) pixels.set([...colour(x, y), 255], (y * width + x) * 4);
  return new PhotonImage(pixels, width, height);
}

const red = (): readonly [number, number, number] => [255, 0, 0];
const gif = Buffer.from('R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');

function bmp(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x40);
  bytes.write('BM', 0, 'latin1');
  bytes.fill(0, 2, 54);
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

test.each([
  ['image/png', () => painted(3, 2, red).get_bytes(), '3×2'],
  ['image/jpeg', () => painted(3, 2, red).get_bytes_jpeg(90), '3×2'],
  ['image/gif', () => gif, '1×1'],
  ['image/webp', () => painted(3, 2, red).get_bytes_webp(), '3×2'],
] as const)('%s is handed on as it is, whatever its name', async (mimeType, make, size) => {
  const bytes = make();
  const result = await seen(bytes);
  expect(result.content[1]).toEqual({ type: 'image', mimeType, data: Buffer.from(bytes).toString('base64') });
  expect(resultText(result)).toContain(`picture.txt: ${mimeType}, ${size}, `);
  expect(result.details).toMatchObject({ kind: 'image', size: bytes.length });
});

test('a bmp, which models do not take, becomes a png', async () => {
  const result = await seen(bmp(5, 3));
  const { mimeType, image } = picture(result);
  expect([mimeType, image.get_width(), image.get_height()]).toEqual(['image/png', 5, 3]);
  expect(resultText(result)).toContain('image/bmp, 5×3');
});

test('a picture that is too wide is made smaller, and the factor for coordinates is said', async () => {
  const result = await seen(painted(4000, 100, red).get_bytes());
  const { image } = picture(result);
  expect([image.get_width(), image.get_height()]).toEqual([2000, 50]);
  expect(resultText(result)).toContain('Shown as 2000×50 image/png: multiply coordinates by 2.00.');
});

test('noise that no png makes small becomes a jpeg within the limit', async () => {
  let state = 1;
  const noise = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state >> 16) & 255;
  };
  const result = await seen(painted(1600, 1200, () => [noise(), noise(), noise()]).get_bytes());
  const { mimeType, bytes } = picture(result);
  expect(mimeType).toBe('image/jpeg');
  expect(bytes.toString('base64').length).toBeLessThanOrEqual(4.5 * 1024 * 1024);
});

/** Puts the way the camera was held into a JPEG. */
function held(jpeg: Uint8Array, orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

test.each([
  [1, 2000, 50, 'left'],
  [2, 2000, 50, 'right'],
  [3, 2000, 50, 'right'],
  [4, 2000, 50, 'left'],
  [5, 50, 2000, 'top'],
  [6, 50, 2000, 'top'],
  [7, 50, 2000, 'bottom'],
  [8, 50, 2000, 'bottom'],
] as const)(
  'a photo held as %i says is upright when it was made smaller',
  async (orientation, width, height, redAt) => {
    const photo = painted(4000, 100, (x) => (x < 2000 ? [255, 0, 0] : [0, 0, 255])).get_bytes_jpeg(90);
    const { image } = picture(await seen(held(photo, orientation)));
    expect([image.get_width(), image.get_height()]).toEqual([width, height]);
    const pixels = image.get_raw_pixels();
    const [x, y] = { left: [5, 5], right: [width - 5, 5], top: [5, 5], bottom: [5, height - 5] }[redAt];
    expect(pixels[((y ?? 0) * width + (x ?? 0)) * 4]).toBeGreaterThan(200);
  },
);

test('a damaged image is an error and never reaches the model', async () => {
  const png = painted(3, 2, red).get_bytes();
  for (const bytes of [
    png.subarray(0, 20),
    png.subarray(0, -12),
    painted(3, 2, red).get_bytes_jpeg(90).subarray(0, -2),
  ]) {
    const result = await seen(bytes);
    expect(result.isError).toBe(true);
    expect(resultText(result)).toContain('is a damaged image');
  }
  const wide = Buffer.from(painted(3000, 2, red).get_bytes());
  wide.fill(0, 60, 90);
  expect(resultText(await seen(wide))).toContain('could not be decoded');
});

test('a few bytes that claim a square mile are refused before they are decoded', async () => {
  const png = Buffer.from(painted(3, 2, red).get_bytes());
  png.writeUInt32BE(100_000, 16);
  png.writeUInt32BE(100_000, 20);
  expect(resultText(await seen(png))).toContain('100000×100000');
  expect((await seen(png)).isError).toBe(true);
});

test('a picture over the limit of the setting is refused with its size', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.png'), Buffer.concat([painted(3, 2, red).get_bytes(), Buffer.alloc(2000)]));
  const small = readTool(1000);
  const result = await small.execute('c1', { path: 'a.png' }, new AbortController().signal, () => undefined, context);
  expect(resultText(result)).toContain('an image or a document is read up to 1000 bytes');
  expect(readFileSync(join(context.dir, 'a.png')).length).toBeGreaterThan(1000);
});

test('the size of every kind of webp is known', () => {
  const lossy = Buffer.alloc(40);
  lossy.write('RIFF', 0, 'latin1');
  lossy.writeUInt32LE(32, 4);
  lossy.write('WEBPVP8 ', 8, 'latin1');
  lossy.writeUInt16LE(640, 26);
  lossy.writeUInt16LE(480, 28);
  expect(pictureOf(lossy, 'image/webp')).toMatchObject({ width: 640, height: 480 });
  const extended = Buffer.from(lossy);
  extended.write('VP8X', 12, 'latin1');
  extended.writeUIntLE(1023, 24, 3);
  extended.writeUIntLE(767, 27, 3);
  expect(pictureOf(extended, 'image/webp')).toMatchObject({ width: 1024, height: 768 });
});
