import { defineTool, realPath, resolvePath } from 'kern/contracts';
import { z } from 'zod';
import { type ReadDetails, readPath } from './read-path.ts';

const parameters = z.object({
  path: z.string().min(1),
  offset: z.int().min(1).describe('First line to show, from 1').optional(),
  limit: z.int().min(1).describe('How many lines').optional(),
});

export const read = defineTool<z.infer<typeof parameters>, ReadDetails>({
  name: 'read',
  description:
    'Reads a text file, an image (png, jpeg, gif, webp) or the names in a folder. At most 2000 lines or 50 KB at a time; the answer says how to go on with offset.',
  parameters,
  annotations: { readOnly: true },
  effects: ({ path }, { cwd }) => [{ kind: 'read', path: realPath(resolvePath(path, cwd)) }],
  prepareArguments: otherNames,
  execute: (_id, args, signal, _onUpdate, { where }) => readPath(args, where.cwd, signal),
});

/** `file_path`, as other agents' tools call it. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || 'path' in args) return args;
  if ('file_path' in args) return { ...args, path: args.file_path };
  return 'filePath' in args ? { ...args, path: args.filePath } : args;
}
