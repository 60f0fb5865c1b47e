import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import {
  errorResult,
  formatBytes,
  realPath,
  resolvePath,
  type ToolResult,
  textResult,
  truncateHead,
  whatIsThere,
} from 'kern/contracts';
import { codeOf, messageOf } from 'kern/plugin';
import { type Page, readLines } from './lines.ts';
import { sniff } from './sniff.ts';

export interface ReadArguments {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ReadDetails {
  /** The real path. */
  readonly path: string;
  readonly kind: 'text' | 'image' | 'folder';
  readonly size: number;
  /** The lines that are shown, from 1. */
  readonly lines?: readonly [from: number, to: number];
  /** Known when the end of the file was reached. */
  readonly totalLines?: number;
  readonly truncated: boolean;
}

type Result = ToolResult<ReadDetails>;

/** Models take images up to 5 MB as base64, which is a third longer than the file. */
const imageLimit = 3.5 * 1024 * 1024;

/** What is at a path, as a model can read it. What cannot be read is an error result that says what to do. */
export async function readPath(
  { path, offset = 1, limit }: ReadArguments,
  cwd: string,
  signal: AbortSignal,
): Promise<Result> {
  const absolute = resolvePath(path, cwd);
  if (absolute.includes('\0')) return errorResult(`${JSON.stringify(path)} is no path: it has a NUL in it.`);
  let handle: FileHandle | undefined;
  try {
    const found = await stat(absolute);
    if (found.isDirectory()) return await readFolder(absolute, offset, limit);
    const special = specialKind(found);
    if (special !== undefined)
      return errorResult(`${path} is ${special}: reading it might never end. Use bash if you know what it gives.`);
    // Something else may stand there by now: opening a pipe without this waits for its writer.
    handle = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = await handle.stat();
    if (!opened.isFile()) return errorResult(`${path} is ${specialKind(opened) ?? 'not a file'}: it is not read.`);
    return await readFile(handle, path, realPath(absolute), opened.size, offset, limit, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return errorResult(explained(error, path, absolute));
  } finally {
    await handle?.close();
  }
}

async function readFile(
  handle: FileHandle,
  path: string,
  real: string,
  size: number,
  offset: number,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<Result> {
  const start = Buffer.alloc(8192);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  const content = sniff(start.subarray(0, bytesRead));
  if (content.kind === 'image') return readImage(handle, path, real, size, content.mimeType);
  if (content.kind === 'binary')
    return errorResult(
      `${path} is not text but ${content.what}, ${formatBytes(size)}. Use a program for it through bash, or \`xxd\` for its bytes.`,
    );

  const page = await readLines(handle, { offset, limit, bomBytes: content.bomBytes, signal });
  if (page.lines.length === 0 && page.totalLines === 0)
    return textResult('(empty file)', { path: real, kind: 'text', size, totalLines: 0, truncated: false });
  if (page.lines.length === 0) {
    return errorResult(
      `${path} has ${page.totalLines} ${page.totalLines === 1 ? 'line' : 'lines'}: there is no line ${offset}.`,
    );
  }
  const last = offset + page.lines.length - 1;
  const text = page.lines.join('\n');
  const notice = noticeOf(page, path, size, offset, last);
  return textResult(notice === undefined ? text : `${text}\n\n${notice}`, {
    path: real,
    kind: 'text',
    size,
    lines: [offset, last],
    ...(page.totalLines === undefined ? {} : { totalLines: page.totalLines }),
    truncated: page.more,
  });
}

function noticeOf(page: Page, path: string, size: number, offset: number, last: number): string | undefined {
  const of = page.totalLines === undefined ? ` of ${formatBytes(size)}` : ` of ${page.totalLines}`;
  if (page.cutLine !== undefined) {
    const more = page.more ? ` Use offset=${last + 1} for what follows.` : '';
    return `[Line ${last} is ${formatBytes(page.cutLine.bytes)}${page.cutLine.isAll ? '' : ' or more'}; its first ${formatBytes(page.cutLine.shown)} are shown. The rest: sed -n '${last}p' ${quoted(path)} | tail -c +${page.cutLine.shown + 1} | head -c 50000.${more}]`;
  }
  if (!page.more) return undefined;
  const why = page.by === 'bytes' ? ' (50 KB limit)' : '';
  return `[Showing lines ${offset}-${last}${of}${why}. Use offset=${last + 1} to continue.]`;
}

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

async function readImage(
  handle: FileHandle,
  path: string,
  real: string,
  size: number,
  mimeType: string,
): Promise<Result> {
  if (size > imageLimit)
    return errorResult(
      `${path} is an image (${mimeType}) of ${formatBytes(size)}; models take up to ${formatBytes(imageLimit)}. Make a smaller copy first.`,
    );
  const data = (await handle.readFile()).toString('base64');
  return {
    content: [
      { type: 'text', text: `${path}: ${mimeType}, ${formatBytes(size)}` },
      { type: 'image', data, mimeType },
    ],
    details: { path: real, kind: 'image', size, truncated: false },
  };
}

async function readFolder(folder: string, offset: number, limit: number | undefined): Promise<Result> {
  const names: string[] = [];
  for await (const entry of await opendir(folder))
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name);
  names.sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : a < b ? -1 : 1,
  );
  const details = { path: realPath(folder), kind: 'folder', size: names.length, totalLines: names.length } as const;
  if (names.length === 0) return textResult(`(empty folder)`, { ...details, truncated: false });
  if (offset > names.length) return errorResult(`${folder} has ${names.length} entries: there is no entry ${offset}.`);
  // A name may hold a newline; the list has to stay a list.
  const wanted = names
    .slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit)
    .map((name) => name.replaceAll('\n', '\\n'));
  const shown = truncateHead(wanted.join('\n'));
  const last = offset + shown.shownLines - 1;
  const more = last < names.length;
  const text = more
    ? `${shown.text}\n\n[Showing entries ${offset}-${last} of ${names.length}. Use offset=${last + 1} to continue.]`
    : shown.text;
  return textResult(text, { ...details, lines: [offset, last], truncated: more });
}

/** What is neither a file nor a folder. */
function specialKind(stats: Stats): string | undefined {
  if (stats.isFIFO()) return 'a pipe (FIFO)';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return undefined;
}

function explained(error: unknown, path: string, absolute: string): string {
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
