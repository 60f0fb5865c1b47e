import type { CustomMessage } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import { Calls } from './calls.ts';
import type { HookState } from './contract.ts';
import { Desk } from './desk.ts';
import { foundHooks, stateOf } from './gate.ts';
import { Runs } from './runs.ts';
import { sessionIdOf } from './scenes.ts';

/** Everything that asks hooks, once there are some. */
export class Rounds {
  readonly calls: Calls;
  readonly runs: Runs;
  readonly #desk: Desk;

  constructor(ctx: Context) {
    this.#desk = new Desk(ctx);
    this.calls = new Calls(this.#desk);
    this.runs = new Runs(this.#desk);
  }

  /** What hooks have for the model, before a run. */
  notes(): readonly CustomMessage[] {
    return this.#desk.takeNotes(sessionIdOf(this.#desk.ctx) ?? '');
  }

  denied(tool: string, reason: string): void {
    this.#desk.begin({ event: 'PermissionDenied', call: { tool, callId: '', args: {} }, fields: { reason } });
  }
}

export async function statesOf(ctx: Context): Promise<readonly HookState[]> {
  return Promise.all((await foundHooks(ctx)).map((entry) => stateOf(ctx, entry)));
}
