import type { ProcessLimits } from 'kern/plugin';
import { type KnownRuns, members, processTable, residentMemory, type Selection } from './table.ts';

/** Limits that are looked at, not told by the system. */
export interface TreeLimits {
  readonly memoryBytes: number | undefined;
  readonly processes: number;
}

export interface WatchedTree {
  readonly limits: TreeLimits;
  selection(): Selection;
  /** Its first process runs. Without it the tree is looked after until nothing of it is left. */
  isLed(): boolean;
  /** It is over; nobody looks at it any more. */
  over(limit: 'memory' | 'processes'): void;
}

/** A tree of a build with many workers stays well below; a fork bomb does not. */
export const defaultProcesses = 512;

/** First soon, so that what forks without end is found before it fills the machine. */
const firstMs = 150;
const usualMs = 250;
/** Looking takes at most one part in so many of the time. */
const share = 25;

/** Looks at all trees together, several times a second, while there are any. */
export function createTreeWatch(): { add(tree: WatchedTree): void } {
  const trees = new Set<WatchedTree>();
  const known: KnownRuns = new Map();
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    const began = performance.now();
    const table = processTable(known);
    for (const tree of [...trees]) {
      const pids = members(table, tree.selection());
      const limit = exceeded(pids, tree.limits);
      if (limit !== undefined || (pids.length === 0 && !tree.isLed())) trees.delete(tree);
      if (limit !== undefined) tree.over(limit);
    }
    plan(Math.max(usualMs, (performance.now() - began) * share));
  };
  const plan = (ms: number): void => {
    clearTimeout(timer);
    timer = trees.size === 0 ? undefined : setTimeout(look, ms).unref();
    if (timer === undefined) known.clear();
  };

  return {
    add(tree) {
      trees.add(tree);
      plan(firstMs);
    },
  };
}

function exceeded(pids: readonly number[], { memoryBytes, processes }: TreeLimits): 'memory' | 'processes' | undefined {
  if (pids.length > processes) return 'processes';
  return memoryBytes !== undefined && residentMemory(pids) > memoryBytes ? 'memory' : undefined;
}

/** What holds for a child: its own wishes before the supervisor's. */
export function treeLimits(wanted: ProcessLimits | undefined, usual: TreeLimits): TreeLimits {
  return {
    memoryBytes: wanted?.memoryBytes ?? usual.memoryBytes,
    processes: wanted?.processes ?? usual.processes,
  };
}
