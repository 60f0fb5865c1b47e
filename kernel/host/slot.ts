import { existsSync } from 'node:fs';
import type { PluginUnit } from '../activation.ts';
import type { Level } from '../capability.ts';
import { KernError } from '../error.ts';
import type { PluginDefinition } from '../plugin.ts';
import { builtinKey, type IdlePlugin, type Snapshot, unitKey } from '../snapshot.ts';
import { type Place, type PlaceState, placeKey } from './place.ts';

/** A place, and what became of it. */
export interface Slot {
  place: Place;
  /** The key it is known to the kernel under: live, asleep, switched off, or kept while a newer revision fails. */
  key: string | undefined;
  /** The key its last failure is booked on. */
  failedKey: string | undefined;
  revision: number;
  /** How long its code took to load. */
  loadMs: number | undefined;
  status: PlaceState;
  files: readonly string[];
  missing: readonly string[];
  /** Loaded, and refused because of other plugins: tried again when those change. */
  refused: PluginDefinition | undefined;
  /** What stands for it while it sleeps. */
  sleeper: IdlePlugin | undefined;
  /** It was used: from then on it is loaded like any other. */
  isWanted: boolean;
  /** Its file is away: cancels the wait for it to come back. */
  leaving: (() => void) | undefined;
}

export function newSlot(place: Place): Slot {
  return {
    place,
    key: undefined,
    failedKey: undefined,
    revision: 0,
    loadMs: undefined,
    status: { state: 'new' },
    files: [place.entry],
    missing: [],
    refused: undefined,
    sleeper: undefined,
    isWanted: false,
    leaving: undefined,
  };
}

/** Found in a folder, and gone when it is found no more; the others were named, and wait for their file. */
export const isFound = ({ place: { level } }: Slot): boolean => level === 'user' || level === 'project';

/** It makes way: its file is away, for a moment or for good. */
export const isLeaving = ({ leaving, place }: Slot): boolean => leaving !== undefined || !existsSync(place.entry);

/** How messages name it: by its id, as soon as that is known. */
export function whoIs({ place, key, revision }: Slot): {
  readonly key: string;
  readonly id: string;
  readonly level: Level;
  readonly source: string;
  readonly revision: number;
  readonly stake?: string;
} {
  const { level, entry, name, stake } = place;
  return {
    key: key ?? placeKey(place),
    id: key?.split(':').at(-1) ?? name,
    level,
    source: entry,
    revision,
    ...(stake === undefined ? {} : { stake }),
  };
}

export function keyOf({ level, root }: Place, id: string): string {
  return level === 'builtin' ? builtinKey(id) : unitKey(level, root, id);
}

/** What is put into the kernel. The source of a built-in is the same whether it runs from its sources or not. */
export function unitOf({ place, revision, files, loadMs }: Slot, definition: PluginDefinition): PluginUnit {
  const { level, entry, root, stake } = place;
  return {
    key: keyOf(place, definition.id),
    level,
    source: level === 'builtin' ? 'built-in' : entry,
    definition,
    revision,
    files,
    ...(loadMs === undefined ? {} : { loadMs }),
    ...(root === undefined ? {} : { root }),
    ...(stake === undefined ? {} : { stake }),
  };
}

/** Whether a plugin that one at this place requires is there, or wakes for it. */
export function isThere(id: string, place: Place, { idle, activations }: Snapshot): boolean {
  const isSeen = (level: Level | undefined, root: string | undefined): boolean =>
    level !== 'project' || (place.level === 'project' && place.root === root);
  return (
    idle.some((plugin) => plugin.id === id && isSeen(plugin.level, plugin.root)) ||
    activations.some(
      ({ unit: { definition, level, root } }) =>
        (definition.id === id || definition.replaces === id) && isSeen(level, root),
    )
  );
}

export function idTaken(id: string, { entry }: Place, by: Place): KernError {
  return new KernError('id_taken', `the id ${id} (${entry}) is taken by ${by.entry}`, {
    hint: 'two plugins of one level need two ids',
  });
}

export const whyBlocked = (trust: 'untrusted' | 'changed'): string =>
  trust === 'changed' ? 'its content is no longer what was trusted' : 'this project is not trusted';
