import { type Endpoint, withoutSlash } from '../bridge/endpoint.ts';
import { unusable } from '../bridge/failure.ts';
import type { ModelDiscovery } from '../contract.ts';
import type { Asking } from './fetch-json.ts';
import type { ListWire } from './list-server.ts';

/** A server that lists its models as its wire has it. `apiKey` is what it is asked with where kern has no credential for it. */
export function serverDiscovery(
  wire: ListWire,
  {
    baseUrl,
    headers,
    apiKey,
  }: Pick<Endpoint, 'baseUrl' | 'headers'> & { readonly apiKey?: (signal: AbortSignal) => Promise<string | undefined> },
): ModelDiscovery {
  return {
    address: withoutSlash(baseUrl),
    async ask(signal, { network, credential } = {}) {
      const key = credential?.secret ?? (await apiKey?.(signal));
      const { listServer } = await import('./list-server.ts');
      const more = { ...headers, ...credential?.headers };
      const base = credential?.baseUrl ?? baseUrl;
      const wrong = unusable({ provider: 'the list of models', baseUrl: base, apiKey: key, hosts: credential?.hosts });
      if (wrong !== undefined) throw wrong;
      return listServer(wire, base, { key, bearer: credential?.kind === 'oauth', headers: more, signal, network });
    },
  };
}

/** What a server answers, as JSON. */
export async function serverJson(url: string, asking: Asking): Promise<unknown> {
  return (await import('./fetch-json.ts')).serverJson(url, asking);
}
