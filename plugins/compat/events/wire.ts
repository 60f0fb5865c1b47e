import type { AgentSession } from 'kern/contracts';
import type { ActiveTools } from '../active-tools.ts';
import type { Extension } from '../extension.ts';
import type { Runs } from '../follow.ts';

/** What extensions of one kernel share: each sees what those before it have made of the same thing. */
export interface Shared {
  /** Inputs on their way, by the object that the hook was called with. */
  readonly inputs: WeakMap<object, InputSeen>;
  /** The same, by their text, until they are sent. */
  readonly changed: Map<string, InputSeen>;
}

export interface InputSeen {
  text: string;
  images: readonly unknown[];
}

export interface WireParts {
  readonly extension: Extension;
  readonly shared: Shared;
  readonly runs: Runs;
  readonly active: ActiveTools;
}

/** Taps what an event needs. Called with the first handler of it. */
export type Wire = (parts: WireParts) => void;

/** The session a hook is called in. */
export function around(extension: Extension): AgentSession | undefined {
  return extension.session();
}

/** A part that others may change, and not what it was made of. */
export function copied<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value; // functions: it is handed over as it is
  }
}
