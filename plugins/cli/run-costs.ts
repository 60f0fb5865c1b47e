import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PluginRunCost, systemPrompt } from 'kern/contracts';
import { costsOf, type Kernel, makeFolder } from 'kern/plugin';

type Activation = ReturnType<Kernel['snapshot']>['activations'][number];

/** What plugins took in the last run, by the key of each. */
export type RunCosts = Readonly<Record<string, PluginRunCost>>;

/** What the taps of a plugin took, by hook, and how often it failed. */
export function costOf(kernel: Kernel, { id, taps }: Activation): Omit<PluginRunCost, 'at'> {
  const hooks = costsOf(taps).flatMap(({ calls, ms, slowestMs, ...rest }) =>
    calls === 0 ? [] : [{ ...rest, calls, ms: round(ms), slowestMs: round(slowestMs) }],
  );
  const faults = kernel.journal.faults(id);
  if (faults === undefined) return { hooks, errors: 0 };
  return { hooks, errors: faults.count, lastError: faults.last.message.slice(0, 300) };
}

/**
 * Keeps what each plugin took, for `kern plugins --why`: in a process of its own nothing is known of runs. It is taken down
 * at once, and written beside whatever else ends.
 */
export async function keepRunCosts(kernel: Kernel, home: string): Promise<void> {
  const { activations } = kernel.snapshot();
  // The system prompt is made at the begin of every conversation; what else runs is no run.
  const hasTalked = activations.some(({ taps }) =>
    taps.some(({ hook, calls }) => hook.id === systemPrompt.id && calls > 0),
  );
  if (!hasTalked) return;
  const at = new Date().toISOString();
  const costs = Object.fromEntries(
    activations.flatMap((activation) => {
      const cost = costOf(kernel, activation);
      return cost.hooks.length + cost.errors === 0 ? [] : [[activation.unit.key, { at, ...cost }]];
    }),
  );
  const file = fileIn(home);
  const fresh = `${file}.${process.pid}`;
  try {
    await makeFolder(join(home, 'cache'), 0o700);
    await writeFile(fresh, JSON.stringify(costs), { mode: 0o600 });
    await rename(fresh, file);
  } catch {
    // It is only for looking at: a home that cannot be written is told of by what needs it.
    await rm(fresh, { force: true }).catch(() => undefined); // nor may the place be a folder
  }
}

/** What was kept of the last run; nothing where none was, or where it cannot be read. */
export function readRunCosts(home: string): RunCosts {
  try {
    const read: unknown = JSON.parse(readFileSync(fileIn(home), 'utf8'));
    return isCosts(read) ? read : {};
  } catch {
    return {};
  }
}

const fileIn = (home: string): string => join(home, 'cache', 'run-costs.json');

function isCosts(read: unknown): read is RunCosts {
  return (
    typeof read === 'object' &&
    read !== null &&
    Object.values(read).every(
      (cost) =>
        typeof cost === 'object' &&
        cost !== null &&
        typeof cost.at === 'string' &&
        Array.isArray(cost.hooks) &&
        typeof cost.errors === 'number',
    )
  );
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
