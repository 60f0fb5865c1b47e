import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ImageContent } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** What `@file` arguments come to: files that the session keeps as they were, and images for the message. */
export interface Attached {
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly images: readonly ImageContent[];
}

/** More than this is for the agent to read, not for a prompt. */
const largestText = 1_048_576;
const largestImage = 10 * 1_048_576;

/** Tells `@file` arguments from messages. A sentence that begins with an @ and names no file is a message. */
export function splitFiles(
  words: readonly string[],
  cwd: string,
): { readonly files: readonly string[]; readonly messages: readonly string[] } {
  const isFile = (word: string): boolean =>
    word.length > 1 && word.startsWith('@') && (!/\s/.test(word) || existsSync(resolve(word.slice(1), cwd)));
  return { files: words.filter(isFile).map((word) => word.slice(1)), messages: words.filter((word) => !isFile(word)) };
}

export function attach(files: readonly string[], cwd: string): Attached {
  const read = files.map((file) => readAttachment(file, cwd));
  return { files: read.flatMap((one) => one.files), images: read.flatMap(({ images }) => images) };
}

const resolve = (file: string, cwd: string): string =>
  file.startsWith('~/') ? path.join(process.env.HOME ?? '~', file.slice(2)) : path.resolve(cwd, file);

function readAttachment(file: string, cwd: string): Attached {
  const bytes = readPlain(resolve(file, cwd), file);
  const mimeType = imageType(bytes);
  if (mimeType !== undefined) {
    return {
      files: [{ path: file, content: '(an image: it is attached to the message that follows)' }],
      images: [{ type: 'image', data: bytes.toString('base64'), mimeType }],
    };
  }
  if (bytes.includes(0)) {
    throw unreadable(
      file,
      'is neither text nor an image that models read (png, jpeg, gif, webp)',
      'Say in the message what it is, and let the agent look at it with its tools.',
    );
  }
  if (bytes.length > largestText) {
    throw unreadable(
      file,
      `holds ${Math.round(bytes.length / 1024)} KB, too much for a prompt`,
      'Name it in the message without the @: the agent reads the parts it needs.',
    );
  }
  return { files: [{ path: file, content: bytes.toString('utf8').replace(/^\uFEFF/, '') }], images: [] };
}

/** A pipe or a device would never end, so only plain files are opened. */
function readPlain(full: string, file: string): Buffer {
  const found = statSync(full, { throwIfNoEntry: false });
  if (found === undefined)
    throw unreadable(
      file,
      'is not there',
      `It was looked for at ${full}. To send the word as it is, put it in a sentence.`,
    );
  if (found.isDirectory())
    throw unreadable(file, 'is a folder', 'Give a file, or name the folder in the message without the @.');
  if (!found.isFile()) throw unreadable(file, 'is not a plain file');
  if (found.size > largestImage)
    throw unreadable(file, `holds ${Math.round(found.size / 1_048_576)} MB, too much for a prompt`);
  try {
    return readFileSync(full);
  } catch (error) {
    throw new KernError('file_unreadable', `@${file} cannot be read`, { cause: error });
  }
}

function unreadable(file: string, why: string, hint?: string): KernError {
  return new KernError('file_unreadable', `@${file} ${why}`, hint === undefined ? {} : { hint });
}

/** By its first bytes; names lie. */
export function imageType(bytes: Buffer): string | undefined {
  const begins = (text: string, at = 0): boolean => bytes.subarray(at, at + text.length).toString('latin1') === text;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  return undefined;
}

/** The text of an option that takes a text or the path of a file. */
export function textOrFile(value: string, cwd: string): string {
  if (value.length > 4_096 || value.includes('\n')) return value;
  const full = resolve(value, cwd);
  const found = statSync(full, { throwIfNoEntry: false });
  return found?.isFile() === true ? readFileSync(full, 'utf8') : value;
}
