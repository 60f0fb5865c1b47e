import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DiscoveredModel } from '../contract.ts';
import { readFacts } from './read-facts.ts';

/** What was said of a provider's models when somebody last asked. */
export interface KeptFacts {
  /** From the public catalogue, newer than the one that came with kern. */
  readonly catalog: readonly DiscoveredModel[];
  /** From its server. */
  readonly server: readonly DiscoveredModel[];
}

/** One file, as it is written. */
interface KeptFile {
  readonly version: 1;
  readonly catalog?: { readonly from: string; readonly at: string; readonly models: readonly DiscoveredModel[] };
  readonly server?: { readonly from: string; readonly at: string; readonly models: readonly DiscoveredModel[] };
}

const nothing: KeptFacts = { catalog: [], server: [] };
const sizeLimit = 16 * 1024 * 1024;

/** The answers of `kern models refresh`, a file for each provider. What cannot be read counts as never asked. */
export class Kept {
  readonly #folder: string;
  readonly #complain: (problem: string) => void;
  readonly #read = new Map<string, { readonly stamp: string; readonly file: KeptFile | undefined }>();

  constructor(home: string, complain: (problem: string) => void) {
    this.#folder = path.join(home, 'cache', 'models');
    this.#complain = complain;
  }

  /** What counts for a provider now: of a catalogue only while its models are from there, of a server only of this one. */
  of(provider: string, catalog: string | undefined, address: string | undefined): KeptFacts {
    if (catalog === undefined && address === undefined) return nothing;
    const file = this.#file(provider);
    if (file === undefined) return nothing;
    return {
      catalog: catalog === undefined ? [] : (file.catalog?.models ?? []),
      server: address !== undefined && file.server?.from === address ? file.server.models : [],
    };
  }

  /** Replaces one part of what is kept of a provider. Never half a file. */
  keep(provider: string, part: 'catalog' | 'server', from: string, models: readonly DiscoveredModel[]): void {
    const place = this.#place(provider);
    const before = this.#file(provider);
    const file: KeptFile = { ...before, version: 1, [part]: { from, at: new Date().toISOString(), models } };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = `${place}.${process.pid}.tmp`;
    try {
      writeFileSync(fresh, JSON.stringify(file), { mode: 0o600, flush: true });
      renameSync(fresh, place);
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  }

  #place(provider: string): string {
    return path.join(this.#folder, `${encodeURIComponent(provider)}.json`);
  }

  #file(provider: string): KeptFile | undefined {
    const place = this.#place(provider);
    const found = statSync(place, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`;
    const known = this.#read.get(provider);
    if (known?.stamp === stamp) return known.file;
    const file = found.isFile() && found.size <= sizeLimit ? parsed(place) : undefined;
    this.#read.set(provider, { stamp, file });
    if (file === undefined)
      this.#complain(`${place} cannot be read and is left out; \`kern models refresh ${provider}\` writes it anew`);
    return file;
  }
}

function parsed(place: string): KeptFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(place, 'utf8'));
    if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return undefined;
    const catalog = partOf(value, 'catalog');
    const server = partOf(value, 'server');
    return {
      version: 1,
      ...(catalog === undefined ? {} : { catalog }),
      ...(server === undefined ? {} : { server }),
    };
  } catch {
    return undefined; // torn, or gone a moment ago
  }
}

function partOf(file: object, part: 'catalog' | 'server'): KeptFile['catalog'] {
  const value = (file as Record<string, unknown>)[part];
  if (typeof value !== 'object' || value === null || !('models' in value) || !Array.isArray(value.models))
    return undefined;
  const from = 'from' in value && typeof value.from === 'string' ? value.from : '';
  const at = 'at' in value && typeof value.at === 'string' ? value.at : '';
  return { from, at, models: value.models.flatMap((one: unknown) => readFacts(one) ?? []) };
}
