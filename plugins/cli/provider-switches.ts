import { didYouMean, KernError, nearNames } from 'kern/plugin';

/** A setting that switches something. */
export interface SwitchSetting {
  readonly key: readonly string[];
  readonly value: unknown;
  /** What stands there is taken out first: what is written would be put beside the words about levels. */
  readonly isNew?: boolean;
}

/** What can be switched. Items are named with their kind: `skill:review`. */
export interface Switchable {
  readonly providers: readonly string[];
  readonly items: readonly string[];
}

/** The setting that switches a provider, one level of it, or an item. `now` tells what the file that is written says itself. */
export function switchesOf(
  name: string,
  on: boolean,
  { providers, items }: Switchable,
  now: (...path: readonly string[]) => unknown,
): SwitchSetting {
  if (providers.includes(name)) return ofProvider(name, undefined, on, now);
  const [, provider = '', level] = /^(.*):(user|project)$/.exec(name) ?? [];
  if (providers.includes(provider)) return ofProvider(provider, level, on, now);
  const listed = now('disabledItems');
  const off = Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
  // What is switched off may be gone by now, and is switched on all the same.
  if (items.includes(name) || off.includes(name)) {
    const others = off.filter((one) => one !== name);
    return { key: ['disabledItems'], value: on ? others : [...others, name] };
  }
  throw new KernError('provider_unknown', `there is no provider ${name}`, {
    hint:
      didYouMean(nearNames(name, [...providers, ...items])) ??
      '`kern providers` lists them. An item is named with its kind: skill:review.',
  });
}

interface ProviderSettings {
  readonly enabled?: boolean;
  readonly user?: boolean;
  readonly project?: boolean;
}

/** Written as short as it can be said: a plain yes or no where both levels agree, and nothing else is set. */
function ofProvider(
  id: string,
  level: string | undefined,
  on: boolean,
  now: (...path: readonly string[]) => unknown,
): SwitchSetting {
  const set = now('providers', id);
  const isOff = (name: string): boolean => [now('disabledProviders')].flat().includes(name);
  const said: ProviderSettings = typeof set === 'object' ? (set ?? {}) : {};
  const { enabled = typeof set === 'boolean' ? set : !isOff(id), ...more } = said;
  const { user = enabled && !isOff(`${id}:user`), project = enabled && !isOff(`${id}:project`), ...others } = more;
  const levels = level === undefined ? { user: on, project: on } : { user, project, [level]: on };
  const isPlain = levels.user === levels.project;
  const says = isPlain ? { enabled: levels.user } : levels;
  const value = isPlain && Object.keys(others).length === 0 ? levels.user : { ...says, ...others };
  return { key: ['providers', id], value, isNew: true };
}
