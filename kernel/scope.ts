import type { Activation, ProviderRecord, TapRecord } from './activation.ts';
import type { Capability, Provider } from './capability.ts';
import type { Core } from './core.ts';
import { KernError, PluginError } from './error.ts';
import type { Hook, TapFunction } from './hook.ts';
import { Offering, type Staging } from './offering.ts';
import type { Context, ContributeOptions, Group, Handle, Logger, Offered, View } from './plugin.ts';
import { processes } from './process.ts';
import type { SnapshotView } from './view.ts';

export interface ScopeOptions {
  readonly config: unknown;
  readonly staging: Staging;
}

/** The `ctx` of one activation. Everything that is registered goes into the activation, and away with it. */
export function createScope(core: Core, activation: Activation, options: ScopeOptions): Context<unknown> {
  const { id } = activation;

  /** For what registers. */
  const alive = (what: string): void => {
    if (activation.state === 'gone')
      throw new KernError('scope_disposed', `plugin ${id} used ctx.${what} after it was unloaded`, {
        hint: 'stop timers and listeners with ctx.defer, or watch ctx.signal',
      });
  };
  /** For what only uses: disposers may still. */
  const usable = (what: string): void => {
    if (!activation.isUndoing) alive(what);
  };
  const view = (): View => core.owners.current()?.view ?? core.outlook;
  const handle = (dispose: () => void): Handle => ({ dispose, [Symbol.dispose]: dispose });
  /** Runs code of this plugin from a timer, a watcher or a bus: its failures are its own. */
  const guarded = (at: string, fn: () => unknown, seenFrom?: View): void => {
    if (activation.state === 'gone') return;
    try {
      const answer = core.owners.run({ activation, view: seenFrom }, fn);
      if (answer instanceof Promise) answer.catch((error) => core.journal.failure(id, 'stray_error', at, error));
    } catch (error) {
      core.journal.failure(id, 'stray_error', at, error);
    }
  };
  /** A disposer that takes itself off the scope when it is used early. */
  const owned = (undo: () => void): Handle => {
    let open = true;
    const close = (): void => {
      if (!open) return;
      open = false;
      forget();
      undo();
    };
    const forget = activation.defer(close);
    return handle(close);
  };

  const offering = new Offering(core, activation, options.staging);
  const offerGroup = <T>(capability: Capability<T>, name: string, group: ContributeOptions): Group<T> => {
    const { replace, end } = offering.group(capability as unknown as Capability<unknown>, name, group);
    const { dispose } = owned(end);
    const replaceAlive = (items: readonly T[]): void => {
      alive('offer');
      replace(items);
    };
    return { replace: replaceAlive, withdraw: dispose, dispose, [Symbol.dispose]: dispose };
  };

  const log = (severity: 'debug' | 'info' | 'warning' | 'error') => (message: string, cause?: unknown) =>
    core.journal.add(id, severity, 'log', message, cause);
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warning'), error: log('error') };

  const scope: Context<unknown> = {
    id,
    level: activation.level,
    revision: activation.unit.revision,
    config: options.config,
    signal: activation.controller.signal,
    log: logger,
    trust: core.trust,
    get where() {
      return view().where;
    },
    get ui() {
      usable('ui');
      return view().ui;
    },
    get session() {
      usable('session');
      const { session } = view();
      if (session === undefined)
        throw new KernError('no_session', `plugin ${id} used ctx.session where no session runs`, {
          hint: 'use it in hooks, tools and commands of a session',
        });
      return session;
    },
    events: {
      on: (name, listener) => {
        alive('events');
        const subscription = core.events.on(name, (payload) =>
          guarded(`the event ${name}`, () => listener(payload), core.owners.current()?.view),
        );
        return owned(() => subscription.dispose());
      },
      emit: (name, payload) => {
        usable('events');
        core.events.emit(name, payload);
      },
    },

    tap: (hook, fn, tapOptions) => {
      alive('tap');
      checkToken(id, 'tap', 'hook', hook);
      if (typeof fn !== 'function')
        throw new KernError('bad_tap', `plugin ${id}: ctx.tap of ${hook.id} has no function`);
      const tap: TapRecord = {
        activation,
        hook: hook as unknown as Hook,
        fn: fn as TapFunction<'event', never, never>,
        order: tapOptions?.order ?? 0,
        sequence: activation.next(),
        failures: 0,
        muted: false,
        calls: 0,
        ms: 0,
        slowestMs: 0,
        isKnownSlow: false,
      };
      activation.taps = Object.freeze([...activation.taps, tap]);
      if (activation.state === 'live') core.changed(activation);
    },
    // The overloads only type what is handed in; here it is parsed.
    contribute: ((
      capability: Capability<unknown>,
      item: unknown,
      contributeOptions: ContributeOptions = {},
    ): Offered => {
      alive('contribute');
      checkToken(id, 'contribute', 'capability', capability);
      const group = offerGroup(capability, id, contributeOptions);
      group.replace([item]);
      return group;
    }) as Context['contribute'],
    offer: (capability, name, groupOptions = {}) => {
      alive('offer');
      checkToken(id, 'offer', 'capability', capability);
      return offerGroup(capability, name, groupOptions);
    },
    provide: (capability, provider) => {
      alive('provide');
      checkToken(id, 'provide', 'capability', capability);
      const made: ProviderRecord = {
        activation,
        capability: capability as unknown as Capability<unknown>,
        provider: checkedProvider(id, provider as Provider<unknown>),
        sequence: activation.next(),
      };
      const twin = activation.providers.find(
        (other) => other.capability.id === capability.id && other.provider.id === provider.id,
      );
      if (twin !== undefined)
        throw new KernError('provider_twice', `plugin ${id} provides ${capability.id} twice as ${provider.id}`, {
          hint: 'give each provider an id of its own',
        });
      activation.providers = Object.freeze([...activation.providers, made]);
      if (activation.state === 'live') core.changed(activation);
      return owned(() => {
        activation.providers = Object.freeze(activation.providers.filter((other) => other !== made));
        if (activation.state === 'live') core.changed(activation);
      });
    },

    use: (capability) => {
      usable('use');
      checkToken(id, 'use', 'capability', capability);
      return {
        load: (signal, key) => view().use(capability).load(signal, key),
        items: () => view().use(capability).items(),
        entries: (entriesOptions) => view().use(capability).entries(entriesOptions),
        get: (key) => view().use(capability).get(key),
        missing: () => view().use(capability).missing(),
      };
    },
    service: (token) => {
      usable('service');
      checkToken(id, 'service', 'capability', token);
      return view().service(token);
    },
    call: (hook, input) => {
      usable('call');
      checkToken(id, 'call', 'hook', hook);
      return view().call(hook, input);
    },
    setting: (key) => core.settings.get(key),
    pin: () => {
      alive('pin');
      let forget = (): void => {};
      // Every view of a kernel is one of these.
      const pinned = (view() as SnapshotView).pinFor(() => forget());
      forget = activation.defer(() => pinned[Symbol.dispose]());
      return pinned;
    },
    run: async (entry, fn) => {
      usable('run');
      return view().run(entry, fn);
    },
    hold: (entry) => {
      alive('hold');
      const held = view().hold(entry);
      return owned(() => held.dispose());
    },

    state: (name, schema, initial) => {
      alive('state');
      return core.cells.state(activation, options.staging.predecessor, name, schema, initial);
    },
    keep: (key, fingerprint, acquire, keepOptions) => {
      alive('keep');
      return core.cells.keep(activation, key, fingerprint, acquire, keepOptions?.exclusive === true);
    },
    defer: (fn) => {
      alive('defer');
      activation.defer(fn);
    },
    onStart: (fn) => {
      alive('onStart');
      activation.starters.push(fn);
    },
    onCrash: (fn) => {
      alive('onCrash');
      activation.crashers.push(fn);
    },
    interval: (fn, ms) => {
      alive('interval');
      return owned(core.clock.every(ms, () => guarded('an interval', fn)));
    },
    timeout: (fn, ms) => {
      alive('timeout');
      const timer = owned(
        core.clock.after(ms, () => {
          timer.dispose();
          guarded('a timeout', fn);
        }),
      );
      return timer;
    },
    spawn: (command, args, spawnOptions = {}) => {
      alive('spawn');
      const { signal } = activation.controller;
      const child = view()
        .service(processes)
        .spawn(command, args, {
          cwd: view().where.cwd,
          owner: id,
          ...spawnOptions,
          signal: spawnOptions.signal === undefined ? signal : AbortSignal.any([signal, spawnOptions.signal]),
        });
      return child;
    },
    watch: (paths, fn) => {
      alive('watch');
      const watcher = core.watch(`${activation.unit.key}#${activation.next()}`, paths, (changed) =>
        guarded('a watcher', () => fn(changed)),
      );
      return owned(() => watcher.dispose());
    },
    touched: (paths) => core.touched(paths),
    channel: (name) => ({ write: (line) => core.channel(id, name, line) }),
    asking: async (promise) => {
      const clock = core.owners.current()?.clock;
      clock?.pause();
      try {
        return await promise;
      } finally {
        clock?.resume();
      }
    },
  };
  return scope;
}

function checkedProvider(plugin: string, provider: Provider<unknown>): Provider<unknown> {
  const isOne =
    typeof provider.id === 'string' &&
    typeof provider.displayName === 'string' &&
    typeof provider.priority === 'number' &&
    typeof provider.load === 'function';
  if (!isOne)
    throw new PluginError(
      plugin,
      'ctx.provide',
      new KernError('bad_provider', 'a provider is {id, displayName, priority, load(where, signal)}'),
    );
  return provider;
}

/** A misspelt import is `undefined`: it fails where it is used, with the plugin's name, not later in somebody else's table. */
function checkToken(plugin: string, what: string, kind: 'hook' | 'capability', token: unknown): void {
  if (typeof token === 'object' && token !== null && 'token' in token && token.token === kind) return;
  const given =
    token === undefined ? 'undefined' : typeof token === 'string' ? JSON.stringify(token) : 'something else';
  throw new KernError('bad_token', `plugin ${plugin}: ctx.${what} was given ${given} where a ${kind} belongs`, {
    hint: `import the ${kind} from kern/contracts or kern/plugin, and look at its spelling`,
  });
}
