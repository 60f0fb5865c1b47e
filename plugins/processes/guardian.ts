import type { execa } from 'execa';

/** Process groups as the guardian has to know them. */
export interface Groups {
  /** Their first process runs. */
  readonly led: readonly number[];
  /** Their first process ended, others of them may be there. Its number may have gone to a stranger since. */
  readonly orphaned: readonly number[];
}

/** Ends what this process leaves behind when it is killed without a chance to do so itself. */
export interface Guardian {
  readonly pid: number | undefined;
  tell(groups: Groups): void;
  /** Lets it go; it looks for what is left and ends. */
  release(): void;
}

// Reads lines `1 2 | 3` until the pipe closes, which happens however the other side ends; the last line counts.
// An empty round of the search ends it; forty rounds are two seconds.
const script = `
trap '' HUP INT TERM
run=$1 folder=$2 led= orphaned=
while read -r line; do
  led=\${line%%|*} orphaned=\${line#*|}
done
for group in $led; do
  kill -s KILL -- "-$group" 2>/dev/null
done
for group in $orphaned; do
  kill -0 "$group" 2>/dev/null || kill -s KILL -- "-$group" 2>/dev/null
done
round=0
while [ "$round" -lt 40 ]; do
  if [ -r /proc/self/environ ]; then
    pids=$(grep -alF "KERN_RUN=$run" /proc/[0-9]*/environ 2>/dev/null | sed 's|^/proc/||; s|/environ$||')
  else
    pids=$(ps axeww -o pid=,command= | grep -F "KERN_RUN=$run" | grep -vF 'grep -' | awk '{ print $1 }')
  fi
  [ -n "$pids" ] || break
  for pid in $pids; do
    kill -s KILL "$pid" 2>/dev/null
  done
  round=$((round + 1))
  sleep 0.05
done
case $folder in */kern-pipes-*) rm -rf -- "$folder" ;; esac
`;

export function startGuardian(start: typeof execa, run: string, folder: string): Guardian {
  // Its own session and an empty environment: what ends our children, a Ctrl-C included, must not end it first.
  const guardian = start('/bin/sh', ['-c', script, 'kern-guardian', run, folder], {
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    extendEnv: false,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: '/',
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const line = guardian.stdin;
  // Without a guardian only the guarantee for SIGKILL is missing; the children still end with us in every other way.
  guardian.catch(() => undefined);
  line?.on('error', () => undefined);
  guardian.nodeChildProcess.unref();
  if (line !== null && 'unref' in line && typeof line.unref === 'function') line.unref();

  return {
    pid: guardian.pid,
    tell({ led, orphaned }) {
      line?.write(`${led.join(' ')} | ${orphaned.join(' ')}\n`);
    },
    release() {
      line?.end();
    },
  };
}
