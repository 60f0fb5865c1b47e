import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child, SpawnOptions } from 'kern/plugin';

/** The user's functions and aliases, as a file that a shell can read. */
export interface Snapshot {
  /** The file, when it is there in time; the first call does not wait long, later ones find it. */
  file(): Promise<string | undefined>;
  clear(): void;
}

/** What is in a broken start file may hang. */
const limitMs = 5_000;
/** What the first command waits at most. */
const patienceMs = 300;
/** Reading a longer one would cost every command more than it is worth. */
const sizeLimit = 512 * 1024;

// Names that begin with one underscore are parts of completions: many, and of no use without a person.
const script = `{ for f in $(compgen -A function); do case $f in _[!_]*) ;; *) declare -f -- "$f";; esac; done; alias -p; printf '#end'; } > "$1"`;

/** Takes it once, at its first use. */
export function createSnapshot(
  shell: string,
  spawn: (command: string, args: readonly string[], options: SpawnOptions) => Pick<Child, 'result'>,
  home: string = homedir(),
): Snapshot {
  let folder: string | undefined;
  let taken: Promise<string | undefined> | undefined;

  const take = async (): Promise<string | undefined> => {
    if (!['.bashrc', '.bash_aliases'].some((name) => existsSync(join(home, name)))) return undefined;
    folder ??= mkdtempSync(join(tmpdir(), 'kern-snapshot-'));
    const raw = join(folder, 'raw');
    // Interactive, because start files leave at once otherwise.
    const child = spawn(shell, ['-i', '-c', script, 'bash', raw], {
      cwd: home,
      timeoutMs: limitMs,
      keepBytes: 0,
      label: 'the functions and aliases of your shell',
    });
    await child.result;
    const text = readFileSync(raw, 'utf8');
    rmSync(raw, { force: true });
    if (!text.endsWith('#end') || text.length > sizeLimit) return undefined;
    const file = join(folder, 'snapshot.sh');
    writeFileSync(file, harmless(text), { mode: 0o600 });
    return file;
  };

  return {
    async file() {
      // Without it commands run as well: a start file that is broken is no reason to fail.
      taken ??= take().catch(() => undefined);
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), patienceMs);
      const file = await Promise.race([taken, late.promise]);
      clearTimeout(timer);
      return file;
    },
    clear() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An alias that asks before it acts, `rm -i`, would do nothing where nobody answers. */
function harmless(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^alias (rm|cp|mv|ln)=.*(\s-[a-zA-Z]*i|--interactive)/.test(line))
    .join('\n');
}
