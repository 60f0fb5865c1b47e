import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { limits } from './content.ts';

/** A plain file of an archive. */
interface Member {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isProgram: boolean;
}

/**
 * Writes the plain files of an archive below a folder, and answers what was left out: links and devices. `strip`: the first
 * folder of each name goes, as npm packs.
 */
export async function unpack(
  archive: Buffer,
  folder: string,
  options: { readonly strip: boolean },
): Promise<readonly string[]> {
  const { members, others } = membersOf(await plain(archive), options.strip);
  const made = new Set<string>();
  for (const { name, bytes, isProgram } of members) {
    const file = path.join(folder, ...name.split('/'));
    const above = path.dirname(file);
    if (!made.has(above)) await mkdir(above, { recursive: true });
    made.add(above);
    await writeFile(file, bytes, { mode: isProgram ? 0o755 : 0o644 });
  }
  return others;
}

async function plain(archive: Buffer): Promise<Buffer> {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) {
    if (archive.length >= block && isHead(archive.subarray(0, block))) return archive;
    throw broken('it is no .tgz');
  }
  try {
    return await promisify(gunzip)(archive, { maxOutputLength: limits.bytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE')
      throw new KernError(
        'package_archive',
        `the archive is larger than kern takes: more than ${limits.bytes / 1_048_576} MB unpacked`,
        { cause, hint: 'Unpack it, and install the folder; or ask its author what of it is needed.' },
      );
    throw new KernError('package_archive', `the archive cannot be unpacked: ${messageOf(cause)}`, {
      cause,
      hint: 'It came only in part, or was damaged: fetch it again.',
    });
  }
}

const block = 512;

function membersOf(
  tar: Buffer,
  strip: boolean,
): { readonly members: readonly Member[]; readonly others: readonly string[] } {
  const members = new Map<string, Member>();
  const others: string[] = [];
  let longName: string | undefined;
  let pax: Readonly<Record<string, string>> = {};
  for (let at = 0; at + block <= tar.length; ) {
    const head = tar.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) break;
    if (!isHead(head)) throw broken('a header is damaged');
    const size = pax.size === undefined ? octal(head, 124, 12) : Number(pax.size);
    const bytes = tar.subarray(at + block, at + block + size);
    if (!Number.isSafeInteger(size) || bytes.length < size) throw broken('it ends too early');
    at += block + Math.ceil(size / block) * block;
    const kind = String.fromCharCode(head[156] ?? 0);
    if (kind === 'g') continue;
    if (kind === 'x') {
      pax = paxOf(bytes);
      continue;
    }
    if (kind === 'L') {
      longName = text(bytes, 0, bytes.length);
      continue;
    }
    const prefix = text(head, 257, 5) === 'ustar' ? text(head, 345, 155) : '';
    const said = pax.path ?? longName ?? (prefix === '' ? '' : `${prefix}/`) + text(head, 0, 100);
    pax = {};
    longName = undefined;
    const name = strip ? said.replace(/^\.?\/*[^/]+\//, '') : said.replace(/^\.\//, '');
    if (kind === '5' || name === '') continue;
    if (kind !== '0' && kind !== '\0') {
      others.push(name);
      continue;
    }
    if (!isInside(name)) throw broken(`${JSON.stringify(said)} would lie outside of the package`);
    members.set(name, { name, bytes, isProgram: (octal(head, 100, 8) & 0o100) !== 0 });
    if (members.size > limits.files) throw broken(`it holds more than ${limits.files} files`);
  }
  if (members.size === 0) throw broken('it holds no file');
  return { members: [...members.values()], others };
}

/** By parts, as every system may read them. */
function isInside(name: string): boolean {
  const parts = name.split(/[/\\]/);
  return (
    !name.includes('\0') && !/^(?:[/\\]|[a-zA-Z]:)/.test(name) && parts.every((part) => part !== '..' && part !== '')
  );
}

function isHead(head: Buffer): boolean {
  const sum = head.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  return octal(head, 148, 8) === sum;
}

function text(from: Buffer, at: number, length: number): string {
  const part = from.subarray(at, at + length);
  const end = part.indexOf(0);
  return part.toString('utf8', 0, end < 0 ? part.length : end);
}

const octal = (from: Buffer, at: number, length: number): number =>
  Number.parseInt(text(from, at, length).trim() || '0', 8);

/** `<length> <key>=<value>\n`, again and again. */
function paxOf(bytes: Buffer): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, blank));
    if (blank < 0 || !(length > 0)) break;
    const [, key = '', value = ''] = /^([^=]*)=(.*)\n$/s.exec(bytes.toString('utf8', blank + 1, at + length)) ?? [];
    if (key === 'path' || key === 'size') found[key] = value;
    at += length;
  }
  return found;
}

const broken = (why: string): KernError =>
  new KernError('package_archive', `the archive is not one of a package: ${why}`, {
    hint: '`npm pack` makes one; fetch it again, or ask its author.',
  });
