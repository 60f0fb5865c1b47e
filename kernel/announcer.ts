import { changesBetween } from './changes.ts';
import { type CapabilityChange, capabilityChanged, configChanged, type PluginChange, pluginChanged } from './events.ts';
import type { View } from './plugin.ts';
import type { Journal } from './report.ts';
import type { Snapshot } from './snapshot.ts';

export interface AnnouncerPorts {
  readonly journal: Journal;
  /** Whose taps hear of it. */
  readonly outlook: View;
}

/** More than this in one go is a circle: a listener changes what it is told of. */
const most = 1_000;

/** Tells one thing after the other: what a listener causes is told when all have heard what it answers to. */
export class Announcer {
  readonly #ports: AnnouncerPorts;
  readonly #waiting: (() => void)[] = [];
  #isTelling = false;

  constructor(ports: AnnouncerPorts) {
    this.#ports = ports;
  }

  plugin(change: PluginChange): void {
    this.tell(() => this.#ports.outlook.call(pluginChanged, change));
  }

  config(keys: readonly string[]): void {
    if (keys.length > 0) this.tell(() => this.#ports.outlook.call(configChanged, { keys }));
  }

  capabilities(before: Snapshot, after: Snapshot): void {
    if (this.isHeard) this.changes(changesBetween(before, after));
  }

  /** Somebody wants to hear of capabilities. */
  get isHeard(): boolean {
    return this.#ports.outlook.taps(capabilityChanged) > 0;
  }

  changes(changes: readonly CapabilityChange[]): void {
    for (const change of changes) this.tell(() => this.#ports.outlook.call(capabilityChanged, change));
  }

  tell(fn: () => void): void {
    this.#waiting.push(fn);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      let told = 0;
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        told += 1;
        if (told <= most) {
          next();
          continue;
        }
        this.#waiting.length = 0;
        this.#ports.journal.add(
          'kern',
          'error',
          'announce_circle',
          'a listener of plugin.changed or capability.changed keeps changing what it is told of; the rest is not told',
        );
      }
    } finally {
      this.#isTelling = false;
    }
  }
}
