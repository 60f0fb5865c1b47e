import type { Activation, OfferRecord, PluginUnit, ProviderRecord, TapRecord } from './activation.ts';
import type { Level, Where } from './capability.ts';
import type { Declarations } from './declarations.ts';
import type { CompiledHooks } from './hooks.ts';
import type { DeclaredSetting, PluginDefinition, Token } from './plugin.ts';

/** A plugin known from its manifest only: nothing of it has run. */
export interface IdlePlugin {
  readonly id: string;
  readonly description?: string;
  readonly declares: readonly Token[];
  /** Capability id to the keys it supplies, `'*'` where only running it can tell. */
  readonly contributes: Readonly<Record<string, '*' | readonly string[]>>;
  /**
   * Capability id to what its items look like before it runs: the capability makes items of them that wake the plugin.
   * They tell what it supplies with nothing set: where the plugin has settings of its own, they do not count.
   */
  readonly stubs?: Readonly<Record<string, readonly unknown[]>>;
  /**
   * Capability id to the paths without which it supplies nothing of it: where none of them is there it goes on sleeping, and with an empty list in any case.
   * `~/…` is the person's, `$KERN_HOME/…` kern's own, `$NAME` is there when that variable is set; everything else lies in
   * the working directory or a folder above it. They do not count where the plugin has settings of its own.
   */
  readonly looksFor?: Readonly<Record<string, readonly string[]>>;
  /** The provider that looks for them: of a level of it that is switched off nothing is looked for. */
  readonly provider?: string;
  /** Its settings outside `plugins.<id>`: they are there while it sleeps, too. */
  readonly settings?: readonly DeclaredSetting[];
  /** Hooks it taps: such a plugin is never idle. */
  readonly taps?: readonly string[];
  /** Default `builtin`. */
  readonly level?: Level;
  /** The project it belongs to. */
  readonly root?: string;
  /** Where it stands, for people. Default `built-in`. */
  readonly source?: string;
  readonly revision?: number;
  load(): Promise<PluginDefinition>;
}

/** What a provider said for one place. */
export interface Answer {
  readonly record: ProviderRecord;
  readonly where: Where;
  /** The levels that were asked for. */
  readonly levels: readonly ('user' | 'project')[];
  readonly offers: readonly (OfferRecord & { readonly level: 'user' | 'project' | undefined })[];
  readonly warnings: readonly string[];
  readonly watch: readonly string[];
}

/** Immutable: what is plugged in, at one moment. Everything else is derived from it. */
export interface Snapshot {
  readonly number: number;
  /** In plugin order. */
  readonly activations: readonly Activation[];
  /** Plugin order, sleeping plugins included. */
  readonly place: ReadonlyMap<Activation, number>;
  /** Also stubs of sleeping plugins. */
  readonly offers: readonly OfferRecord[];
  readonly providers: readonly ProviderRecord[];
  readonly answers: ReadonlyMap<string, Answer>;
  /** Plugins that sleep, and would wake. */
  readonly idle: readonly IdlePlugin[];
  readonly declarations: Declarations;
  /** Derived from taps only, so it survives offers and answers. */
  readonly hooks: CompiledHooks;
}

/** What makes a plugin the same over its revisions. */
export const unitKey = (level: Level, root: string | undefined, id: string): string => `${level}:${root ?? ''}:${id}`;

export const builtinKey = (id: string): string => unitKey('builtin', undefined, id);

export const sleeperKey = ({ id, level = 'builtin', root }: IdlePlugin): string =>
  unitKey(level, level === 'project' ? root : undefined, id);

/** The unit that a sleeping plugin becomes; without its definition it stands in for it, in the plugin order and in messages. */
export function sleeperUnit(
  plugin: IdlePlugin,
  definition: PluginDefinition = { id: plugin.id, setup: () => undefined },
): PluginUnit {
  const { level = 'builtin', root, source = 'built-in', revision = 1 } = plugin;
  return { key: sleeperKey(plugin), level, source, definition, revision, ...(root === undefined ? {} : { root }) };
}

/** The provider, whatever its revision. */
export const providerKey = ({ activation, capability, provider }: ProviderRecord): string =>
  `${activation.unit.key}\0${capability.id}\0${provider.id}`;

export const answerKey = (record: ProviderRecord, where: Where): string => `${providerKey(record)}\0${placeKey(where)}`;

export const placeKey = ({ cwd, root }: Where): string => `${root}\0${cwd}`;

/** All taps, in plugin order. */
export const tapsOf = (activations: readonly Activation[]): readonly TapRecord[] =>
  activations.flatMap((activation) => activation.taps);

/** Whether a sleeping plugin declares a capability, supplies it, or where one is asked for may supply a key of it. */
export function concerns(plugin: IdlePlugin, capability: string, key?: string): boolean {
  const keys = Object.hasOwn(plugin.contributes, capability) ? plugin.contributes[capability] : undefined;
  const supplies = keys !== undefined && (key === undefined || keys === '*' || keys.includes(key));
  return supplies || plugin.declares.some((token) => token.token === 'capability' && token.id === capability);
}
