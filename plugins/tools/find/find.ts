import { realPath, resolvePath, searching, type Tool } from 'kern/contracts';
import { z } from 'zod';
import { type FindDetails, runFind } from './run-find.ts';

const parameters = z.object({
  pattern: z.string().min(1).describe('Glob, like "*.ts", "src/**/*.test.ts", "docs/"'),
  path: z.string().min(1).describe('Folder; default: the working directory').optional(),
  limit: z.int().min(1).describe('Default 1000').optional(),
  sort: z.enum(['path', 'time']).describe('time: the newest first').optional(),
});

export interface FindSettings {
  /** Offered to the model without being asked for. */
  readonly active: boolean;
  /** In seconds. */
  readonly timeout?: number;
}

/** The tool find, as the settings have it. */
export function createFind({
  active,
  timeout = searching.defaultLimitSeconds,
}: FindSettings): Tool<z.infer<typeof parameters>, FindDetails> & { readonly parameters: typeof parameters } {
  return {
    name: 'find',
    description:
      'Finds files and folders by a glob: without a slash by name at any depth, with one by path from the searched folder. What git ignores is left out, hidden files are not. Lower case fits either case.',
    parameters,
    defaultActive: active,
    annotations: { readOnly: true },
    effects: ({ path = '.' }, { cwd }) => [{ kind: 'read', path: realPath(resolvePath(path, cwd)) }],
    prepareArguments: (args) =>
      searching.respelled(args, {
        pattern: ['glob', 'glob_pattern', 'globPattern', 'name', 'query'],
        path: ['file_path', 'filePath', 'dir', 'directory', 'folder', 'cwd'],
        limit: ['max_results', 'maxResults', 'head_limit', 'headLimit'],
        sort: ['sort_by', 'sortBy'],
      }),
    execute: (_id, args, signal, onUpdate, context) => runFind(args, { signal, onUpdate, context, seconds: timeout }),
  };
}
