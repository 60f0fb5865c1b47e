import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A line of every large file: 64 bytes with its end. */
export const line = 'A line of a large file, as long as lines of a program often are\n';

const pieceLines = 16_384;

/** Writes so many such lines. Of `instead`, by number from 1, another line stands there. */
export function writeLines(path: string, count: number, instead: ReadonlyMap<number, string> = new Map()): void {
  const piece = Buffer.from(line.repeat(pieceLines));
  const file = openSync(path, 'w');
  try {
    for (let at = 0; at < count; at += pieceLines) {
      const here = Math.min(pieceLines, count - at);
      writeSync(file, pieceWith(piece, at, here, instead));
    }
  } finally {
    closeSync(file);
  }
}

function pieceWith(piece: Buffer, at: number, count: number, instead: ReadonlyMap<number, string>): Buffer {
  const own = [...instead].filter(([number]) => number > at && number <= at + count);
  if (own.length === 0) return piece.subarray(0, count * line.length);
  const lines = Array.from({ length: count }, () => line);
  for (const [number, text] of own) lines[number - at - 1] = `${text}\n`;
  return Buffer.from(lines.join(''));
}

const folderFiles = 1_000;

/** A tree of so many small files; each of the `nth` has one line with `mark` in it. */
export function writeTree(folder: string, count: number, nth: number, mark: string): void {
  const text = line.repeat(12);
  for (let at = 0; at < count; at += 1) {
    const inside = join(folder, `part-${Math.floor(at / folderFiles)}`);
    if (at % folderFiles === 0) mkdirSync(inside, { recursive: true });
    writeFileSync(
      join(inside, `file-${at % folderFiles}.txt`),
      at % nth === 0 ? `${text}${mark}\n${text}` : text + text,
    );
  }
}
