import type { Where } from './capability.ts';
import type { PresencePort, WatchPort } from './options.ts';
import type { Handle } from './plugin.ts';
import type { IdlePlugin } from './snapshot.ts';

export interface LookoutPorts {
  readonly presence: PresencePort;
  watch: WatchPort['watch'];
  /** A level of a provider is switched off. */
  isOff(provider: string, level: 'user' | 'project'): boolean;
  /** Files that were missing for these capabilities may have come. */
  again(capabilities: readonly string[], where: Where): void;
}

/** A place in which somebody sleeps for want of files. */
interface Outpost {
  readonly where: Where;
  readonly capabilities: Set<string>;
  readonly paths: Set<string>;
  handle: Handle | undefined;
}

/** So many places are watched at most; in others what came is seen when it is asked for. */
const mostPlaces = 16;

/** Tells which sleepers have files to speak of, and looks out for those that have none yet. */
export class Lookout {
  readonly #ports: LookoutPorts;
  readonly #outposts = new Map<string, Outpost>();

  constructor(ports: LookoutPorts) {
    this.#ports = ports;
  }

  /** Without those that look for files of which none is there. */
  async withFiles(plugins: readonly IdlePlugin[], capability: string, where: Where): Promise<readonly IdlePlugin[]> {
    const missing = new Set<string>();
    const isIn = await Promise.all(
      plugins.map(async (plugin) => {
        const paths = this.#pathsOf(plugin, capability);
        if (paths === undefined) return true;
        if (paths.length === 0) return false;
        const { isThere, watch } = await this.#ports.presence.look(paths, where);
        if (!isThere) for (const path of watch) missing.add(path);
        return isThere;
      }),
    );
    if (missing.size > 0) this.#watch(missing, capability, where);
    return plugins.filter((_, at) => isIn[at]);
  }

  /** What may be looked for now; undefined where it does not depend on files. */
  #pathsOf({ looksFor, provider }: IdlePlugin, capability: string): readonly string[] | undefined {
    const paths = looksFor !== undefined && Object.hasOwn(looksFor, capability) ? looksFor[capability] : undefined;
    if (provider === undefined) return paths;
    return paths?.filter((path) => !this.#ports.isOff(provider, /^[~$]/.test(path) ? 'user' : 'project'));
  }

  #watch(paths: ReadonlySet<string>, capability: string, where: Where): void {
    const key = `${where.root}\0${where.cwd}`;
    const outpost = this.#outposts.get(key) ?? { where, capabilities: new Set(), paths: new Set(), handle: undefined };
    // The last that was asked for is the last to be forgotten.
    this.#outposts.delete(key);
    this.#outposts.set(key, outpost);
    outpost.capabilities.add(capability);
    if (!paths.isSubsetOf(outpost.paths)) {
      for (const path of paths) outpost.paths.add(path);
      outpost.handle = this.#ports.watch(`lookout:${key}`, [...outpost.paths], () =>
        this.#ports.again([...outpost.capabilities], where),
      );
    }
    for (const [other, { handle }] of this.#outposts) {
      if (this.#outposts.size <= mostPlaces) break;
      handle?.dispose();
      this.#outposts.delete(other);
    }
  }

  close(): void {
    for (const { handle } of this.#outposts.values()) handle?.dispose();
    this.#outposts.clear();
  }
}
