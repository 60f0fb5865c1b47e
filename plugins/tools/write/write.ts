import {
  defineTool,
  errorResult,
  type FileStore,
  formatBytes,
  realPath,
  resolvePath,
  textResult,
} from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { z } from 'zod';

const parameters = z.object({ path: z.string().min(1), content: z.string() });

export interface WriteDetails {
  /** The real path. */
  readonly path: string;
  readonly state: 'created' | 'replaced';
  readonly bytes: number;
}

export const writeTool = (files: () => FileStore, maxBytes: number) =>
  defineTool<z.infer<typeof parameters>, WriteDetails>({
    name: 'write',
    description: 'Writes a whole file; makes it, and its folders, if need be. To change a part of a file use edit.',
    parameters,
    executionMode: 'sequential',
    effects: ({ path }, { cwd }) => [{ kind: 'write', path: realPath(resolvePath(path, cwd)) }],
    prepareArguments: otherNames,
    async execute(_id, { path, content }, signal, _onUpdate, { where, touched }) {
      const absolute = resolvePath(path, where.cwd);
      if (!content.isWellFormed())
        return errorResult('The content has half a character in it (a lone surrogate). Nothing was written.');
      const bytes = Buffer.from(content, 'utf8');
      if (absolute.includes('\0')) return errorResult(`${JSON.stringify(path)} is no path: it has a NUL in it.`);
      if (bytes.length > maxBytes)
        return errorResult(
          `The content has ${formatBytes(bytes.length)}; write takes up to ${formatBytes(maxBytes)}. Make the file with a program, through bash.`,
        );
      try {
        const done = await files().inOrder(absolute, () => {
          // Waiting for its turn it may have been given up.
          signal.throwIfAborted();
          return files().replace(absolute, bytes);
        });
        touched([absolute, done.path]);
        return textResult(
          `${done.state === 'created' ? 'Created' : 'Replaced'} ${path} (${formatBytes(bytes.length)}).`,
          { ...done, bytes: bytes.length },
        );
      } catch (error) {
        if (!(error instanceof KernError)) throw error;
        return errorResult(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`);
      }
    },
  });

/** As other agents' tools call them. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  const path =
    'path' in args ? args.path : 'file_path' in args ? args.file_path : 'filePath' in args ? args.filePath : undefined;
  const content = 'content' in args ? args.content : 'file_text' in args ? args.file_text : undefined;
  return { ...args, path, content };
}
