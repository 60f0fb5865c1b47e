import type { Child, SpawnOptions } from 'kern/plugin';

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => Pick<Child, 'result'>;

// The words of a call of pkill, killall or kill; plain ones alone, so that they can be tried beforehand.
const word = `(?:"[^"$\`\\\\]*"|'[^']*'|[^\\s;&|()<>"'$\`\\\\*?]+)`;
const killers = new RegExp(
  `(?:^|[;&|(\\n]\\s*|\\b(?:sudo|exec|command)\\s+)(pkill|killall|kill)((?:\\s+${word})+)`,
  'g',
);

/**
 * Why a command would end kern itself, or nothing. `pgrep` is asked whom the same words would hit; what is only known
 * while the command runs (a variable, a script) cannot be seen here.
 */
export async function endsOwnTree(
  command: string,
  spawn: Spawn,
  own: readonly number[] = [process.pid, process.ppid],
): Promise<string | undefined> {
  for (const match of command.matchAll(killers)) {
    const [text, program, rest = ''] = match;
    const args = [...rest.matchAll(new RegExp(word, 'g'))].map(([part]) => part.replace(/^(["'])(.*)\1$/s, '$2'));
    const hits = program === 'kill' ? killed(args) : await found(program === 'killall' ? named(args) : args, spawn);
    if (hits === 'all' || hits.some((pid) => own.includes(pid)))
      return `The command was not run: \`${text.replace(/^[;&|(\s]+/, '').trim()}\` would end kern itself. Name what you want to end more exactly: by its process id, or what you started with background: true by the tool jobs.`;
  }
  return undefined;
}

function killed(args: readonly string[]): readonly number[] | 'all' {
  const targets = args.filter(
    (arg, at) => /^-?\d+$/.test(arg) && !(at === 0 && arg.startsWith('-')) && args[at - 1] !== '-s',
  );
  return targets.includes('-1') ? 'all' : targets.map((arg) => Math.abs(Number(arg)));
}

/** killall takes whole names. */
const named = (args: readonly string[]): readonly string[] => ['-x', ...args];

async function found(args: readonly string[], spawn: Spawn): Promise<readonly number[]> {
  // pgrep knows the same options, but for the signal.
  const asked = args.filter((arg, at) => !isSignal(arg) && !(args[at - 1] === '-s' || args[at - 1] === '--signal'));
  const words = asked.filter((arg) => arg !== '-s' && arg !== '--signal' && arg !== '-e');
  try {
    const { exitCode, stdout } = await spawn('pgrep', words, { timeoutMs: 2_000, label: 'pgrep' }).result;
    return exitCode === 0 ? stdout.split('\n').filter(Boolean).map(Number) : [];
  } catch {
    // Without pgrep there is hardly a pkill either.
    return [];
  }
}

const isSignal = (arg: string): boolean => /^-(\d+|(SIG)?[A-Z][A-Z0-9]+|-signal=.*)$/.test(arg);
