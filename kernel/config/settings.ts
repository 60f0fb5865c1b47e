import { KernError } from '../error.ts';
import { didYouMean, nearNames } from '../near.ts';
import type { DeclaredSetting } from '../plugin.ts';
import type { Schema } from '../schema.ts';
import { isLazy, type LazySettings } from './lazy-settings.ts';
import { isTexts, oneOf, permissionRules, text, texts, trueOrFalse } from './schemas.ts';

/** A setting as a row: what it may be, what it is when nobody says, and who may say it. */
export interface Setting<T = unknown> extends Omit<DeclaredSetting<T>, 'effect'> {
  /** As a person writes it: `tools.execution`, `plugins.tools.bash.timeout`. */
  readonly key: string;
  /** The keys of the file that lead to it. Missing: the key, split at its dots. */
  readonly path?: readonly string[];
  /** A bad value fails this plugin instead of falling back to the default. */
  readonly keeper?: string;
}

const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The settings that the kernel itself reads or passes on. */
export const kernelSettings: readonly Setting[] = [
  // Not for a project: a scripted model of its own would act as the agent.
  { key: 'model', schema: text, default: undefined, env: true, summary: 'The model, as provider/id.' },
  {
    key: 'thinking',
    schema: oneOf(...thinkingLevels),
    default: undefined,
    project: true,
    summary: 'How long the model thinks before it answers.',
  },
  {
    key: 'permissions.mode',
    schema: oneOf('plan', 'ask', 'edits', 'all'),
    default: 'ask',
    env: 'KERN_PERMISSION_MODE',
    keeper: 'permissions',
    summary: 'What may happen without asking.',
  },
  {
    key: 'permissions.rules',
    schema: permissionRules,
    default: [],
    keeper: 'permissions',
    summary: 'Single things that are denied, asked or allowed.',
  },
  {
    key: 'tools.execution',
    schema: oneOf('parallel', 'sequential'),
    default: 'parallel',
    project: true,
    summary: 'Whether the tool calls of one reply run at the same time.',
  },
  {
    key: 'startup.autoChdir',
    schema: trueOrFalse,
    default: true,
    summary: 'Start in a temporary folder when kern is started in the home folder.',
  },
];

/** The keys that switch things on and off. They hold by level: a project switches only what it brought. */
export const switchKeys = {
  plugins: 'A plugin by its id: false, true, or its settings.',
  providers: 'A provider by its id: false, true, or { enabled, priority, user, project, code }.',
  disabledProviders: 'Short for providers: { <id>: false }.',
  enabledProviders: 'Short for providers: { <id>: true }.',
  disabledItems: 'Single items, as kind:key.',
} as const;

/** What may be said of a provider. `code`: what it finds may also be run, once it is trusted. */
export const providerSwitches = ['enabled', 'priority', 'user', 'project', 'code'] as const;

export const switchLists = ['disabledProviders', 'enabledProviders', 'disabledItems'] as const;
export const listSchema: Schema<readonly string[]> = texts;

/** A setting with its path worked out. */
export type Row = Setting & { readonly path: readonly string[] };

/** The settings that are known now. */
export class Settings {
  readonly #rows = new Map<string, Row>();

  constructor() {
    for (const row of kernelSettings) this.#rows.set(row.key, { ...row, path: row.key.split('.') });
  }

  /** Adds settings. One that was added before is replaced; those of the kernel are not. */
  add(rows: readonly Setting[]): void {
    for (const row of rows) {
      const path = row.path ?? row.key.split('.');
      const taken = this.#inTheWay(row.key, path);
      const isSwitch = Object.hasOwn(switchKeys, path[0] ?? '') && (path[0] !== 'plugins' || path.length < 3);
      if (taken !== undefined || isSwitch || path.includes('')) {
        throw new KernError(
          'config_bad_setting',
          `the setting ${row.key} cannot be added: ${taken === undefined ? 'its name is not free' : `${taken.key} is there already`}.`,
          {
            hint: 'Plugins put their settings under plugins.<id>.',
          },
        );
      }
      // Not copied where it need not be: its default may be one that is worked out when it is asked for.
      this.#rows.set(row.key, row.path === undefined ? { ...row, path } : (row as Row));
    }
  }

  #inTheWay(key: string, path: readonly string[]): Row | undefined {
    for (const other of this.#rows.values())
      if (other.key === key ? isKernels(key) : isSameWay(other.path, path)) return other;
    return undefined;
  }

  all(): readonly Row[] {
    return Array.from(this.#rows.values());
  }

  at(path: readonly string[]): Row | undefined {
    return this.all().find((row) => samePath(row.path, path));
  }

  /** The rows of one plugin's settings. */
  ofPlugin(id: string): readonly Row[] {
    return this.all().filter((row) => row.path[0] === 'plugins' && row.path[1] === id);
  }

  /** The rows below a path: `permissions` is not a setting, but two. */
  below(path: readonly string[]): readonly Row[] {
    return this.all().filter((row) => row.path.length > path.length && startsWith(row.path, path));
  }

  /** The setting that a path leads into: itself, or one whose value is a list or map. */
  around(path: readonly string[]): Row | undefined {
    return this.all().find((row) => startsWith(path, row.path));
  }

  unknown(key: string): KernError {
    const near = nearNames(key, [...this.#rows.keys(), ...Object.keys(switchKeys)]);
    return new KernError('config_unknown_key', `there is no setting ${key}. ${didYouMean(near) ?? ''}`.trimEnd(), {
      hint: 'kern config list shows what there is.',
    });
  }
}

function isKernels(key: string): boolean {
  return kernelSettings.some((row) => row.key === key);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((name, index) => name === path[index]);
}

/** Whether one of them leads on where the other ends. */
function isSameWay(a: readonly string[], b: readonly string[]): boolean {
  for (let at = Math.min(a.length, b.length) - 1; at >= 0; at -= 1) if (a[at] !== b[at]) return false;
  return true;
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** The variable of the environment that sets a row, if any may. */
export function variableOf(row: Setting): string | undefined {
  if (typeof row.env === 'string') return row.env;
  return row.env === true ? `KERN_${row.key.replaceAll(/[.-]/g, '_').toUpperCase()}` : undefined;
}

/**
 * The settings of a plugin, read from its config schema: an object whose properties may carry
 * `.meta({ project: true, env: true, was: ['its old name'], description })`. A schema that shows no properties gives none.
 */
export function pluginSettings(id: string, schema: unknown): Setting[] {
  if (isLazy(schema)) return Object.keys(schema.standard).map((name) => lazyRow(id, name, schema));
  const shape = (schema as { shape?: unknown } | undefined)?.shape;
  if (typeof shape !== 'object' || shape === null) return [];
  return Object.entries(shape).map(([name, property]) => {
    const meta = metaOf(property);
    const schemaOfProperty = property as Schema<unknown>;
    let standard: { readonly value: unknown } | undefined;
    return {
      key: `plugins.${id}.${name}`,
      path: ['plugins', id, name],
      schema: schemaOfProperty,
      // Of most settings nobody asks.
      get default() {
        standard ??= { value: defaultOf(schemaOfProperty) };
        return standard.value;
      },
      summary: typeof meta.description === 'string' ? meta.description : '',
      project: meta.project === true,
      env: meta.env === true,
      ...(isTexts(meta.was) ? { was: meta.was } : {}),
    };
  });
}

/** Of the schema only the name and the default are known until somebody asks for more. */
function lazyRow(id: string, name: string, schema: LazySettings<object>): Setting {
  const whole = (): Setting => {
    const row = pluginSettings(id, { shape: { [name]: schema.shape[name] } })[0] as Setting;
    const early = [row.project === true && 'project', row.env === true && 'env', row.was !== undefined && 'was'];
    const marks = early.filter((mark) => mark !== false);
    if (marks.length === 0) return row;
    throw new KernError('config_bad_setting', `${row.key} is marked ${marks.join(', ')}, which is seen too late`, {
      hint: 'take lazySettings away from the schema of this plugin',
    });
  };
  return {
    key: `plugins.${id}.${name}`,
    path: ['plugins', id, name],
    default: (schema.standard as Readonly<Record<string, unknown>>)[name],
    get schema() {
      return whole().schema;
    },
    get summary() {
      return whole().summary;
    },
  };
}

/** `.meta()` belongs to one zod instance; `.default()` and `.optional()` put another around it. */
function metaOf(schema: unknown): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let current = schema as { meta?: () => unknown; def?: { innerType?: unknown } } | undefined;
  for (let depth = 0; current !== undefined && current !== null && depth < 10; depth++) {
    const own = typeof current.meta === 'function' ? current.meta() : undefined;
    for (const [name, value] of Object.entries((own as object | undefined) ?? {}))
      if (!Object.hasOwn(found, name)) found[name] = value;
    current = current.def?.innerType as typeof current;
  }
  return found;
}

/** What the schema makes of nothing is its default. */
function defaultOf(schema: Schema<unknown>): unknown {
  const result = schema['~standard'].validate(undefined);
  if (!(result instanceof Promise)) return result.issues === undefined ? result.value : undefined;
  result.catch(() => undefined); // nobody waits for it
  return undefined;
}
