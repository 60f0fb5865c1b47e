import { defineService, type Handle } from 'kern/plugin';

/** A key as a person writes it, or its parts where the id of a plugin holds dots and is not known yet. */
export type SettingKey = string | readonly string[];

/** The settings of a running kern: what counts now, and how to change it. */
export interface SettingsService {
  /** The merged value of a key, as of now: `model`, `plugins.tools.bash.snapshot`. */
  get(key: string): unknown;
  /**
   * The value counts at once. A moment later it stands in the person's own config file: what others wrote there meanwhile,
   * comments and keys that kern does not know stay. Throws `config_bad_value` and `config_unknown_key`, and for a
   * project's plugin `config_not_project` where a project may not set the key.
   */
  set(key: SettingKey, value: unknown): void;
  /** Takes the key out of the person's own file. */
  unset(key: SettingKey): void;
  /** A value for this process alone, above every file, until the handle is disposed. */
  override(key: SettingKey, value: unknown): Handle;
  /** Tells of every new value of a key, whoever changed it: this process, another, or a person with an editor. */
  watch(key: SettingKey, listener: (value: unknown) => void): Handle;
  /** Everything stands in the file. Rejects where it cannot be written; then it is kept, and tried again. */
  flush(): Promise<void>;
  /** How many values are in no file yet. */
  readonly pending: number;
}

/** Reads, changes and watches settings. */
export const settings = defineService<SettingsService>({ id: 'settings', level: 'builtin' });
