import type { Activation } from './activation.ts';
import type { Core } from './core.ts';
import type { View } from './plugin.ts';

/** Lets the values of a plugin's own settings do what they stand for: all of them, or those whose keys changed. */
export function applySettings(core: Core, activation: Activation, view: View, keys?: readonly string[]): void {
  const { scope, unit } = activation;
  for (const setting of unit.definition.settings ?? []) {
    const { key } = setting;
    if (setting.effect === undefined || scope === undefined || keys?.includes(key) === false) continue;
    try {
      const value = core.settings.get(key) ?? setting.default;
      core.owners.run({ activation, view }, () => setting.effect?.(value, scope));
    } catch (error) {
      core.journal.failure(activation.id, 'setting_failed', `the setting ${key}`, error);
    }
  }
}
