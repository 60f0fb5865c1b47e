import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import {
  errorResult,
  type FileStore,
  formatBytes,
  resolvePath,
  type ToolContext,
  type ToolResult,
  textResult,
  truncateHead,
  whatIsThere,
} from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { applyEdits, type Edit } from './apply.ts';
import { patchOf } from './patch.ts';

export interface EditDetails {
  readonly diff: string;
  readonly patch: string;
  readonly firstChangedLine: number;
}

export interface EditArguments {
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** Reads, edits and replaces a file, alone with it meanwhile. What does not work is an error result. */
export async function editFile(
  { path, edits }: EditArguments,
  files: FileStore,
  maxBytes: number,
  signal: AbortSignal,
  { where, touched }: ToolContext,
): Promise<ToolResult<EditDetails>> {
  const absolute = resolvePath(path, where.cwd);
  if (absolute.includes('\0')) return errorResult(`${JSON.stringify(path)} is no path: it has a NUL in it.`);
  const diff = await import('diff');
  try {
    return await files.inOrder(absolute, async () => {
      signal.throwIfAborted();
      const bytes = await contentOf(absolute, path, maxBytes);
      const source = bytes.toString('latin1');
      if (source.startsWith('\u00ff\u00fe') || source.startsWith('\u00fe\u00ff'))
        throw refusal(`${path} is text in UTF-16, which edit does not take. Convert it with iconv through bash.`);
      const applied = applyEdits(source, edits, diff.diffArrays);
      if (!applied.ok) throw refusal(`${path} was not changed.\n${applied.problems.join('\n')}`);
      signal.throwIfAborted();
      const done = await files.replace(absolute, Buffer.from(applied.result, 'latin1'));
      touched([absolute, done.path]);
      const details = patchOf(path, source, applied.splices, diff.structuredPatch);
      const shown = truncateHead(details.diff);
      const rest = shown.truncated
        ? `\n[Showing the first ${shown.shownLines} of ${shown.totalLines} lines of the diff.]`
        : '';
      return textResult(
        `Edited ${path}${edits.length === 1 ? '' : ` (${edits.length} edits)`}:\n${shown.text.trimEnd()}${rest}`,
        details,
      );
    });
  } catch (error) {
    if (!(error instanceof KernError)) throw error;
    return errorResult(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`);
  }
}

const refusal = (text: string): KernError => new KernError('edit_refused', text);

async function contentOf(absolute: string, path: string, maxBytes: number): Promise<Buffer> {
  try {
    const found = await stat(absolute);
    if (found.isDirectory()) throw refusal(`${path} is a folder, not a file.`);
    if (!found.isFile()) throw refusal(`${path} is a pipe, a socket or a device, not a file.`);
    if (found.size > maxBytes)
      throw refusal(
        `${path} has ${formatBytes(found.size)}; edit takes files up to ${formatBytes(maxBytes)}. Use sed or a program through bash.`,
      );
    const handle = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KernError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw refusal(`${path} is not there. ${whatIsThere(absolute)} A new file is made with write.`);
    throw refusal(`${path} could not be read: ${code === 'EACCES' ? 'this user may not' : messageOf(error)}`);
  }
}
