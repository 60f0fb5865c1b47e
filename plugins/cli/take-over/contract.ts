import { defineService } from 'kern/plugin';
import type { CommandHost } from '../contract.ts';

/** Takes over the settings of other programs. */
export interface SettingsTakeOver {
  /**
   * Asks the person once whether to take over what lies on this machine, and does it; where nobody can be asked, says in
   * one line how. Whoever calls sees to it that this is the first start.
   */
  offer(host: CommandHost): Promise<void>;
}

/** Takes over the settings of other programs. */
export const settingsTakeOver = defineService<SettingsTakeOver>({ id: 'settings-take-over', level: 'user' });
