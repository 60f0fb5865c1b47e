// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are places of the texts.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { placedInShell } from './fill.ts';
import { isAllowedBy } from './shell-run.ts';

const evil = `a'b"c $(touch x) \`id\` ; rm -rf * && \${HOME} \\ # end`;
/** One argument, as a person would have to type it. */
const typed = `'${evil.replaceAll("'", `'"'"'`)}'`;

test.for([
  ['printf "%s\\n" x; echo $1', evil],
  ['echo "<$1>"', `<${evil}>`],
  ["echo '<$1>'", `<${evil}>`],
  ['echo "it is $HOME"\'$1\'', undefined],
  ['x=$(echo "$1"); echo "$x"', evil],
  ['echo a-$1-b', `a-${evil}-b`],
] as const)('an argument is a word in %j, whatever it holds', ([line, said]) => {
  const command = placedInShell(line, typed, 'claude') ?? expect.fail('refused');
  const out = execFileSync('/bin/sh', ['-c', command], { env: { HOME: 'home' }, encoding: 'utf8' }).trimEnd();
  expect(out.split('\n').at(-1)).toBe(said ?? `it is home${evil}`);
});

test.for([
  'echo `echo $1`',
  'sh -c "echo $1"',
  'bash -lc "$1"',
  'eval echo $1',
  'echo hi; eval "$1"',
  'printf -v $1 x',
  'echo "$(echo $1)"',
  'cat <<END\n$1\nEND',
  "echo $'$1'",
  'echo $$1',
  'echo \\$1',
  'echo "\\$1"',
  'echo $(( $1 ))',
  'test "$1"; [[ $1 -eq 1 ]]',
  'true # $1',
  'python3 -c "print($1)"',
])('what cannot be told for sure is refused: %j', (line) => {
  expect(placedInShell(line, typed, 'claude')).toBeUndefined();
});

test('what means itself anywhere is put in anywhere, and words stay words', () => {
  expect(placedInShell('echo `ls $1` $2', 'src/a.ts', 'claude')).toBe('echo `ls src/a.ts` ');
  expect(placedInShell('git add $ARGUMENTS', 'a.ts "b c.ts"', 'claude')).toBe("git add a.ts 'b c.ts'");
  expect(placedInShell('git log "$ARGUMENTS"', 'a "b c"', 'claude')).toBe(`git log ""'a "b c"'""`);
  expect(placedInShell('git diff ${1:-main | head} $1', '', 'claude')).toBe('git diff main | head ');
  expect(placedInShell('$1 true', 'if', 'claude')).toBe("'if' true");
  expect(placedInShell('grep {{args}} a.txt', 'it is; here', 'gemini')).toBe("grep 'it is; here' a.txt");
});

test.for([
  ['Bash(git:*)', 'git log -3', true],
  ['Bash(git log:*)', 'git push', false],
  ['Bash(git *)', 'git', true],
  ['Bash(git status)', 'git status', true],
  ['Bash(git status)', 'git status -s', false],
  ['Bash(git:*)', 'git status; rm x', false],
  ['Bash(git:*)', 'git log $(rm x)', false],
  ['Bash(git:*)', 'gitx', false],
  ['Bash', 'rm x; ls', true],
  ['Read', 'cat x', false],
] as const)('%s allows %j: %s', ([allowed, command, answer]) => {
  expect(isAllowedBy([allowed], command)).toBe(answer);
});
