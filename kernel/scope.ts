import type { Activation, OfferRecord, ProviderRecord, TapRecord } from './activation.ts';
import type { Capability, Provider } from './capability.ts';
import type { Core } from './core.ts';
import { KernError, PluginError } from './error.ts';
import type { Hook, TapFunction } from './hook.ts';
import type { Context, ContributeOptions, Group, Handle, Logger, Offered, View } from './plugin.ts';
import { processes } from './process.ts';
import { parse } from './schema.ts';
import { declaredCapability, keyOf, type Snapshot } from './snapshot.ts';

export interface ScopeOptions {
  readonly config: unknown;
  /** The revision that this one is about to replace. */
  readonly predecessor: Activation | undefined;
  /** What the activation sees before it is live: the snapshot it will be part of. */
  readonly candidate: () => Snapshot;
}

/** The `ctx` of one activation. Everything that is registered goes into the activation, and away with it. */
export function createScope(core: Core, activation: Activation, options: ScopeOptions): Context<unknown> {
  const { id } = activation;

  const alive = (what: string): void => {
    if (activation.state === 'gone') throw new KernError('scope_disposed', `plugin ${id} used ctx.${what} after it was unloaded`, { hint: 'stop timers and listeners with ctx.defer, or watch ctx.signal' });
  };
  const view = (): View => core.owners.current()?.view ?? core.outlook;
  const isLive = (): boolean => activation.state === 'live' || activation.state === 'draining';
  const handle = (dispose: () => void): Handle => ({ dispose, [Symbol.dispose]: dispose });
  /** Runs code of this plugin from a timer, a watcher or a bus: its failures are its own. */
  const guarded = (at: string, fn: () => unknown): void => {
    if (activation.state === 'gone') return;
    try {
      const answer = core.owners.run({ activation }, fn);
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

  const record = (capability: Capability<unknown>, item: unknown, provider: string, { priority, path }: ContributeOptions): OfferRecord => {
    const declared = declaredCapability(options.candidate(), capability.id) ?? capability;
    const parsed = parse(declared.schema, item);
    if (!parsed.ok) {
      if (!isLive()) throw new KernError('invalid_item', `${capability.id}: ${parsed.issues.join('; ')}`, { hint: `what ${capability.id} items look like: \`kern schema ${capability.id}\`` });
      core.journal.add(id, 'error', 'invalid_item', `plugin ${id} offers an invalid ${capability.id}: ${parsed.issues.join('; ')}`);
    }
    const value = parsed.ok && declared.normalize !== undefined ? declared.normalize(item) : item;
    return { activation, capability, item: value, key: keyOf(declared, value), priority, path, provider, sequence: activation.next(), schema: declared.schema, parsed: parsed.ok ? { ok: true, value } : parsed, withdrawn: false };
  };
  const exchange = (before: readonly OfferRecord[], after: readonly OfferRecord[]): void => {
    for (const offer of before) offer.withdrawn = true;
    activation.offers = Object.freeze([...activation.offers.filter((offer) => !before.includes(offer)), ...after]);
    if (activation.state === 'live') core.changed(activation, 'offers');
  };
  const offerGroup = <T>(capability: Capability<T>, name: string, group: ContributeOptions): Group<T> => {
    let current: readonly OfferRecord[] = [];
    const replace = (items: readonly T[]): void => {
      alive('offer');
      const next = items.map((item) => record(capability as unknown as Capability<unknown>, item, name, group));
      exchange(current, next);
      current = next;
    };
    const { dispose } = owned(() => {
      if (activation.state !== 'gone') exchange(current, []);
      current = [];
    });
    return { replace, withdraw: dispose, dispose, [Symbol.dispose]: dispose };
  };

  const log = (severity: 'debug' | 'info' | 'warning' | 'error') => (message: string, cause?: unknown) => core.journal.add(id, severity, 'log', message, cause);
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
      return view().ui;
    },
    get session() {
      const { session } = view();
      if (session === undefined) throw new KernError('no_session', `plugin ${id} used ctx.session where no session runs`, { hint: 'use it in hooks, tools and commands of a session' });
      return session;
    },
    events: {
      on: (name, listener) => {
        alive('events');
        const subscription = core.events.on(name, (payload) => guarded(`the event ${name}`, () => listener(payload)));
        return owned(() => subscription.dispose());
      },
      emit: (name, payload) => {
        alive('events');
        core.events.emit(name, payload);
      },
    },

    tap: (hook, fn, tapOptions) => {
      alive('tap');
      const tap: TapRecord = { activation, hook: hook as unknown as Hook, fn: fn as TapFunction<'event', never, never>, order: tapOptions?.order ?? 0, sequence: activation.next(), failures: 0, muted: false };
      activation.taps = Object.freeze([...activation.taps, tap]);
      if (activation.state === 'live') core.changed(activation, 'taps');
    },
    // The overloads only type what is handed in; here it is parsed.
    contribute: ((capability: Capability<unknown>, item: unknown, contributeOptions: ContributeOptions = {}): Offered => {
      alive('contribute');
      const group = offerGroup(capability, id, contributeOptions);
      group.replace([item]);
      return group;
    }) as Context['contribute'],
    offer: (capability, name, groupOptions = {}) => {
      alive('offer');
      return offerGroup(capability, name, groupOptions);
    },
    provide: (capability, provider) => {
      alive('provide');
      const made: ProviderRecord = { activation, capability: capability as unknown as Capability<unknown>, provider: checkedProvider(id, provider as Provider<unknown>), sequence: activation.next() };
      activation.providers = Object.freeze([...activation.providers, made]);
      if (activation.state === 'live') core.changed(activation, 'offers');
      return owned(() => {
        activation.providers = Object.freeze(activation.providers.filter((other) => other !== made));
        if (activation.state === 'live') core.changed(activation, 'offers');
      });
    },

    use: (capability) => {
      alive('use');
      return {
        load: (signal) => view().use(capability).load(signal),
        items: () => view().use(capability).items(),
        entries: (entriesOptions) => view().use(capability).entries(entriesOptions),
        get: (key) => view().use(capability).get(key),
      };
    },
    service: (token) => {
      alive('service');
      return view().service(token);
    },
    call: (hook, input) => {
      alive('call');
      return view().call(hook, input);
    },
    setting: (key) => core.settings.get(key),
    pin: () => view().pin(),
    run: (entry, fn) => view().run(entry, fn),
    hold: (entry) => view().hold(entry),

    state: (name, schema, initial) => {
      alive('state');
      return core.cells.state(activation, options.predecessor, name, schema, initial);
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
      const timer = owned(core.clock.after(ms, () => {
        timer.dispose();
        guarded('a timeout', fn);
      }));
      return timer;
    },
    spawn: (command, args, spawnOptions = {}) => {
      alive('spawn');
      const { signal } = activation.controller;
      const child = view().service(processes).spawn(command, args, {
        cwd: view().where.cwd,
        ...spawnOptions,
        signal: spawnOptions.signal === undefined ? signal : AbortSignal.any([signal, spawnOptions.signal]),
      });
      return child;
    },
    watch: (paths, fn) => {
      alive('watch');
      const watcher = core.watch(`${activation.unit.key}#${activation.next()}`, paths, (changed) => guarded('a watcher', () => fn(changed)));
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
  const isOne = typeof provider.id === 'string' && typeof provider.displayName === 'string' && typeof provider.priority === 'number' && typeof provider.load === 'function';
  if (!isOne) throw new PluginError(plugin, 'ctx.provide', new KernError('bad_provider', 'a provider is {id, displayName, priority, load(where, signal)}'));
  return provider;
}
