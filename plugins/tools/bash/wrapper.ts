import { basename } from 'node:path';

// Both are one line, so that the lines which the shell names in its messages are those of the command. The command, the
// file of the state and the snapshot come as arguments; nothing is written into the text.

const dump = (list: string): string =>
  `__kern_end() { { set +exu; [ -z "$__kern_state" ] || { printf '%s\\0' "$PWD"; ${list}; printf 'end\\0'; } >| "$__kern_state"; __kern_state=; } 2>/dev/null; }`;

const bash = [
  '__kern_state=$1 __kern_command=$2',
  '[ -z "$3" ] || { shopt -s expand_aliases; . "$3"; } >/dev/null 2>&1 </dev/null',
  'set --',
  // With builtins alone, so that a session that has lost its PATH can still tell it; without a fork, and written at
  // once. The loop is for a bash older than mapfile.
  dump(
    [
      `local __kern_name __kern_names=() __kern_pairs=()`,
      `compgen -e >| "$__kern_state.names"`,
      `mapfile -t __kern_names < "$__kern_state.names" || while IFS= read -r __kern_name; do __kern_names+=("$__kern_name"); done < "$__kern_state.names"`,
      `for __kern_name in "\${__kern_names[@]}"; do __kern_pairs+=("$__kern_name=\${!__kern_name}"); done`,
      `printf '%s\\0' "\${__kern_pairs[@]}"`,
    ].join('; '),
  ),
  'trap __kern_end EXIT',
  'eval "$__kern_command"',
  // A command that sets a trap of its own for the end has replaced ours.
  '{ __kern_status=$?; __kern_end; } 2>/dev/null',
  'exit $__kern_status',
].join('; ');

const posix = [
  '__kern_state=$1 __kern_command=$2',
  'set --',
  dump('env -0'),
  'trap __kern_end EXIT',
  'eval "$__kern_command"',
  '{ __kern_status=$?; __kern_end; } 2>/dev/null',
  'exit $__kern_status',
].join('; ');

/**
 * The arguments for a shell that runs `command` and then writes to `state`: its folder, what it exports, `end`; each
 * with a NUL behind. `snapshot` is a file of functions and aliases that is read before.
 */
export function shellArguments(
  shell: string,
  command: string,
  { state, snapshot }: { readonly state: string; readonly snapshot: string | undefined },
): readonly string[] {
  return isBash(shell)
    ? ['-c', bash, 'bash', state, command, snapshot ?? '']
    : ['-c', posix, basename(shell), state, command];
}

/** Whether a shell knows what bash knows. Others are taken to know what POSIX says. */
export const isBash = (shell: string): boolean => /^bash(\.exe)?$/.test(basename(shell));
