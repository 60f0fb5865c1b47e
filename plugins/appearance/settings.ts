import { type AppearanceSettings, appearance, usualAppearance } from 'kern/contracts';
import { type DeclaredSetting, settingSchemas } from 'kern/plugin';

const { oneOf, trueOrFalse } = settingSchemas;

/** A setting that shows at once. */
function shown<K extends keyof AppearanceSettings>(
  key: K,
  schema: DeclaredSetting<AppearanceSettings[K]>['schema'],
  summary: string,
): DeclaredSetting<AppearanceSettings[K]> {
  return {
    key,
    schema,
    default: usualAppearance[key],
    summary,
    effect: (value, ctx) => ctx.service(appearance).change({ [key]: value }),
  };
}

export const appearanceSettings: readonly DeclaredSetting[] = [
  shown('theme', oneOf('auto', 'dark', 'light', 'plain'), 'Colours for a dark or a light terminal, or none.'),
  shown('symbolPreset', oneOf('unicode', 'ascii', 'nerd'), 'Which signs are used; nerd needs a font of Nerd Fonts.'),
  shown('colorBlindMode', trueOrFalse, 'Blue and yellow in the place of green and red.'),
];
