import type { CommandArgs } from 'kern/contracts';
import { didYouMean, KernError, nearNames } from 'kern/plugin';
import { type Name, names } from './names.ts';

const defaultRuns = 10;

/** `--runs`. */
export function roundsOf(given: CommandArgs['options'][string]): number {
  if (given === undefined) return defaultRuns;
  const runs = Number(given);
  if (Number.isInteger(runs) && runs >= 1 && runs <= 1000) return runs;
  throw new KernError('usage', `--runs takes a whole number from 1 to 1000, not ${String(given)}`);
}

/** `--only`, in the order in which things are measured; names may also be joined by commas. */
export function chosenOf(given: CommandArgs['options'][string]): readonly Name[] {
  const wanted = Array.isArray(given) ? given.flatMap((text: string) => text.split(',')) : [];
  if (wanted.length === 0) return names;
  const unknown = wanted.find((text) => !(names as readonly string[]).includes(text));
  if (unknown === undefined) return names.filter((name) => wanted.includes(name));
  throw new KernError('usage', `there is no measurement ${unknown}`, {
    hint: didYouMean(nearNames(unknown, names)) ?? `There is: ${names.join(', ')}`,
  });
}
