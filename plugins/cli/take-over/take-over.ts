import type { Workbench } from 'kern/contracts';
import { messageOf } from 'kern/plugin';
import type { Found } from './found.ts';
import { addProviders, foreignProviders } from './providers.ts';
import { readSettings } from './read.ts';
import { type Left, type Taken, translate } from './translate.ts';

/** What became of the settings of another program. */
export interface TakenOver {
  readonly taken: readonly Taken[];
  readonly left: readonly Left[];
  /** Providers for `models.yml`. */
  readonly providers: readonly string[];
  /** The files that were written. */
  readonly files: readonly string[];
}

export interface TakeOverOptions {
  /** Keys too, as far as kern has a place for them. */
  readonly keys: boolean;
  /** Only tell. */
  readonly dryRun: boolean;
}

/** Takes over what kern understands, and says what it does not. What a person has set in kern already stays as it is. */
export async function takeOver(found: Found, bench: Workbench, { keys, dryRun }: TakeOverOptions): Promise<TakenOver> {
  const { taken, left } = translate(found.origin, await readSettings(found));
  const foreign = await foreignProviders(found, keys);
  const stays: Left[] = [...left, ...foreign.left];
  const set: Taken[] = [];
  const files = new Set<string>();
  for (const one of taken) {
    const why = await whyNot(one, bench, dryRun, files);
    if (why === undefined) set.push(one);
    else stays.push({ from: one.from, why });
  }
  const ids = Object.keys(foreign.providers);
  const added = dryRun ? ids : await addProviders(bench.home, foreign.providers);
  for (const id of ids)
    if (!added.includes(id)) stays.push({ from: `models: ${id}`, why: 'models.yml has one of that name' });
  if (!dryRun && added.length > 0) files.add(`${bench.home}/models.yml`);
  return { taken: set, left: stays, providers: added, files: [...files] };
}

/** Sets a value, or says why it cannot be. */
async function whyNot(
  { key, value }: Taken,
  { config }: Workbench,
  dryRun: boolean,
  files: Set<string>,
): Promise<string | undefined> {
  try {
    const { origin } = await config.get(key);
    if (origin.layer === 'user') return `${key} is set in kern already`;
    if (dryRun) await config.check(key, value);
    else files.add(await config.set(key, value, 'user'));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
