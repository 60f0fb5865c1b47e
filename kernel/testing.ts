import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginUnit } from './activation.ts';
import type { Level, Where } from './capability.ts';
import type { Clock } from './clock.ts';
import type { CallResult, Hook, HookKind } from './hook.ts';
import { type ChangeResult, Kernel, type KernelOptions, unitKey } from './kernel.ts';
import type { PluginDefinition, View } from './plugin.ts';
import type { Ui } from './session.ts';
import { configureAlone, type SettingsPort } from './settings.ts';

export interface BootOptions {
  /** Of the plugins. Default `builtin`. */
  readonly level?: Level;
  /** `none`: guarding hooks do not ask for their keeper. */
  readonly keepers?: 'enforced' | 'none';
  /** `plugins.<id>` settings. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>> | false>>;
  /** Other settings: `model`, `tools.execution`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly cwd?: string;
  readonly home?: string;
  /** The person's own folder, `~`. Default one that is not there: nobody's own files count. */
  readonly user?: string;
  readonly clock?: Clock;
  readonly ui?: Ui;
  /** A plugin that does not load is an error of the test. Default true. */
  readonly strict?: boolean;
  readonly watch?: KernelOptions['watch'];
  readonly presence?: KernelOptions['presence'];
  /** What of a project may run. Default: all of it. */
  readonly trust?: KernelOptions['trust'];
}

/** A kernel for a test, gone with `await using`. */
export interface TestKernel extends AsyncDisposable {
  readonly kernel: Kernel;
  readonly view: View;
  /** Its folder: the working directory, unless `cwd` was given. */
  readonly dir: string;
  readonly result: ChangeResult;
  call<K extends HookKind, I, A>(hook: Hook<K, I, A>, input: I): CallResult<K, I, A>;
  /** Loads or reloads a plugin. */
  put(
    definition: PluginDefinition,
    options?: { readonly level?: Level; readonly root?: string; readonly source?: string },
  ): Promise<ChangeResult>;
  drop(id: string, options?: { readonly level?: Level; readonly root?: string }): Promise<ChangeResult>;
  /** Reports of warnings and errors, as lines. */
  complaints(): readonly string[];
}

/** Boots a kernel with these plugins, each at the level given. */
export async function bootKernel(plugins: readonly PluginDefinition[], options: BootOptions = {}): Promise<TestKernel> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kern-test-')));
  const cwd = options.cwd ?? dir;
  const where: Where = { cwd, root: cwd, home: options.home ?? dir, user: options.user ?? join(dir, 'nobody') };
  const kernel = new Kernel({
    where,
    settings: fixedSettings(options.config ?? {}, options.settings ?? {}),
    keepers: options.keepers ?? 'enforced',
    freezeDeeply: true,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.ui === undefined ? {} : { ui: options.ui }),
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    ...(options.trust === undefined ? {} : { trust: options.trust }),
    ...(options.presence === undefined ? {} : { presence: options.presence }),
  });
  let revision = 0;
  const unit = (
    definition: PluginDefinition,
    level: Level = options.level ?? 'builtin',
    root?: string,
    source?: string,
  ): PluginUnit => {
    revision += 1;
    const rooted = level === 'project' ? (root ?? where.root) : undefined;
    return {
      key: unitKey(level, rooted, definition.id),
      level,
      source: source ?? `${definition.id} (test)`,
      definition,
      revision,
      ...(rooted === undefined ? {} : { root: rooted }),
    };
  };
  const result = await kernel.change({ put: plugins.map((definition) => unit(definition)) });
  if (!result.ok && options.strict !== false) {
    await kernel.shutdown();
    rmSync(dir, { recursive: true, force: true });
    throw result.error;
  }
  return {
    kernel,
    view: kernel.view(),
    dir,
    result,
    call: (hook, input) => kernel.outlook.call(hook, input),
    put: (definition, at = {}) => kernel.change({ put: [unit(definition, at.level, at.root, at.source)] }),
    drop: (id, at = {}) =>
      kernel.change({
        drop: [
          unitKey(
            at.level ?? options.level ?? 'builtin',
            (at.level ?? options.level) === 'project' ? (at.root ?? where.root) : undefined,
            id,
          ),
        ],
      }),
    complaints: () =>
      kernel.journal
        .all()
        .flatMap(({ severity, plugin, message }) =>
          severity === 'warning' || severity === 'error' ? [`${plugin}: ${message}`] : [],
        ),
    [Symbol.asyncDispose]: async () => {
      const end = kernel.shutdown();
      // Nobody else lets the time pass that a call without an end is given.
      if (isFake(options.clock)) await options.clock.advance(20_000);
      await end;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Settings that do not change. */
export function fixedSettings(
  plugins: NonNullable<BootOptions['config']>,
  values: Readonly<Record<string, unknown>>,
  version = 0,
): SettingsPort {
  const configured = new Map<string, unknown>();
  return {
    version,
    get: (key) =>
      Object.hasOwn(values, key) ? values[key] : ofPlugin(key, new Map([...Object.entries(plugins), ...configured])),
    plugin: (id) => {
      const settings = plugins[id];
      return settings === false
        ? { off: `plugins.${id}: false`, settings: {} }
        : { off: undefined, settings: settings ?? {} };
    },
    configure: (id, _level, schema, isKeeper) => {
      const given = plugins[id];
      const read = configureAlone(id, given === false ? {} : (given ?? {}), schema, isKeeper);
      if ('value' in read) configured.set(id, read.value);
      return read;
    },
    provider: (id) => ({
      off:
        (values.disabledProviders as readonly string[] | undefined)?.includes(id) === true
          ? `disabledProviders: [${id}]`
          : undefined,
      priority: undefined,
    }),
    item: (capability, key) =>
      (values.disabledItems as readonly string[] | undefined)?.includes(`${capability}:${key}`) === true
        ? `disabledItems: [${capability}:${key}]`
        : undefined,
  };
}

/** `plugins.<id>.<name>`, as the plugin with the longest id that fits was configured. */
function ofPlugin(key: string, known: ReadonlyMap<string, unknown>): unknown {
  const id = Array.from(known.keys())
    .filter((one) => key === `plugins.${one}` || key.startsWith(`plugins.${one}.`))
    .sort((a, b) => b.length - a.length)[0];
  if (id === undefined) return undefined;
  const names = key
    .slice(`plugins.${id}.`.length)
    .split('.')
    .filter((name) => name !== '');
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    known.get(id),
  );
}

/** Time that passes only when the test says so. */
export interface FakeClock extends Clock {
  /** Lets `ms` pass; what falls due runs in order. */
  advance(ms: number): Promise<void>;
}

const isFake = (clock: Clock | undefined): clock is FakeClock => clock !== undefined && 'advance' in clock;

export function fakeClock(): FakeClock {
  let now = 0;
  let nextId = 0;
  const timers = new Map<number, { at: number; every: number | undefined; fn: () => void }>();
  const add = (ms: number, every: number | undefined, fn: () => void): (() => void) => {
    nextId += 1;
    const id = nextId;
    timers.set(id, { at: now + ms, every, fn });
    return () => void timers.delete(id);
  };
  // Promises that wait for a timer go on before the next one falls due.
  const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after: (ms, fn) => add(ms, undefined, fn),
    every: (ms, fn) => add(ms, Math.max(1, ms), fn),
    advance: async (ms) => {
      const until = now + ms;
      await breathe();
      for (;;) {
        const due = [...timers]
          .filter(([, timer]) => timer.at <= until)
          .sort(([a, first], [b, second]) => first.at - second.at || a - b)[0];
        if (due === undefined) break;
        const [id, timer] = due;
        now = timer.at;
        if (timer.every === undefined) timers.delete(id);
        else timer.at += timer.every;
        timer.fn();
        await breathe();
      }
      now = until;
    },
  };
}

/** A person made of answers; what was shown is kept. */
export interface CapturedUi extends Ui {
  readonly shown: string[];
}

/** Answers in the order given; when they run out, nobody answers. */
export function capturedUi(answers: readonly (string | boolean | undefined)[] = []): CapturedUi {
  const shown: string[] = [];
  const left = [...answers];
  const answer = (line: string): string | boolean | undefined => {
    shown.push(line);
    return left.shift();
  };
  return {
    available: true,
    shown,
    notify: (message, level = 'info') => void shown.push(`${level}: ${message}`),
    select: async (title, options) => {
      const given = answer(`select: ${title} [${options.join(' | ')}]`);
      return typeof given === 'string' && options.includes(given) ? given : undefined;
    },
    confirm: async (title, message) => {
      const given = answer(`confirm: ${title}: ${message}`);
      return typeof given === 'boolean' ? given : undefined;
    },
    input: async (title) => {
      const given = answer(`input: ${title}`);
      return typeof given === 'string' ? given : undefined;
    },
  };
}
