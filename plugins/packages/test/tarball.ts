import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A member of an archive as tests want it: also such as no honest program writes. */
export interface TarMember {
  readonly name: string;
  readonly text?: string;
  readonly kind?: string;
  readonly link?: string;
  readonly mode?: number;
}

/** A tarball as npm packs it: everything below `package/`. */
export function tarball(files: Readonly<Record<string, string>>): Buffer {
  return archive(Object.entries(files).map(([name, text]) => ({ name: `package/${name}`, text })));
}

/** A gzipped archive of exactly these members. */
export function archive(members: readonly TarMember[]): Buffer {
  const blocks = members.flatMap((member) => {
    const bytes = Buffer.from(member.text ?? '');
    const rest = Buffer.alloc((512 - (bytes.length % 512)) % 512);
    return [headOf(member, bytes.length), bytes, rest];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function headOf({ name, kind = '0', link = '', mode = 0o644 }: TarMember, size: number): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0, 100);
  head.write(octal(mode, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(size, 11), 124);
  head.write(octal(0, 11), 136);
  head.fill(' ', 148, 156);
  head.write(kind, 156);
  head.write(link, 157, 100);
  head.write('ustar\0', 257, 'latin1');
  head.write('00', 263);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return head;
}

const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0');

export const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
