import { defineTool, realPath } from 'kern/contracts';
import { z } from 'zod';
import { artifactId } from './artifact.ts';
import { meantPath, readPath } from './read-path.ts';
import type { ReadDetails } from './result.ts';

const parameters = z.object({
  path: z.string().min(1),
  offset: z.int().min(1).describe('First line to show, from 1').optional(),
  limit: z.int().min(1).describe('How many lines').optional(),
  encoding: z.string().describe('If the detected one is wrong; base64 for bytes').optional(),
});

export const readTool = (maxBytes: number) =>
  defineTool<z.infer<typeof parameters>, ReadDetails>({
    name: 'read',
    description:
      'Reads a text file, an image, a PDF or Office document, a notebook, or the names in a folder. At most 2000 lines or 50 KB at a time; the answer says how to go on with offset.',
    parameters,
    annotations: { readOnly: true },
    effects: ({ path }, { cwd }) =>
      // An artifact is what a tool of this session put out: its folder is known to the call alone.
      artifactId(path) === undefined ? [{ kind: 'read', path: realPath(meantPath(path, cwd)) }] : [],
    prepareArguments: otherNames,
    execute: (_id, args, signal, _onUpdate, { where, artifacts }) =>
      readPath(args, { cwd: where.cwd, maxBytes, artifacts }, signal),
  });

/** `file_path`, as other agents' tools call it. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || 'path' in args) return args;
  if ('file_path' in args) return { ...args, path: args.file_path };
  return 'filePath' in args ? { ...args, path: args.filePath } : args;
}
