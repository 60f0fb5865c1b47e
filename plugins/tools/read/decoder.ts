/** Turns the bytes of a file into UTF-8, a chunk at a time; without a chunk: what is left at the end. */
export type Decode = (chunk?: Buffer) => Buffer;

/** Undefined for UTF-8, whose bytes are what is wanted. */
export async function decoderTo8(encoding: string): Promise<Decode | undefined> {
  if (encoding === 'utf-8') return undefined;
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    return (chunk) => Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
  }
  const { default: iconv } = await import('iconv-lite');
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  return (chunk) => Buffer.from(chunk === undefined ? (decoder.end() ?? '') : decoder.write(chunk));
}
