import { realPath, resolvePath, searching, type Tool } from 'kern/contracts';
import { z } from 'zod';
import { type LsDetails, runLs } from './run-ls.ts';

const parameters = z.object({
  path: z.string().min(1).describe('Folder; default: the working directory').optional(),
  limit: z.int().min(1).describe('Default 500').optional(),
  recursive: z.boolean().describe('Also what is in folders below').optional(),
  depth: z.int().min(1).describe('How many levels of them').optional(),
});

export interface LsSettings {
  /** Offered to the model without being asked for. */
  readonly active: boolean;
  /** In seconds. */
  readonly timeout?: number;
}

/** The tool ls, as the settings have it. */
export function createLs({
  active,
  timeout = searching.defaultLimitSeconds,
}: LsSettings): Tool<z.infer<typeof parameters>, LsDetails> & { readonly parameters: typeof parameters } {
  return {
    name: 'ls',
    description:
      'Lists a folder, hidden files too: folders end with /, files have their size, links their target. Below it, folders that git ignores are not entered.',
    parameters,
    defaultActive: active,
    annotations: { readOnly: true },
    effects: ({ path = '.' }, { cwd }) => [{ kind: 'read', path: realPath(resolvePath(path, cwd)) }],
    prepareArguments: (args) =>
      searching.respelled(args, {
        path: ['file_path', 'filePath', 'dir', 'directory', 'folder'],
        limit: ['max_results', 'maxResults'],
        recursive: ['-R', 'recurse'],
        depth: ['max_depth', 'maxDepth', 'levels'],
      }),
    execute: (_id, args, signal, onUpdate, context) => runLs(args, { signal, onUpdate, context, seconds: timeout }),
  };
}
