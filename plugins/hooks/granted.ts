import type { HookItem } from 'kern/contracts';
import type { Context, Entry } from 'kern/plugin';
import { stateOf } from './gate.ts';

type Hook = Entry<HookItem>;

/**
 * The hooks of a project as they were when they could run. An edit that nobody has trusted takes none of them away: what was
 * trusted goes on, so that a guard is not gone because its file was touched.
 */
export class Granted {
  readonly #ctx: Context;
  readonly #tell: (text: string) => void;
  readonly #last = new Map<string, Hook>();

  constructor(ctx: Context, tell: (text: string) => void) {
    this.#ctx = ctx;
    this.#tell = tell;
  }

  /** Each hook as it may run; where nothing of it may, as it stands there. */
  async inForce(hooks: readonly Hook[]): Promise<readonly Hook[]> {
    return Promise.all(hooks.map((hook) => this.#inForce(hook)));
  }

  async #inForce(hook: Hook): Promise<Hook> {
    const { item, origin } = hook;
    // Modules are kept by whoever loads them.
    if (origin.level !== 'project' || item.kind === 'module') return hook;
    const key = `${origin.provider}\0${item.path}\0${item.name}`;
    const last = this.#last.get(key);
    if (last?.item === item) return hook;
    const { state, why } = await stateOf(this.#ctx, hook);
    if (state === 'runs') {
      this.#last.set(key, hook);
      return hook;
    }
    if (last === undefined || (await stateOf(this.#ctx, last)).state !== 'runs') return hook;
    const file = item.name.replace(/#\d+$/, '');
    this.#tell(`the hooks of ${file} have changed and go on as they were${why === undefined ? '' : `: ${why}`}`);
    return last;
  }
}
