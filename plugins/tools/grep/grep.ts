import { realPath, resolvePath, searching, type Tool } from 'kern/contracts';
import { z } from 'zod';
import { type GrepDetails, runGrep } from './run-grep.ts';

const parameters = z.object({
  pattern: z.string().min(1).describe('Regular expression'),
  path: z.string().min(1).describe('File or folder; default: the working directory').optional(),
  glob: z.string().min(1).describe('Only these files, like "*.ts" or "src/**/*.ts"').optional(),
  include: z.array(z.string().min(1)).describe('More such globs').optional(),
  exclude: z.array(z.string().min(1)).describe('Not these').optional(),
  type: z.string().min(1).describe('Like "ts", "py", "rust"').optional(),
  ignoreCase: z.boolean().optional(),
  literal: z.boolean().describe('The pattern is plain text').optional(),
  multiline: z.boolean().describe('Matches may span lines; . is also a line end').optional(),
  context: z.int().min(0).max(100).describe('Lines before and after').optional(),
  limit: z.int().min(1).describe('Default 100').optional(),
  offset: z.int().min(0).describe('First match to show, from 1').optional(),
});

export interface GrepSettings {
  /** Where ripgrep is; `false`: it is not used. */
  readonly rg?: string | false | undefined;
  /** Offered to the model without being asked for. */
  readonly active: boolean;
  /** In seconds. */
  readonly timeout?: number;
}

/** The tool grep, as the settings have it. */
export function createGrep({
  rg,
  active,
  timeout = searching.defaultLimitSeconds,
}: GrepSettings): Tool<z.infer<typeof parameters>, GrepDetails> & { parameters: typeof parameters } {
  return {
    name: 'grep',
    description:
      'Searches the contents of files with ripgrep. Answers with path:line: text, in order of path. What git ignores is left out, hidden files are not.',
    parameters,
    defaultActive: active,
    annotations: { readOnly: true },
    effects: ({ path = '.' }, { cwd }) => [{ kind: 'read', path: realPath(resolvePath(path, cwd)) }],
    prepareArguments: otherNames,
    execute: (_id, args, signal, onUpdate, context) =>
      runGrep(args, { signal, onUpdate, context, rg, seconds: timeout }),
  };
}

/** As the tools of other agents call the same things. */
function otherNames(args: unknown): unknown {
  const given = searching.respelled(args, {
    pattern: ['query', 'regex', 'search'],
    path: ['file_path', 'filePath', 'dir', 'directory', 'folder'],
    glob: ['file_pattern', 'filePattern'],
    ignoreCase: ['-i', 'i', 'ignore_case', 'case_insensitive', 'caseInsensitive'],
    literal: ['fixed_strings', 'fixedStrings'],
    context: ['-C', 'context_lines', 'contextLines', '-A', '-B', 'pre', 'post', 'before', 'after'],
    limit: ['head_limit', 'headLimit', 'max_results', 'maxResults', 'max_count'],
  });
  if (typeof given !== 'object' || given === null) return given;
  for (const name of ['case_sensitive', 'caseSensitive']) {
    if (!(name in given)) continue;
    const { [name]: isSensitive, ...rest } = given as Record<string, unknown>;
    return { ignoreCase: isSensitive === false || isSensitive === 'false', ...rest };
  }
  return given;
}
