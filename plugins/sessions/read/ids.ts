/**
 * 8 hex digits for an entry that has none, or one that is another's. They come from the number of its line, so that
 * they are the same whenever the file is read.
 */
export function freeId(line: number, isTaken: (id: string) => boolean): string {
  for (let at = line; ; at += 0x10000) {
    // Odd, so that each number of 32 bits has one of its own; the golden ratio, so that neighbours look different.
    const id = (Math.imul(at, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    if (!isTaken(id)) return id;
  }
}
