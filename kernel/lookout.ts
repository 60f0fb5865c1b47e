import type { Where } from './capability.ts';
import type { PresencePort, WatchPort } from './options.ts';
import type { Handle } from './plugin.ts';
import { type IdlePlugin, sleeperKey } from './snapshot.ts';

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
  /** Who was found to have nothing, and of what: as long as nothing comes, nobody looks again. */
  readonly idle: Set<string>;
  handle: Handle | undefined;
}

/** What was looked for in vain. */
interface Missing {
  /** Where it would come. */
  readonly missing: ReadonlySet<string>;
  readonly idle: ReadonlySet<string>;
  readonly capability: string;
  readonly where: Where;
  /** When it was looked for: what came since is told. */
  readonly since: number;
}

const placeKey = ({ root, cwd }: Where): string => `${root}\0${cwd}`;

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
    const known = this.#outposts.get(placeKey(where));
    const since = Date.now();
    const missing = new Set<string>();
    const idle = new Set<string>();
    const isIn = await Promise.all(
      plugins.map(async (plugin) => {
        const paths = this.#pathsOf(plugin, capability);
        if (paths === undefined) return true;
        // With a level that is switched off, fewer are looked for.
        const name = `${capability}\0${sleeperKey(plugin)}\0${paths.length}`;
        if (paths.length === 0 || known?.idle.has(name) === true) return false;
        const { isThere, watch } = await this.#ports.presence.look(paths, where);
        if (isThere) return true;
        for (const path of watch) missing.add(path);
        idle.add(name);
        return false;
      }),
    );
    if (missing.size > 0) this.#watch({ missing, idle, capability, where, since });
    return plugins.filter((_, at) => isIn[at]);
  }

  /** What may be looked for now; undefined where it does not depend on files. */
  #pathsOf({ looksFor, provider }: IdlePlugin, capability: string): readonly string[] | undefined {
    const paths = looksFor !== undefined && Object.hasOwn(looksFor, capability) ? looksFor[capability] : undefined;
    if (provider === undefined) return paths;
    return paths?.filter((path) => !this.#ports.isOff(provider, /^[~$]/.test(path) ? 'user' : 'project'));
  }

  #watch({ missing, idle, capability, where, since }: Missing): void {
    const key = placeKey(where);
    const outpost =
      this.#outposts.get(key) ??
      ({ where, capabilities: new Set(), paths: new Set(), idle: new Set(), handle: undefined } satisfies Outpost);
    // The last that was asked for is the last to be forgotten.
    this.#outposts.delete(key);
    this.#outposts.set(key, outpost);
    outpost.capabilities.add(capability);
    for (const name of idle) outpost.idle.add(name);
    if (!missing.isSubsetOf(outpost.paths)) {
      for (const path of missing) outpost.paths.add(path);
      const come = (): void => {
        outpost.idle.clear();
        this.#ports.again([...outpost.capabilities], where);
      };
      outpost.handle = this.#ports.watch(`lookout:${key}`, [...outpost.paths], come, since);
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
