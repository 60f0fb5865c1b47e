import type { Level } from './capability.ts';
import type { DeclaredSetting } from './plugin.ts';
import { parse, type Schema } from './schema.ts';

/** A plugin's settings, read by its schema; `problems` name what was left out. */
export type PluginSettings<T> =
  | { readonly value: T; readonly problems: readonly string[] }
  | { readonly failure: string };

/** What the kernel asks of the settings. `by` names who switched a thing off: a key with its file and line. */
export interface SettingsPort {
  /** Grows with every change, so that tables know when to be made anew. */
  readonly version: number;
  get(key: string): unknown;
  /** With `failure` it must not run on defaults: it guards, and what the person wrote for it cannot be read. */
  plugin(
    id: string,
    level: Level,
  ): {
    readonly off: string | undefined;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly failure?: string;
  };
  /** The plugin's settings by its own schema. A bad value costs only itself; in a keeper it is a failure. */
  configure<T>(id: string, level: Level, schema: Schema<T>, isKeeper: boolean): PluginSettings<T>;
  /** Makes settings of a plugin's own known. Throws where a name is not free, or not the plugin's to give. */
  declare?(
    plugin: { readonly id: string; readonly level: Level; readonly replaces?: string | undefined },
    settings: readonly DeclaredSetting[],
  ): void;
  /** A discovery provider at one level. */
  provider(id: string, level: Level): { readonly off: string | undefined; readonly priority: number | undefined };
  /** `tool:read`: who switched the item off. */
  item(capability: string, key: string, level: Level): string | undefined;
}

/** Everything on, nothing set. */
export const noSettings: SettingsPort = {
  version: 0,
  get: () => undefined,
  plugin: () => ({ off: undefined, settings: {} }),
  configure: (id, _level, schema, isKeeper) => configureAlone(id, {}, schema, isKeeper),
  provider: () => ({ off: undefined, priority: undefined }),
  item: () => undefined,
};

/** Settings that come from one place: a value that the schema refuses is left out, and its default counts. */
export function configureAlone<T>(
  id: string,
  given: Readonly<Record<string, unknown>>,
  schema: Schema<T>,
  isKeeper: boolean,
): PluginSettings<T> {
  const problems: string[] = [];
  for (let settings = given; ; ) {
    const parsed = parse(schema, settings);
    if (parsed.ok) return { value: parsed.value, problems };
    const bad = parsed.issues.map((issue) => issue.split(/[.:]/, 1)[0] ?? '').filter((key) => key in settings);
    if (isKeeper || bad.length === 0) return { failure: `plugins.${id}: ${parsed.issues.join('; ')}` };
    for (const issue of parsed.issues) problems.push(`plugins.${id}.${issue}`);
    settings = Object.fromEntries(Object.entries(settings).filter(([key]) => !bad.includes(key)));
  }
}

/** Whether keys of settings that changed are about a plugin. */
export const isAboutPlugin = (keys: readonly string[], id: string): boolean =>
  keys.some((key) => key === 'plugins' || key === `plugins.${id}` || key.startsWith(`plugins.${id}.`));
