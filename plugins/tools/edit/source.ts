import { isUtf8 } from 'node:buffer';
import { type DecodedText, decodeText, encodeText } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { type Splice, spliced } from './lines.ts';

/** A file as text, and as the bytes it is. */
export interface Source extends DecodedText {
  readonly bytes: Buffer;
}

export async function sourceOf(bytes: Buffer, encoding?: string): Promise<Source> {
  return { ...(await decodeText(bytes, encoding)), bytes };
}

/**
 * A file of which read was told an encoding. What is UTF-8 is UTF-8, whatever was tried on it: characters of another
 * charset would damage it. Only UTF-16 and UTF-32 may look like it, with NULs.
 */
export function sourceAsRead(bytes: Buffer, told: string | undefined): Promise<Source> {
  const isWide = told !== undefined && /^utf-(?:16|32)/.test(told) && bytes.includes(0);
  return sourceOf(bytes, isUtf8(bytes) && !isWide ? undefined : told);
}

/**
 * The bytes of the file with new texts in their places. Every other byte is copied, not encoded anew; the text around
 * the places is encoded only to know where in the file they are, and has to give the file's own bytes.
 */
export async function bytesAfter({ text, encoding, bytes }: Source, splices: readonly Splice[]): Promise<Buffer> {
  refuseStandIns(text, splices);
  if (/^utf-(?:8|16)/.test(encoding) && text.isWellFormed()) {
    // What is well-formed there is written in one way only: encoded anew it is what it was.
    const lead = bytes.subarray(0, bytes.length - sizeOf(text, encoding));
    return Buffer.concat([lead, await encodeText(spliced(text, splices), encoding, false)]);
  }
  const parts: Uint8Array[] = [];
  let position = bytes.length - (await encodeText(text, encoding, false)).length;
  let from = 0;
  const skip = async (to: number): Promise<Buffer> => {
    const encoded = await encodeText(text.slice(from, to), encoding, false);
    const there = bytes.subarray(position, position + encoded.length);
    if (Buffer.compare(there, encoded) !== 0)
      throw new KernError('edit_refused', `The file is not quite ${encoding}: where the edit belongs cannot be told`, {
        hint: 'Nothing was changed. Convert it to UTF-8 with iconv through bash, or use a program.',
      });
    position += encoded.length;
    from = to;
    return there;
  };
  parts.push(bytes.subarray(0, position));
  for (const splice of splices) {
    parts.push(await skip(splice.start));
    await skip(splice.end);
    parts.push(await encodeText(splice.text, encoding, false));
  }
  parts.push(bytes.subarray(position));
  return Buffer.concat(parts);
}

const sizeOf = (text: string, encoding: string): number =>
  encoding === 'utf-8' ? Buffer.byteLength(text) : text.length * 2;

/** U+FFFD is what a model is shown for bytes that are no characters; written, it would take their place for good. */
function refuseStandIns(text: string, splices: readonly Splice[]): void {
  if (text.includes('\ufffd') || !splices.some((splice) => splice.text.includes('\ufffd'))) return;
  throw new KernError('edit_refused', 'The new text has U+FFFD, which stands for what could not be read', {
    hint: 'Give the character that is meant, or leave such places out of the edit.',
  });
}

/** What a file that is made begins as. */
export const newSource = (text: string): Source => ({
  text,
  encoding: 'utf-8',
  bom: false,
  bytes: Buffer.from(text, 'utf8'),
});
