import { isUtf8 } from 'node:buffer';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import {
  detectEncoding,
  encodingName,
  errorResult,
  formatBytes,
  formatOver,
  realPath,
  resolvePath,
  spelledAs,
  textResult,
  whatIsThere,
} from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { artifactId, findArtifact } from './artifact.ts';
import { documentText, kindOfZip } from './document.ts';
import { readFolder } from './folder.ts';
import { readImage } from './image.ts';
import { notebookText } from './notebook.ts';
import { type PageWanted, pageOf, type ReadResult, type Source } from './result.ts';
import { sniff } from './sniff.ts';
import { readText } from './text-file.ts';

export interface ReadArguments {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly encoding?: string | undefined;
}

export interface ReadOptions {
  readonly cwd: string;
  /** What is read as a whole, images and documents, is at most this large. */
  readonly maxBytes: number;
  readonly artifacts: () => Promise<string>;
}

/** How much is looked at, and how much of other files is shown as base64. */
const startBytes = 64 * 1024;

/** The file that is meant: names that look the same are the same. */
export const meantPath = (path: string, cwd: string): string => spelledAs(resolvePath(path, cwd));

/** What is at a path, as a model can read it. What cannot be read is an error result that says what to do. */
export async function readPath(args: ReadArguments, options: ReadOptions, signal: AbortSignal): Promise<ReadResult> {
  const { path, offset = 1, limit } = args;
  if (path.includes('\0')) return errorResult(`${JSON.stringify(path)} is no path: it has a NUL in it.`);
  let absolute = meantPath(path, options.cwd);
  let handle: FileHandle | undefined;
  try {
    const id = artifactId(path);
    if (id !== undefined) {
      const found = findArtifact(id, await options.artifacts());
      if ('known' in found)
        return errorResult(
          `${path} is not there. ${found.known.length === 0 ? 'There are no artifacts yet.' : `There are ${found.known.join(', ')}.`}`,
        );
      absolute = found.path;
    }
    const found = await stat(absolute);
    if (found.isDirectory()) return await readFolder(absolute, { offset, limit });
    const special = specialKind(found);
    if (special !== undefined)
      return errorResult(`${path} is ${special}: reading it might never end. Use bash if you know what it gives.`);
    // Something else may stand there by now: opening a pipe without this waits for its writer.
    handle = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = await handle.stat();
    if (!opened.isFile()) return errorResult(`${path} is ${specialKind(opened) ?? 'not a file'}: it is not read.`);
    const source = { path, real: realPath(absolute), size: opened.size };
    return await readFile(handle, source, { offset, limit }, args.encoding, options.maxBytes, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return errorResult(explained(error, path, absolute));
  } finally {
    await handle?.close();
  }
}

async function readFile(
  handle: FileHandle,
  source: Source,
  wanted: PageWanted,
  encoding: string | undefined,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadResult> {
  const { path, size } = source;
  const start = Buffer.alloc(startBytes);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  const sample = start.subarray(0, bytesRead);
  if (encoding?.trim().toLowerCase() === 'base64') return base64(sample, source);
  if (encoding !== undefined) {
    const isAll = bytesRead < startBytes;
    const looks = await detectEncoding(sample, isAll);
    // Damaged UTF-8 looks like it and is not.
    const found = { encoding: looks.encoding, isAll: isAll && isUtf8(sample) };
    return readText(handle, source, { ...(await forced(encoding, sample)), looks: found }, wanted, signal);
  }

  const content = await sniff(sample, bytesRead < startBytes);
  if (content.kind === 'binary') return errorResult(binaryText(path, size, content.what));
  const isNotebook = content.kind === 'text' && path.toLowerCase().endsWith('.ipynb');
  if (content.kind === 'text' && (!isNotebook || size > maxBytes))
    return readText(handle, source, { ...content, isGuess: true }, wanted, signal);
  if (size > maxBytes) {
    const [has, limit] = formatOver(size, maxBytes);
    return errorResult(
      `${path} has ${has}; an image or a document is read up to ${limit}. Make a smaller copy, or use a program through bash.`,
    );
  }

  const bytes = await wholeOf(handle, size);
  const { kind } = content;
  if (kind === 'image') return readImage(bytes, content.mimeType, source);
  if (kind === 'text') {
    const cells = notebookText(bytes.toString('utf8'));
    if (cells === undefined) return readText(handle, source, { ...content, isGuess: true }, wanted, signal);
    return pageOf(cells, source, { path: source.real, kind: 'notebook', size }, wanted);
  }
  const format = kind === 'pdf' ? 'pdf' : await kindOfZip(bytes);
  if (format === undefined) return errorResult(binaryText(path, size, 'a zip archive (`unzip -l` lists it)'));
  const text = await documentText(bytes, format, signal);
  return pageOf(text, source, { path: source.real, kind: 'document', size }, wanted);
}

const binaryText = (path: string, size: number, what: string): string =>
  `${path} is not text but ${what}, ${formatBytes(size)}. Use a program for it through bash; encoding: "base64" gives its first ${formatBytes(startBytes)}.`;

function base64(bytes: Buffer, { real, path, size }: Source): ReadResult {
  const rest =
    size > bytes.length ? `\n\n[The first ${formatBytes(bytes.length)} of ${formatBytes(size)} of ${path}.]` : '';
  return textResult(`${bytes.toString('base64')}${rest}`, {
    path: real,
    kind: 'bytes',
    size,
    truncated: rest !== '',
  });
}

/** An encoding that was asked for. A mark at the start is a mark all the same. */
async function forced(encoding: string, sample: Buffer) {
  const name = await encodingName(encoding);
  if (name === undefined)
    throw new KernError('unknown_encoding', `there is no encoding ${encoding}`, {
      hint: 'For example utf-8, utf-16le, windows-1252, shift_jis, gb18030, or base64 for the bytes.',
    });
  const marks: Readonly<Record<string, readonly number[]>> = {
    'utf-8': [0xef, 0xbb, 0xbf],
    'utf-16le': [0xff, 0xfe],
    'utf-16be': [0xfe, 0xff],
    'utf-32le': [0xff, 0xfe, 0, 0],
    'utf-32be': [0, 0, 0xfe, 0xff],
  };
  const starts = (of: string): boolean => marks[of]?.every((byte, at) => sample[at] === byte) ?? false;
  const exact = name === 'utf-16' || name === 'utf-32' ? (starts(`${name}be`) ? `${name}be` : `${name}le`) : name;
  return { encoding: exact, bomBytes: starts(exact) ? (marks[exact]?.length ?? 0) : 0, isGuess: false };
}

async function wholeOf(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** What is neither a file nor a folder. */
function specialKind(stats: Stats): string | undefined {
  if (stats.isFIFO()) return 'a pipe (FIFO)';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return undefined;
}

function explained(error: unknown, path: string, absolute: string): string {
  if (error instanceof KernError)
    return `${path} could not be read: ${error.message}.${error.hint === undefined ? '' : ` ${error.hint}`}`;
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${path} is not there. ${whatIsThere(absolute)}`;
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be read by this user.`;
    case 'ELOOP':
      return `${path}: its symlinks go in a circle.`;
    case 'ENAMETOOLONG':
      return `${path.slice(0, 200)}… is longer than a path can be.`;
    default:
      return `${path} could not be read: ${messageOf(error)}`;
  }
}
