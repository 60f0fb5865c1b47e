import type { Activation } from '../activation.ts';
import type { PluginDefinition } from '../plugin.ts';
import type { IdlePlugin } from '../snapshot.ts';
import { isPluginId } from './definition.ts';
import type { ExtensionManifest } from './locate.ts';
import type { Place } from './place.ts';

/** A manifest that says all that has to be known of a plugin while it sleeps. */
export type WholeManifest = ExtensionManifest & Required<Pick<ExtensionManifest, 'id' | 'contributes'>>;

/** The manifest of a plugin that may sleep until something of it is used. What declares tokens or taps hooks never does. */
export function manifestForSleep({ manifest }: Place): WholeManifest | undefined {
  if (manifest === undefined || !isPluginId(manifest.id)) return undefined;
  const { id, contributes = {}, declares = [], taps = [] } = manifest;
  if (Object.keys(contributes).length === 0 || declares.length + taps.length > 0) return undefined;
  return { ...manifest, id, contributes };
}

/** The sleeper that a manifest describes. */
export function sleeperOf(
  { level, root, entry }: Place,
  { id, contributes, stubs, looksFor, provider }: WholeManifest,
  load: () => Promise<PluginDefinition>,
): IdlePlugin {
  return {
    id,
    declares: [],
    contributes,
    level,
    source: entry,
    load,
    ...(stubs === undefined ? {} : { stubs }),
    ...(looksFor === undefined ? {} : { looksFor }),
    ...(provider === undefined ? {} : { provider }),
    ...(root === undefined ? {} : { root }),
  };
}

/** What a plugin brought that its manifest does not say: nobody would have found it while the plugin slept. */
export function brokenPromises({ contributes }: WholeManifest, activation: Activation): readonly string[] {
  const isPromised = (capability: string, key: string | undefined): boolean => {
    const keys = Object.hasOwn(contributes, capability) ? contributes[capability] : undefined;
    return keys === '*' || (key !== undefined && keys?.includes(key) === true);
  };
  const { offers, providers, taps, unit } = activation;
  const brought = [
    ...offers
      .filter(({ capability, key }) => !isPromised(capability.id, key))
      .map(({ capability, key }) => `the ${capability.id} ${key ?? '(without a key)'}`),
    ...providers
      .filter(({ capability }) => contributes[capability.id] !== '*')
      .map(({ capability }) => `a provider of ${capability.id}, which has to be promised as "*"`),
    ...taps.map(({ hook }) => `a tap of ${hook.id}`),
    ...(unit.definition.declares ?? []).map(({ token, id }) => `the declaration of the ${token} ${id}`),
  ];
  return [...new Set(brought)];
}
