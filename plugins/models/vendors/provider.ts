import {
  type Auth,
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  type ModelWire,
  modelDiscovery,
  modelNamed,
  modelWires,
  providerKey,
  replyOver,
} from 'kern/contracts';
import { catalogOf } from './catalogs.ts';
import type { Vendor } from './vendors.ts';

export type VendorSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;

/** A vendor as a provider. The environment is read at each call: a key that is set counts at once. */
export function vendorProvider(vendor: Vendor, settings: VendorSettings, auth?: () => Auth): ModelProvider {
  const { id, displayName, env, headers, official } = vendor;
  const kept = keptModel();
  const key = providerKey({ provider: id, keys: () => env.map((name) => `$${name}`), auth });
  const missing = (): string | undefined => key.missing() ?? unsetOf(vendor);
  const models = async (): Promise<readonly Model[]> => catalogModels(id, await catalogOf(id), missing() === undefined);
  return {
    id,
    displayName,
    models,
    async model(name) {
      return modelNamed(await models(), name) ?? describeModel(id, name, { available: missing() === undefined });
    },
    missing,
    keys: key.keys,
    catalog: () => vendor.catalogId ?? id,
    discovery() {
      const wire = wireOf(vendor, undefined);
      const baseUrl = filled(vendor.baseUrls[wire] ?? '');
      return modelDiscovery(wire, { baseUrl, headers, apiKey: key.secret });
    },
    stream(request, signal) {
      const wire = wireOf(vendor, request.model.wire);
      const fix = [...env.map((name) => `check ${name}`), `sign in again: kern auth login ${id}`].join(', or ');
      const baseUrl = filled(vendor.baseUrls[wire] ?? '');
      const endpoint = { provider: id, baseUrl, official, kept, fix, ...settings };
      return key.reply(request, signal, (sent) =>
        replyOver(wire, { ...endpoint, ...sent, headers: { ...headers, ...sent.headers } }, request, signal),
      );
    },
  };
}

/** The wire that a model needs, else the first of the vendor's. */
function wireOf({ baseUrls }: Vendor, wanted: string | undefined): ModelWire {
  const spoken = modelWires.filter((wire) => baseUrls[wire] !== undefined);
  const [first] = Object.keys(baseUrls) as ModelWire[]; // the keys are wires
  return spoken.find((wire) => wire === wanted) ?? first ?? 'openai-chat';
}

const variable = (name: string): string | undefined => process.env[name]?.trim() || undefined;
const placeholder = /\{([A-Z_]+)\}/g;

function filled(url: string): string {
  return url.replace(placeholder, (_, name: string) => encodeURIComponent(variable(name) ?? ''));
}

/** A part of the address that is not there. */
function unsetOf(vendor: Vendor): string | undefined {
  const parts = Object.values(vendor.baseUrls).flatMap((url) => [...url.matchAll(placeholder)].map(([, name]) => name));
  const unset = parts.find((name) => name !== undefined && variable(name) === undefined);
  return unset === undefined ? undefined : `${unset} is not set`;
}
