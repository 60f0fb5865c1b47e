import type { Schema } from 'kern/plugin';
import { defaultIdleTimeoutMs } from './bridge/endpoint.ts';

/** The settings of a plugin that talks to models' servers: `plugins: { models.anthropic: { idleTimeoutMs: 60000 } }`. */
export interface WireSettings {
  /** How long a server may be silent. */
  readonly idleTimeoutMs: number;
}

/** Made by hand: these plugins are part of every start. */
export const wireSettings: Schema<WireSettings> = {
  '~standard': {
    validate(value) {
      const given = value === undefined ? {} : value;
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        return { issues: [{ message: 'expected a map of settings' }] };
      const { idleTimeoutMs = defaultIdleTimeoutMs, ...rest } = given as Record<string, unknown>;
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined)
        return { issues: [{ message: 'is not a setting of this plugin; there is idleTimeoutMs', path: [unknown] }] };
      if (typeof idleTimeoutMs === 'number' && idleTimeoutMs >= 1 && idleTimeoutMs <= 86_400_000)
        return { value: { idleTimeoutMs } };
      return { issues: [{ message: 'expected milliseconds, from 1 to 86400000', path: ['idleTimeoutMs'] }] };
    },
  },
};
