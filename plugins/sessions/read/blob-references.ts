import { isRaw } from './message.ts';

/** The bytes behind a SHA-256 of 64 hex digits; undefined when they are gone. */
export type ResolveBlob = (sha256: string) => Uint8Array | undefined;

const prefix = 'blob:sha256:';
const reference = /^blob:sha256:([0-9a-f]{64})$/;

/** Whether there may be one on a line: most have none, and are not looked through. */
export const mayHaveBlobs = (line: Buffer): boolean => line.includes(`"${prefix}`);

/** The value with what its references stand for: of an image base64, else text. What is missing stays a reference. */
export function withBlobs(value: unknown, resolve: ResolveBlob, missing: (sha256: string) => void): unknown {
  const read = (text: string, isImage: boolean): string => {
    const hash = text.startsWith(prefix) ? reference.exec(text)?.[1] : undefined;
    if (hash === undefined) return text;
    const bytes = resolve(hash);
    if (bytes === undefined) missing(hash);
    return bytes === undefined
      ? text
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isImage ? 'base64' : 'utf8');
  };
  const walk = (item: unknown, isImage: boolean): unknown => {
    if (typeof item === 'string') return read(item, isImage);
    if (Array.isArray(item)) return item.map((one: unknown) => walk(one, false));
    if (!isRaw(item)) return item;
    const holdsImage = item.type === 'image';
    return Object.fromEntries(Object.entries(item).map(([key, one]) => [key, walk(one, holdsImage && key === 'data')]));
  };
  return walk(value, false);
}
