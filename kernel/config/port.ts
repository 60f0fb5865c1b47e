import type { SettingsPort } from '../settings.ts';
import type { Config } from './config.ts';
import { sourceText } from './layers.ts';

/** The config as the kernel asks it. `extra` are values that no file can set: what the command line knows of itself. */
export class ConfigPort implements SettingsPort {
  readonly #config: Config;
  readonly #extra: Readonly<Record<string, unknown>>;
  version = 0;

  constructor(config: Config, extra: Readonly<Record<string, unknown>> = {}) {
    this.#config = config;
    this.#extra = extra;
  }

  get(key: string): unknown {
    return Object.hasOwn(this.#extra, key) ? this.#extra[key] : this.#config.get(key).value;
  }

  plugin(id: string, level: Parameters<SettingsPort['plugin']>[1]): ReturnType<SettingsPort['plugin']> {
    const { state, by, settings, failure } = this.#config.plugin(id, level);
    return { off: state === 'off' ? (by ?? `plugins.${id}: false`) : undefined, settings, ...(failure === undefined ? {} : { failure }) };
  }

  provider(id: string, level: Parameters<SettingsPort['provider']>[1]): ReturnType<SettingsPort['provider']> {
    const { on, by, origin, priority } = this.#config.provider(id, level);
    return { off: on ? undefined : (by ?? sourceText(origin)), priority };
  }

  item(capability: string, key: string, level: Parameters<SettingsPort['item']>[2]): string | undefined {
    const { on, by, origin } = this.#config.item(`${capability}:${key}`, level);
    return on ? undefined : (by ?? sourceText(origin));
  }
}
