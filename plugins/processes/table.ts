import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process as the system lists it. `run` is its KERN_RUN, where it can be read. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Dead, and only waiting for its parent to notice. */
  readonly zombie: boolean;
  readonly run: string | undefined;
}

/** What belongs together: process groups, and a mark in the environment that descendants inherit. */
export interface Selection {
  readonly groups: ReadonlySet<number>;
  /** Matches itself and everything below: `a.1` takes `a.1.4`, not `a.10`. */
  readonly run: string;
  /** Never touched, with nothing below it. */
  readonly spare: ReadonlySet<number>;
}

/** Environments that were read before, by process number and start time: reading them is most of the work. */
export type KnownRuns = Map<string, string | undefined>;

/**
 * All processes, at once: a tree that is being ended must not change between two reads more than it has to. With
 * `known`, environments are read once a process, and those of ended ones are forgotten.
 */
export function processTable(known?: KnownRuns): readonly ProcessRow[] {
  return process.platform === 'linux' ? fromProc(known) : fromPs();
}

function fromProc(known: KnownRuns | undefined): ProcessRow[] {
  const rows: ProcessRow[] = [];
  const before = known === undefined ? undefined : new Map(known);
  known?.clear();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readOrNothing(`/proc/${name}/stat`);
    // The name in brackets may hold anything, brackets and spaces too: what follows the last one is fixed.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    if (state === undefined || parent === undefined || group === undefined) continue;
    const zombie = state === 'Z' || state === 'X';
    const key = `${name} ${fields[19] ?? ''}`;
    const run = zombie
      ? undefined
      : before?.has(key)
        ? before.get(key)
        : runOf(readOrNothing(`/proc/${name}/environ`), '\0');
    known?.set(key, run);
    rows.push({
      pid: Number(name),
      parent: Number(parent),
      group: Number(group),
      zombie,
      run,
    });
  }
  return rows;
}

/** Resident memory of processes together, in bytes. What they share counts once, as far as the system tells it apart. */
export function residentMemory(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  if (process.platform !== 'linux') {
    const text = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' });
    return text.split('\n').reduce((sum, line) => sum + Number(line) * 1024, 0);
  }
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const [, resident = 0, common = 0] = readOrNothing(`/proc/${pid}/statm`).split(' ').map(Number);
    own += resident - common;
    shared = Math.max(shared, common);
  }
  return (own + shared) * pageBytes;
}

/** Of every Linux that Node runs on, but for some arm64 ones: there the limit is reached later. */
const pageBytes = 4096;

/** For systems without /proc. `e` shows the environment behind the command. */
export function fromPs(): ProcessRow[] {
  const text = execFileSync('ps', ['axeww', '-o', 'pid=,ppid=,pgid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const rows: ProcessRow[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line);
    if (match === null) continue;
    const [, pid, parent, group, state, command] = match;
    rows.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      zombie: /^[ZX]/.test(state ?? ''),
      run: runOf(command ?? '', ' '),
    });
  }
  return rows;
}

// A process may end, or belong to somebody else, between being listed and being read: then it is not ours to end.
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function runOf(environment: string, separator: string): string | undefined {
  const name = `${separator}KERN_RUN=`;
  const text = `${separator}${environment}`;
  const at = text.indexOf(name);
  if (at === -1) return undefined;
  const end = text.indexOf(separator, at + name.length);
  return text.slice(at + name.length, end === -1 ? undefined : end);
}

/** Everything alive that is in one of the groups, carries the mark, or descends from such a process. */
export function members(table: readonly ProcessRow[], { groups, run, spare }: Selection): readonly number[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of table) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const found = new Set<number>();
  const waiting = table.filter((row) => groups.has(row.group) || row.run === run || row.run?.startsWith(`${run}.`));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    if (found.has(row.pid) || spare.has(row.pid) || row.pid <= 1) continue;
    found.add(row.pid);
    waiting.push(...(children.get(row.pid) ?? []));
  }
  return table.filter((row) => found.has(row.pid) && !row.zombie).map((row) => row.pid);
}
