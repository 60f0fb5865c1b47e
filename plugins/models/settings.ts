import type { Schema } from 'kern/plugin';
import { defaultIdleTimeoutMs } from './bridge/endpoint.ts';

/** The settings of a plugin that talks to models' servers: `plugins: { models.anthropic: { idleTimeoutMs: 60000 } }`. */
export interface WireSettings {
  /** How long a server may be silent. */
  readonly idleTimeoutMs: number;
}

const longest = 86_400_000;
const expected = `expected milliseconds, from 1 to ${longest}`;
const isTimeout = (value: unknown): value is number => typeof value === 'number' && value >= 1 && value <= longest;

/** One property, as zod would show it: `shape` is what config, pages and editors read. */
const idleTimeout: Schema<number> & { meta(): { readonly description: string } } = {
  '~standard': {
    validate: (value = defaultIdleTimeoutMs) => (isTimeout(value) ? { value } : { issues: [{ message: expected }] }),
    jsonSchema: { input: () => ({ type: 'number', minimum: 1, maximum: longest }) },
  },
  meta: () => ({ description: 'How long a server may be silent, in milliseconds' }),
};

/** Made by hand: these plugins are part of every start. */
export const wireSettings: Schema<WireSettings> & { readonly shape: Readonly<Record<keyof WireSettings, unknown>> } = {
  shape: { idleTimeoutMs: idleTimeout },
  '~standard': {
    validate(value) {
      const given = value === undefined ? {} : value;
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        return { issues: [{ message: 'expected a map of settings' }] };
      const { idleTimeoutMs = defaultIdleTimeoutMs, ...rest } = given as Record<string, unknown>;
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined)
        return { issues: [{ message: 'is not a setting of this plugin; there is idleTimeoutMs', path: [unknown] }] };
      if (isTimeout(idleTimeoutMs)) return { value: { idleTimeoutMs } };
      return { issues: [{ message: expected, path: ['idleTimeoutMs'] }] };
    },
  },
};
