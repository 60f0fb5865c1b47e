import type { Ground, Place } from './ground.ts';
import { openProgram, type ProgramHost } from './program-host.ts';

/** What `session-host.mjs` takes. */
type Request =
  | { readonly do: 'append'; readonly count: number; readonly bytes: number; readonly together: boolean }
  | {
      readonly do: 'bareAppend';
      readonly count: number;
      readonly bytes: number;
      readonly together: boolean;
      readonly sync?: boolean;
    }
  | { readonly do: 'open' | 'bareParse'; readonly file: string }
  | { readonly do: 'resume'; readonly file: string; readonly model: string }
  | { readonly do: 'list'; readonly anew: boolean }
  | { readonly do: 'bareList'; readonly whole: boolean }
  | { readonly do: 'run'; readonly file?: string; readonly model: string };

/** How long it took, how much of that the process was at work, and the most memory that it ever had. */
interface Took {
  readonly ms: number;
  readonly cpuMs: number;
  readonly memoryMb: number;
}

/** A kern that stays open, in a process of its own, and does what is asked with its sessions. */
export type SessionHost = ProgramHost<Request, Took>;

export function openSessionHost(ground: Ground, place: Place): SessionHost {
  return openProgram<Request, Took>(ground, 'session-host.mjs', place);
}

/** One request to a process of its own. */
export async function askOnce(ground: Ground, place: Place, request: Request): Promise<Took> {
  await using host = openSessionHost(ground, place);
  return await host.ask(request);
}
