/** Lines of a file one below the other, as a model was shown them or wrote them. `from` counts from 1. */
export interface Run {
  readonly from: number;
  readonly lines: readonly string[];
}

export interface Seen {
  readonly runs: readonly Run[];
  /** In which it was read. */
  readonly encoding?: string | undefined;
}

/** What each session knows of files, by their real paths: the latest, up to a limit. */
export interface SeenFiles {
  of(session: string, path: string): Seen;
  add(session: string, path: string, run: Run, encoding?: string): void;
  set(session: string, path: string, runs: readonly Run[]): void;
  forget(session: string, path: string): void;
}

const nothing: Seen = { runs: [] };

/** `mostCharacters`: of all lines together; what was longest not used goes first. */
export function createSeenFiles(mostCharacters = 8_000_000): SeenFiles {
  const files = new Map<string, { readonly seen: Seen; readonly size: number }>();
  let total = 0;
  const keyOf = (session: string, path: string): string => `${session}\0${path}`;
  const drop = (key: string): void => {
    total -= files.get(key)?.size ?? 0;
    files.delete(key);
  };
  const put = (key: string, seen: Seen): void => {
    drop(key);
    const size =
      key.length + seen.runs.reduce((sum, { lines }) => lines.reduce((all, line) => all + line.length + 8, sum), 0);
    if (size > mostCharacters) return;
    files.set(key, { seen, size });
    total += size;
    for (const [oldest] of files) {
      if (total <= mostCharacters) break;
      drop(oldest);
    }
  };
  return {
    of(session, path) {
      const key = keyOf(session, path);
      const found = files.get(key);
      if (found === undefined) return nothing;
      files.delete(key);
      files.set(key, found);
      return found.seen;
    },
    add(session, path, run, encoding) {
      const key = keyOf(session, path);
      const earlier = files.get(key)?.seen;
      put(key, { runs: withRun(earlier?.runs ?? [], run), encoding: encoding ?? earlier?.encoding });
    },
    set(session, path, runs) {
      const key = keyOf(session, path);
      put(key, { runs, encoding: files.get(key)?.seen.encoding });
    },
    forget: (session, path) => drop(keyOf(session, path)),
  };
}

/** The newer lines take the place of older ones of the same numbers. */
export function withRun(runs: readonly Run[], run: Run): readonly Run[] {
  if (run.lines.length === 0) return runs;
  const to = run.from + run.lines.length;
  const rest = runs.flatMap((old): readonly Run[] => {
    const before = { from: old.from, lines: old.lines.slice(0, Math.max(0, run.from - old.from)) };
    const after = { from: Math.max(to, old.from), lines: old.lines.slice(Math.max(0, to - old.from)) };
    return [before, after].filter(({ lines }) => lines.length > 0);
  });
  return [...rest, run].sort((a, b) => a.from - b.from);
}
