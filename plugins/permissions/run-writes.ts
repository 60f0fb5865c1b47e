import { resolve } from 'node:path';
import type { Effect } from 'kern/contracts';
import { plainWords } from './command.ts';

type Run = Extract<Effect, { kind: 'run' }>;

/** Programs that change no file that they are told of. */
const reading = new Set(
  'cat head tail less more ls dir wc stat file diff cmp grep egrep fgrep rg test echo pwd realpath readlink basename dirname cd which type md5sum sha1sum sha256sum jq du tree'.split(
    ' ',
  ),
);
const gitReading = new Set(
  'add blame cat-file check-ignore commit describe diff grep log ls-files ls-tree rev-parse shortlog show status'.split(
    ' ',
  ),
);

/**
 * Files that a command may write, as far as its words tell: what it names and is no program that only reads. Of a line
 * that is more than plain words nothing is known, and no rule allows it.
 */
export function mayWrite({ command, argv, cwd }: Run): readonly string[] {
  const words = command === undefined ? argv : plainWords(command);
  const [program = '', ...rest] = words ?? [];
  const name = program.split(/[\\/]/).at(-1) ?? '';
  if (reading.has(name)) return [];
  if (name === 'git') {
    const verb = rest.find((word) => !word.startsWith('-')) ?? '';
    if (gitReading.has(verb)) return [];
    if (verb === 'config' && !rest.some((word) => /^(--get|--list|-l|get|list)/.test(word)))
      return [resolve(cwd, '.git/config')];
  }
  return rest.flatMap(pathsIn).map((path) => resolve(cwd, path));
}

/** `x`, `--to=x`, `of=x`, `-ox`. */
function pathsIn(word: string): readonly string[] {
  const [, after = ''] = /^[^=]*=(.+)$/.exec(word) ?? [];
  const [, glued = ''] = /^-[A-Za-z](.+)$/.exec(word) ?? [];
  return [word, after, glued].filter((one) => one !== '' && !one.startsWith('-'));
}
