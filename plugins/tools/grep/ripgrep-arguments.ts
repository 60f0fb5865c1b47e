import type { Query } from './query.ts';
import { columns } from './ripgrep-output.ts';

/** Which order hits come in; in order of path ripgrep works with one thread alone. */
export type Order = 'path' | 'any';

/** Prints hits as the reader of output expects them. */
export function argumentsForHits(query: Query, order: Order): readonly string[] {
  const { pattern, ignoreCase, multiline, dotAll, context, mostHits } = query;
  return [
    '--color=never',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--null',
    '--crlf',
    '--no-context-separator',
    `--max-columns=${columns}`,
    '--max-columns-preview',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    // Across lines it would count matches, and there may be many in a line. With lines around hits, ripgrep 15 marks some
    // of those as hits where there is a most, as it does with `^$` and the line end before them.
    ...(multiline ? ['--multiline'] : context > 0 ? [] : [`--max-count=${mostHits}`]),
    ...(dotAll ? ['--multiline-dotall'] : []),
    ...(context > 0 ? [`--context=${context}`] : []),
    ...argumentsForFiles(query, order),
    '-e',
    pattern.rust,
    ...placesOf(query),
  ];
}

/**
 * Prints `path NUL number LF` for each file: the number is not 0 where a line is no UTF-8, of which `.` takes nothing
 * else. Files without such a line come as well, so that in order of path it is seen how far the search has come.
 */
export function argumentsForOthers(query: Query, order: Order): readonly string[] {
  const zero = order === 'path' ? ['--include-zero'] : [];
  const how = ['--invert-match', '--count', '--max-count=1', ...zero];
  return [
    '--color=never',
    '--with-filename',
    '--null',
    ...how,
    ...argumentsForFiles(query, order),
    '-e',
    '^.*$',
    ...placesOf(query),
  ];
}

function argumentsForFiles({ names, excluded, isIgnored, isInRepository }: Query, order: Order): readonly string[] {
  return [
    '--hidden',
    '--no-ignore-messages',
    ...(order === 'path' ? ['--sort=path'] : []),
    ...(isIgnored ? ['--no-ignore-parent'] : []),
    // Where there is no repository, .gitignore counts as well. With this, its rules would reach into repositories below.
    ...(isInRepository && !isIgnored ? [] : ['--no-require-git']),
    // A type, unlike a glob, does not bring back what git ignores.
    ...names.flatMap((name) => ['--type-add', `kern:${name}`]),
    ...(names.length > 0 ? ['--type=kern'] : []),
    '--glob=!.git',
    ...excluded.map((glob) => `--glob=!${glob}`),
  ];
}

const placesOf = ({ file, folders }: Query): readonly string[] => [
  '--',
  ...(file === undefined ? folders.map((folder) => `./${folder}`) : [`./${file}`]),
];
