import { KernError } from '../error.ts';
import { offerToPackages } from './resolve.ts';

/** What the host answers to, each loaded when it is first imported: `kern/plugin`, `zod`, … */
export type HostModules = Readonly<Record<string, () => object | Promise<object>>>;

/** Names of other agents that the host answers to in their place. */
export interface ForeignModules {
  readonly names: readonly string[];
  /** Of these an extension's own copy is meant, where it has one. */
  readonly unlessInstalled: readonly string[];
  /** Asked each time, since what answers may have been replaced. */
  load(name: string): Promise<object>;
}

/** The host's own objects under the names that extensions import. Nothing has to be installed beside them. */
export class HostNames {
  readonly #modules: HostModules;
  readonly #loaded = new Map<string, object>();
  readonly #loading = new Map<string, Promise<object>>();
  readonly #foreign: ForeignModules | undefined;

  constructor(modules: HostModules, foreign?: ForeignModules) {
    this.#modules = modules;
    this.#foreign = foreign;
  }

  has(id: string): boolean {
    return Object.hasOwn(this.#modules, id) || this.#foreign?.names.includes(id) === true;
  }

  /** Whether a copy of its own is what an extension means by the name. */
  yields(id: string): boolean {
    return this.#foreign?.unlessInstalled.includes(id) === true;
  }

  async load(id: string): Promise<object> {
    if (!Object.hasOwn(this.#modules, id) && this.#foreign?.names.includes(id) === true) {
      const loaded = await this.#foreign.load(id);
      this.#loaded.set(id, loaded); // for `require`
      return loaded;
    }
    const loading = this.#loading.get(id) ?? this.#load(id);
    this.#loading.set(id, loading);
    return loading;
  }

  async #load(id: string): Promise<object> {
    try {
      const loaded = this.#loaded.get(id) ?? (await this.#modules[id]?.());
      if (loaded === undefined) throw new KernError('host_name_unknown', `the host has no module ${id}`);
      this.#loaded.set(id, loaded);
      return loaded;
    } catch (error) {
      this.#loading.delete(id); // the next import tries again
      throw error;
    }
  }

  /** For `require`, which cannot wait. */
  get(id: string): object {
    const loaded = this.#loaded.get(id) ?? this.#modules[id]?.();
    if (loaded === undefined || loaded instanceof Promise) {
      throw new KernError('host_name_not_loaded', `require('${id}') came before the host had loaded it`, {
        hint: `write the name as a literal, require('${id}'), or use import`,
      });
    }
    this.#loaded.set(id, loaded);
    return loaded;
  }

  /** Packages keep their own zod, but there is one kernel: its names lead to it from everywhere. */
  async offerKernel(): Promise<void> {
    for (const id of ['kern/plugin', 'kern/contracts']) if (this.has(id)) offerToPackages(id, await this.load(id));
    // What an extension imports itself, its packages mean too; they are not its own copies.
    for (const [id, loaded] of this.#loaded)
      if (this.#foreign?.names.includes(id) === true && !this.yields(id)) offerToPackages(id, loaded);
  }
}
