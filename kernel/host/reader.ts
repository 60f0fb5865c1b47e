import { sep } from 'node:path';
import type { Clock } from '../clock.ts';
import { codeOf, KernError } from '../error.ts';
import { within } from '../limit.ts';
import type { PluginDefinition } from '../plugin.ts';
import type { Trust } from '../trust/trust.ts';
import { definitionOf } from './definition.ts';
import type { Loader } from './load.ts';
import { LoadError } from './load-error.ts';
import { type Place, trustItemOf } from './place.ts';

/** What has to be watched of a place. */
export interface Seen {
  readonly files: readonly string[];
  readonly missing: readonly string[];
  /** SHA-256 of each file as it was read. */
  readonly contents: ReadonlyMap<string, string>;
}

export type Read =
  | { readonly state: 'read'; readonly definition: PluginDefinition; readonly seen: Seen }
  /** With what was seen until then, where that is known. */
  | { readonly state: 'failed'; readonly error: unknown; readonly seen: Seen | undefined };

export interface ReaderPorts {
  readonly loader: () => Loader;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly limitMs: number;
  /** Makes a plugin of a default export that is a function. Without it none is. */
  readonly adopt?: Adopt | undefined;
}

/** What a module exports where its host calls it: the extensions of other agents. */
export type Factory = (api: never) => unknown;
export type Adopt = (factory: Factory, place: Place) => PluginDefinition;

/** A timer that comes later than this was held up. */
const blockedMs = 100;

/** Runs the code of places, as far as the gate lets it and no longer than it may take. */
export class Reader {
  readonly #ports: ReaderPorts;
  /** When a file was last read by whatever is loading. */
  #progress = 0;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** `late` is told of files that code imports only when it runs. Never rejects. */
  async read(place: Place, late: (file: string, hash: string) => void): Promise<Read> {
    let seen: Seen | undefined;
    try {
      if (place.make?.of === 'program') {
        seen = { files: [place.entry], missing: [], contents: new Map() };
        return { state: 'read', definition: definitionOf(await place.make.plugin(undefined), place.entry), seen };
      }
      const admit = await this.#admission(place);
      const reading = this.#ports.loader().load(place.entry, { root: place.folder, admit, onLateFile: late });
      const { exports, files, outside, missing, contents } = await this.#inTime(place, reading);
      // A built-in's contract and helpers of other rooms reload their owners, not everyone who imports them.
      const own = place.level === 'builtin' ? files.filter((file) => !outside.includes(file)) : files;
      seen = { files: [place.entry, ...own], missing, contents };
      return { state: 'read', definition: await this.#definitionOf(exports, place), seen };
    } catch (cause) {
      const error = place.mend !== undefined && isOfCode(cause) ? cause.instead(place.mend) : cause;
      if (!(error instanceof LoadError)) return { state: 'failed', error, seen };
      const { files, missing, contents } = error;
      return { state: 'failed', error, seen: { files: [place.entry, ...files], missing, contents } };
    }
  }

  async #definitionOf(exports: unknown, place: Place): Promise<PluginDefinition> {
    const { adopt } = this.#ports;
    if (place.make !== undefined) return definitionOf(await place.make.plugin(exports), place.entry);
    const isForeign = typeof exports === 'function' && adopt !== undefined && place.level !== 'builtin';
    return definitionOf(isForeign ? adopt(exports as Factory, place) : exports, place.entry);
  }

  /** What the gate looked at and what runs must be the same bytes, imports that no scan foresees included. */
  async #admission(place: Place): Promise<(file: string, hash: string) => void> {
    const { trust, clock } = this.#ports;
    const seal = place.level === 'project' ? await trust.seal(trustItemOf(place)) : undefined;
    return (file, hash) => {
      this.#progress = clock.now();
      if (seal === undefined || seal.get(file) === hash || !file.startsWith(trust.root + sep)) return;
      throw new KernError('file_untrusted', `${file} is not part of what was trusted for ${place.name}`, {
        hint: 'look at it, then run `kern trust grant`',
      });
    };
  }

  /** Many load side by side and share one processor: late is what waits while none of them gets on. */
  async #inTime<T>(place: Place, reading: Promise<T>): Promise<T> {
    const { clock, limitMs } = this.#ports;
    const late = Symbol('late');
    let since = clock.now();
    for (;;) {
      const read = await within(clock, Math.max(1, since + limitMs - clock.now()), reading, () => late);
      if (read !== late) return read as T;
      const now = clock.now();
      // Nobody got on while something else kept the processor: that is not the plugin's fault.
      const isBlocked = now - since > limitMs + blockedMs;
      if (this.#progress <= since && !isBlocked)
        throw new KernError('load_late', `${place.entry} did not load within ${limitMs} ms`, {
          hint: 'what it awaits at its top level belongs into what is called later',
        });
      since = isBlocked ? now : this.#progress;
    }
  }
}

/** What is wrong with the code itself. */
const isOfCode = (error: unknown): error is LoadError => error instanceof LoadError && error.code !== 'plugin_refused';

/** Code that a person has not looked at was kept from running. */
export const wasRefused = (error: unknown): boolean => codeOf(error) === 'plugin_refused';
