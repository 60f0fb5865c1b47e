import type { ModelCatalog } from 'kern/contracts';

type Catalogs = Readonly<Record<string, ModelCatalog>>;

/** The models of a vendor. Only the file that it stands in is read. */
export async function catalogOf(vendor: string): Promise<ModelCatalog> {
  switch (vendor) {
    case 'openrouter':
      return (await import('./data/openrouter.json', { with: { type: 'json' } })).default;
    case 'vercel-ai-gateway':
      return (await import('./data/vercel-ai-gateway.json', { with: { type: 'json' } })).default;
    default: {
      const others: Catalogs = (await import('./data/others.json', { with: { type: 'json' } })).default;
      const catalog = others[vendor];
      if (catalog === undefined) throw new Error(`there is no catalogue of ${vendor}`);
      return catalog;
    }
  }
}
