import { defineTool, exactPath, type FileStore, realPath } from 'kern/contracts';
import { z } from 'zod';
import type { WriteDetails } from './write-file.ts';

const parameters = z.object({ path: z.string().min(1), content: z.string() });

export const writeTool = (
  files: () => FileStore,
  maxBytes: number,
  /** Whether a file, by its real path, is another than the session has seen. */
  hasChanged: (path: string) => boolean = () => false,
) =>
  defineTool<z.infer<typeof parameters>, WriteDetails>({
    name: 'write',
    description: 'Writes a whole file; makes it, and its folders, if need be. To change a part of a file use edit.',
    parameters,
    executionMode: 'sequential',
    effects: ({ path }, { cwd }) => [{ kind: 'write', path: realPath(exactPath(path, cwd)) }],
    prepareArguments: otherNames,
    async execute(_id, args, signal, _onUpdate, context) {
      const { writeFile } = await import('./write-file.ts');
      return writeFile(args, { files: files(), maxBytes, hasChanged }, signal, context);
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
