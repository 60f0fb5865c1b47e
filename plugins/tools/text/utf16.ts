/** UTF-16 by its NULs: every plain letter has one, always on the same side. */
export function utf16WithoutMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(bytes.length / 2);
  let first = 0;
  let second = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (bytes[at] === 0) first += 1;
    if (bytes[at + 1] === 0) second += 1;
  }
  // A line end and a NUL are no text yet.
  if (pairs < 3 || first + second === 0) return undefined;
  const encoding = second > first ? 'utf-16le' : 'utf-16be';
  const [nuls, others] = second > first ? [second, first] : [first, second];
  if (others > 0 || (bytes.length % 2 !== 0 && bytes.at(-1) === 0)) return undefined;
  const text = decodeUtf16(Buffer.from(bytes.subarray(0, pairs * 2)), encoding);
  if (/[\p{Cc}--[\t\n\v\f\r]]|\p{Cn}|\p{Co}|\p{Cs}/v.test(text)) return undefined;
  if (nuls * 10 >= pairs * 7 || (pairs >= 16 && nuls * 10 >= pairs * 4)) return encoding;
  // Without Latin letters NULs stand in line ends, spaces and signs; in pairs of other bytes they end words.
  return pairs >= 16 && /[\n\r]/.test(text) && !/[a-z]/i.test(text) ? encoding : undefined;
}

/** Code units as they are: halves of pairs come back as what they were. */
export function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): string {
  return (encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
}

export function encodeUtf16(text: string, encoding: 'utf-16le' | 'utf-16be'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}
