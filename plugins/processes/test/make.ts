import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createSupervisor, type Supervisor } from '../supervisor.ts';
import { members, processTable } from '../table.ts';

/** A supervisor for one test, closed with it. */
export function makeSupervisor(...args: Partial<Parameters<typeof createSupervisor>>): Supervisor {
  const [env = process.env, limits] = args;
  const supervisor = limits === undefined ? createSupervisor(env) : createSupervisor(env, limits);
  onTestFinished(() => supervisor.close());
  return supervisor;
}

/** What carries the mark of a supervisor, or of one of its children. */
export const carriers = (run: string): readonly number[] =>
  members(processTable(), { groups: new Set(), run, spare: new Set() });

/** A folder for one test, gone with it. */
export function makeFolder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'kern-processes-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}
