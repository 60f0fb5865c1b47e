import { statSync } from 'node:fs';
import type { Effect, ToolResult } from 'kern/contracts';

/** How the files stood that sessions have read or written: what somebody else changed since is not replaced unseen. */
export interface FileMarks {
  /** Before a call: a file that is not as it was seen stays so, though the call may change a part of it. */
  before(session: string, tool: string, effects: readonly Effect[]): void;
  /** After a call: what it read or wrote is as it was seen. */
  after(session: string, tool: string, result: ToolResult): void;
  /** Whether a file that the session knows is another by now. A real path. */
  hasChanged(session: string, path: string): boolean;
}

/** A file is taken for the same while its size and the time of its last change are. */
type Mark = string;

const outdated: Mark = 'outdated';

/** `most`: what was longest not used goes first, and is as if it had never been read. */
export function createFileMarks(most = 2_000): FileMarks {
  const marks = new Map<string, Mark>();
  const keyOf = (session: string, path: string): string => `${session}\0${path}`;
  const put = (key: string, mark: Mark | undefined): void => {
    marks.delete(key);
    if (mark === undefined) return;
    marks.set(key, mark);
    for (const oldest of marks.keys()) {
      if (marks.size <= most) break;
      marks.delete(oldest);
    }
  };
  const hasChanged = (session: string, path: string): boolean => {
    const mark = marks.get(keyOf(session, path));
    const now = markOf(path);
    // Nothing is lost where nothing is any more.
    return mark !== undefined && now !== undefined && mark !== now;
  };
  return {
    hasChanged,
    before(session, tool, effects) {
      if (!changesParts.has(tool)) return;
      for (const effect of effects)
        if (effect.kind === 'write' && hasChanged(session, effect.path)) put(keyOf(session, effect.path), outdated);
    },
    after(session, tool, result) {
      if (result.isError === true && tool !== 'resolve') return;
      for (const path of pathsOf(tool, result.details)) {
        const key = keyOf(session, path);
        if (changesParts.has(tool) && marks.get(key) === outdated) continue;
        put(key, markOf(path));
      }
    },
  };
}

/** Tools that go on from what is there, and do not show all of it. */
const changesParts = new Set(['edit', 'resolve']);

function markOf(path: string): Mark | undefined {
  try {
    const { size, mtimeNs } = statSync(path, { bigint: true });
    return `${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}

/** The real paths of the files that a result is about. */
function pathsOf(tool: string, details: unknown): readonly string[] {
  if (!isRecord(details)) return [];
  const { path, files, pending, changes } = details;
  if (tool === 'resolve') {
    const made = Array.isArray(changes) ? changes.filter(isRecord).filter(({ ok }) => ok === true) : [];
    return made.flatMap((change) => pathsOf('edit', change.details));
  }
  // What was only shown was not written.
  if (!['read', 'write', 'edit'].includes(tool) || pending !== undefined) return [];
  if (Array.isArray(files)) return files.filter(isRecord).flatMap((file) => pathsOf(tool, { path: file.path }));
  return typeof path === 'string' ? [path] : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
