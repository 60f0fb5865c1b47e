import { type AppearanceSettings, appearance, lookOf, usualAppearance } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { appearanceSettings } from './settings.ts';

export default definePlugin({
  id: 'appearance',
  description: 'Colours and signs, as the person set them.',
  declares: [appearance],
  settings: appearanceSettings,
  setup(ctx) {
    let settings: AppearanceSettings = usualAppearance;
    let look = lookOf(settings);
    ctx.contribute(appearance, {
      get look() {
        return look;
      },
      change(part) {
        settings = { ...settings, ...part };
        look = lookOf(settings);
      },
    });
  },
});
