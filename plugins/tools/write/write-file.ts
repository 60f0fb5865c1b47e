import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  errorResult,
  exactPath,
  type FileStore,
  formatBytes,
  formatOver,
  lineEndName,
  newFileText,
  realPath,
  replacementText,
  type StyledText,
  type ToolContext,
  type ToolResult,
  textResult,
} from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';

export interface WriteArguments {
  readonly path: string;
  readonly content: string;
}

/** What writing needs of the world around it. */
export interface WriteGround {
  readonly files: FileStore;
  readonly maxBytes: number;
  /** Whether a file, by its real path, is another than the session has seen. */
  readonly hasChanged: (path: string) => boolean;
}

export interface WriteDetails {
  /** The real path. */
  readonly path: string;
  readonly state: 'created' | 'replaced';
  readonly bytes: number;
  readonly encoding: string;
}

/** Puts a content into a file, in the encoding and with the line ends that belong there. What does not work is an error result. */
export async function writeFile(
  { path, content }: WriteArguments,
  { files, maxBytes, hasChanged }: WriteGround,
  signal: AbortSignal,
  { where, touched }: Pick<ToolContext, 'where' | 'touched'>,
): Promise<ToolResult<WriteDetails>> {
  if (path.includes('\0')) return errorResult(`${JSON.stringify(path)} is no path: it has a NUL in it.`);
  if (!path.isWellFormed()) return errorResult(`${JSON.stringify(path)} is no path: it has half a character in it.`);
  if (!content.isWellFormed())
    return errorResult('The content has half a character in it (a lone surrogate). Nothing was written.');
  const tooLarge = tooLargeText(Buffer.byteLength(content), maxBytes);
  if (tooLarge !== undefined) return errorResult(tooLarge);
  const absolute = exactPath(path, where.cwd);
  try {
    return await files.inOrder(
      absolute,
      async () => {
        // Waiting for its turn it may have been given up.
        signal.throwIfAborted();
        if (hasChanged(realPath(absolute))) return errorResult(changedText(path));
        const before = await contentOf(absolute, maxBytes);
        const text =
          before === undefined
            ? await newFileText(content, realPath(absolute))
            : await replacementText(content, before);
        const larger = tooLargeText(text.bytes.length, maxBytes);
        if (larger !== undefined) return errorResult(larger);
        signal.throwIfAborted();
        const done = await files.replace(absolute, text.bytes);
        touched([absolute, done.path]);
        return textResult(`${done.state === 'created' ? 'Created' : 'Replaced'} ${path} (${styleOf(text)}).`, {
          ...done,
          bytes: text.bytes.length,
          encoding: text.encoding,
        });
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof KernError)) throw error;
    const what =
      error.code === 'text_not_encodable'
        ? `${path} was not written: ${error.message}, and the file is in it`
        : error.message;
    return errorResult(error.hint === undefined ? what : `${what}. ${error.hint}`);
  }
}

function tooLargeText(bytes: number, maxBytes: number): string | undefined {
  if (bytes <= maxBytes) return undefined;
  const [size, limit] = formatOver(bytes, maxBytes);
  return `The content has ${size}; write takes up to ${limit}. Make the file with a program, through bash.`;
}

const changedText = (path: string): string =>
  `${path} has changed since it was last read or written here, by someone else or by a command: nothing was written. Read it again, then write what takes that in; to change a part of it use edit.`;

/** What a model could not know: an encoding, line ends that are not those it gave. */
function styleOf({ bytes, encoding, bom, lineEnd, because }: StyledText): string {
  return [
    formatBytes(bytes.length),
    ...(encoding === 'utf-8' ? (bom ? ['with a byte order mark'] : []) : [`in ${encoding}`]),
    ...(because === undefined
      ? []
      : [`${lineEnd === undefined ? 'mixed' : lineEndName(lineEnd)} line ends, as ${because} has them`]),
  ].join('; ');
}

/** What is there, as far as its style could be kept; undefined if nothing is. What cannot be read is for the writing to say. */
async function contentOf(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      return found.isFile() && found.size <= maxBytes ? await handle.readFile() : Buffer.alloc(0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' ? undefined : Buffer.alloc(0);
  }
}
