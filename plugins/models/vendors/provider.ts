import {
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
  replyOver,
} from 'kern/contracts';
import type { Vendor } from './vendors.ts';

export type VendorSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;

/** A vendor as a provider. The environment is read at each call: a key that is set counts at once. */
export function vendorProvider(vendor: Vendor, settings: VendorSettings): ModelProvider {
  const { id, displayName, env, headers } = vendor;
  const kept = keptModel();
  const missing = (): string | undefined => missingOf(vendor);
  const models = async (): Promise<readonly Model[]> =>
    catalogModels(id, await vendor.catalog(), missing() === undefined);
  return {
    id,
    displayName,
    models,
    async model(name) {
      return modelNamed(await models(), name) ?? describeModel(id, name, { available: missing() === undefined });
    },
    missing,
    keys: () => env.map((name) => `$${name}`),
    catalog: () => vendor.catalogId,
    discovery() {
      const wire = wireOf(vendor, undefined);
      const baseUrl = filled(vendor.baseUrls[wire] ?? '');
      return modelDiscovery(wire, { baseUrl, headers, apiKey: async () => keyOf(vendor) });
    },
    stream(request, signal) {
      const wire = wireOf(vendor, request.model.wire);
      const fix = `check ${env.join(' or ')}`;
      const baseUrl = filled(vendor.baseUrls[wire] ?? '');
      const endpoint = { provider: id, baseUrl, apiKey: keyOf(vendor), headers, kept, fix, ...settings };
      return replyOver(wire, endpoint, request, signal);
    },
  };
}

/** The wire that a model needs, else the first of the vendor's. */
function wireOf({ baseUrls }: Vendor, wanted: string | undefined): ModelWire {
  const spoken = modelWires.filter((wire) => baseUrls[wire] !== undefined);
  const [first] = Object.keys(baseUrls) as ModelWire[]; // the keys are wires
  return spoken.find((wire) => wire === wanted) ?? first ?? 'openai-chat';
}

function keyOf({ env }: Vendor): string | undefined {
  return env.map(variable).find((value) => value !== undefined);
}

const variable = (name: string): string | undefined => process.env[name]?.trim() || undefined;
const placeholder = /\{([A-Z_]+)\}/g;

function filled(url: string): string {
  return url.replace(placeholder, (_, name: string) => encodeURIComponent(variable(name) ?? ''));
}

function missingOf(vendor: Vendor): string | undefined {
  const parts = Object.values(vendor.baseUrls).flatMap((url) => [...url.matchAll(placeholder)].map(([, name]) => name));
  const unset = parts.find((name) => name !== undefined && variable(name) === undefined);
  if (keyOf(vendor) === undefined) return `${vendor.env.join(' or ')} is not set`;
  return unset === undefined ? undefined : `${unset} is not set`;
}
