import { KernError } from '../error.ts';
import type { DeclaredSetting } from '../plugin.ts';
import type { Schema } from '../schema.ts';
import type { PluginSettings, SettingsPort } from '../settings.ts';
import type { Config } from './config.ts';
import { sourceText } from './layers.ts';
import { placeText } from './places.ts';
import { pluginSettings } from './settings.ts';

/** The config as the kernel asks it. `extra` are values that no file can set: what the command line knows of itself. */
export class ConfigPort implements SettingsPort {
  readonly #config: Config;
  readonly #extra: Readonly<Record<string, unknown>>;
  /** Grows when the config says something else; what was asked before is asked again. */
  #version = 0;
  #plugins = new Map<string, ReturnType<SettingsPort['plugin']>>();
  #providers = new Map<string, ReturnType<SettingsPort['provider']>>();
  #values = new Map<string, unknown>();
  /** The built-ins that declared settings, by key. */
  readonly #declarers = new Map<string, string>();
  /** Of the config, when providers and values were asked for. */
  #revision = 0;

  constructor(config: Config, extra: Readonly<Record<string, unknown>> = {}) {
    this.#config = config;
    this.#extra = extra;
  }

  get version(): number {
    return this.#version;
  }

  renew(): void {
    this.#version += 1;
    this.#plugins = new Map();
  }

  /** What the config said before it changed is not said again, also where nobody told of the change yet. */
  #refresh(): void {
    if (this.#revision === this.#config.revision) return;
    this.#revision = this.#config.revision;
    this.#providers = new Map();
    this.#values = new Map();
  }

  // Some are asked for with every call of a tool.
  get(key: string): unknown {
    if (Object.hasOwn(this.#extra, key)) return this.#extra[key];
    this.#refresh();
    if (!this.#values.has(key)) this.#values.set(key, this.#read(key));
    const value = this.#values.get(key);
    // Whoever guards by it fails, and what it guards is denied.
    if (value instanceof KernError) throw value;
    return value;
  }

  #read(key: string): unknown {
    const refusal = this.#config.refusal(key);
    if (refusal === undefined) return this.#config.get(key).value;
    return new KernError('config_bad_value', refusal, { hint: 'correct it; until then what it guards is refused' });
  }

  // Every snapshot asks for every plugin.
  plugin(id: string, level: Parameters<SettingsPort['plugin']>[1]): ReturnType<SettingsPort['plugin']> {
    const key = `${level}:${id}`;
    let found = this.#plugins.get(key);
    if (found === undefined) {
      const { state, by, settings, failure } = this.#config.plugin(id, level);
      found = {
        off: state === 'off' ? (by ?? `plugins.${id}: false`) : undefined,
        settings,
        ...(failure === undefined ? {} : { failure }),
      };
      this.#plugins.set(key, found);
    }
    return found;
  }

  /** The plugin's settings are known from here on: `kern config` lists them, a project may set those marked for it. */
  configure<T>(
    id: string,
    level: Parameters<SettingsPort['plugin']>[1],
    schema: Schema<T>,
    isKeeper: boolean,
  ): PluginSettings<T> {
    this.#config.register(pluginSettings(id, schema));
    const read = this.#config.configure(id, level, schema, { keeper: isKeeper });
    this.#plugins.delete(`${level}:${id}`);
    const problems = read.problems.map((problem) =>
      [`${problem.key}: ${problem.message}`, placeText(problem)].filter((part) => part !== '').join(' in '),
    );
    return read.ok ? { value: read.value, problems } : { failure: problems.join('; ') };
  }

  /** A stranger's settings begin with its id, or are those of the built-in it replaces: no two plugins mean different things by one name. */
  declare(
    { id, level, replaces }: Parameters<NonNullable<SettingsPort['declare']>>[0],
    settings: readonly DeclaredSetting[],
  ): void {
    const isOwn = ({ key }: DeclaredSetting): boolean =>
      level === 'builtin' ||
      key.startsWith(`${id}.`) ||
      (replaces !== undefined && this.#declarers.get(key) === replaces);
    const foreign = settings.find((setting) => !isOwn(setting));
    if (foreign !== undefined) {
      throw new KernError('config_bad_setting', `the setting ${foreign.key} is not one of plugin ${id}`, {
        hint: `call it ${id}.${foreign.key}, or put it into the plugin's config`,
      });
    }
    this.#config.register(settings);
    for (const { key } of settings) if (level === 'builtin') this.#declarers.set(key, id);
  }

  // Every table asks for the provider of every item.
  provider(id: string, level: Parameters<SettingsPort['provider']>[1]): ReturnType<SettingsPort['provider']> {
    this.#refresh();
    const key = `${level}:${id}`;
    let found = this.#providers.get(key);
    if (found === undefined) {
      const { on, by, origin, priority } = this.#config.provider(id, level);
      found = { off: on ? undefined : (by ?? sourceText(origin)), priority };
      this.#providers.set(key, found);
    }
    return found;
  }

  item(capability: string, key: string, level: Parameters<SettingsPort['item']>[2]): string | undefined {
    const { on, by, origin } = this.#config.item(`${capability}:${key}`, level);
    return on ? undefined : (by ?? sourceText(origin));
  }
}
