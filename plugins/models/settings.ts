import type { Schema } from 'kern/plugin';
import type { ForeignReasoning } from './bridge/dialect.ts';
import { type CacheRetention, defaultIdleTimeoutMs } from './bridge/endpoint.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
/** One setting, as zod would show it: this is what config, pages and editors read. */
type Setting<T> = Schema<T> & { meta(): { readonly description: string } };

const longest = 86_400_000;

const settings = {
  idleTimeoutMs: setting(
    defaultIdleTimeoutMs,
    (value): value is number => typeof value === 'number' && value >= 1 && value <= longest,
    `milliseconds, from 1 to ${longest}`,
    { type: 'number', minimum: 1, maximum: longest },
    'How long a server may be silent, in milliseconds',
  ),
  foreignReasoning: choice<ForeignReasoning>(
    ['drop', 'text'],
    'What becomes of the reasoning of other models when a conversation goes on with one of these',
  ),
  cacheRetention: choice<CacheRetention>(
    ['short', 'long', 'none'],
    'How long the vendor keeps a prompt in its cache: minutes, hours (which may cost more) or not at all',
  ),
  wire: choice<'auto' | 'openai-responses' | 'openai-chat'>(
    ['auto', 'openai-responses', 'openai-chat'],
    'What is spoken; auto is Responses with OpenAI itself, and Chat Completions where OPENAI_BASE_URL leads',
  ),
  store: setting(
    false,
    (value): value is boolean => typeof value === 'boolean',
    'true or false',
    { type: 'boolean' },
    'On the wire openai-responses: the server keeps replies, and is sent only what is new',
  ),
};

type Settings = typeof settings;
type Values<N extends keyof Settings> = {
  readonly [K in N]: Settings[K] extends Setting<infer T> ? T : never;
};
type Chosen<N extends keyof Settings> = Schema<Values<N>> & { readonly shape: Readonly<Record<N, unknown>> };

/**
 * The settings of a plugin that talks to models' servers, by name: `wireSettings('idleTimeoutMs', 'cacheRetention')`.
 * Made by hand: these plugins are part of every start.
 */
export function wireSettings<N extends keyof Settings>(...names: readonly N[]): Chosen<N> {
  const shape = Object.fromEntries(names.map((name) => [name, settings[name]])) as Pick<Settings, N>;
  return {
    shape,
    '~standard': {
      validate(value) {
        const given = value === undefined ? {} : value;
        if (typeof given !== 'object' || given === null || Array.isArray(given))
          return { issues: [{ message: 'expected a map of settings' }] };
        const unknown = Object.keys(given).find((name) => !Object.hasOwn(shape, name));
        if (unknown !== undefined) {
          const message = `is not a setting of this plugin; there is ${names.join(', ')}`;
          return { issues: [{ message, path: [unknown] }] };
        }
        const values: Record<string, unknown> = {};
        for (const name of names) {
          const checked = settings[name]['~standard'].validate((given as Record<string, unknown>)[name]);
          // None of ours waits.
          if (checked instanceof Promise) continue;
          if (checked.issues !== undefined)
            return { issues: checked.issues.map(({ message }) => ({ message, path: [name] })) };
          values[name] = checked.value;
        }
        return { value: values as Values<N> }; // name by name what was checked
      },
    },
  };
}

/** How long a server may be silent: `plugins: { models.local: { idleTimeoutMs: 60000 } }`. */
export interface WireSettings {
  readonly idleTimeoutMs: number;
}

function choice<T extends string>(choices: readonly [T, ...T[]], description: string): Setting<T> {
  const [initial] = choices;
  const isOne = (value: unknown): value is T => choices.includes(value as T);
  return setting(initial, isOne, `one of ${choices.join(', ')}`, { enum: choices }, description);
}

function setting<T>(
  initial: T,
  isOne: (value: unknown) => value is T,
  words: string,
  json: JsonSchema,
  description: string,
): Setting<T> {
  return {
    '~standard': {
      validate: (value = initial) => (isOne(value) ? { value } : { issues: [{ message: `expected ${words}` }] }),
      jsonSchema: { input: () => ({ ...json }) },
    },
    meta: () => ({ description }),
  };
}
