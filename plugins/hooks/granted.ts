import type { HookItem } from 'kern/contracts';
import type { Context, Entry } from 'kern/plugin';
import { stateOf } from './gate.ts';

type Hook = Entry<HookItem>;

const keyOf = ({ origin, item }: Hook): string => `${origin.provider}\0${item.path}\0${item.name}`;
const fileOf = ({ item }: Hook): string => item.name.replace(/#\d+$/, '');

/**
 * The hooks of a project as they were when they could run. Nothing that nobody has trusted takes one of them away, be it an
 * edit or that it is gone: what was trusted goes on, so that a guard does not open because its file was touched.
 */
export class Granted {
  readonly #ctx: Context;
  readonly #tell: (text: string) => void;
  readonly #last = new Map<string, Hook>();

  constructor(ctx: Context, tell: (text: string) => void) {
    this.#ctx = ctx;
    this.#tell = tell;
  }

  /** Each hook as it may run; where nothing of it may, as it stands there. With them those that are gone. */
  async inForce(hooks: readonly Hook[]): Promise<readonly Hook[]> {
    const found = await Promise.all(hooks.map((hook) => this.#inForce(hook)));
    const names = new Set(hooks.map(keyOf));
    const gone = Array.from(this.#last).filter(([key]) => !names.has(key));
    return gone.length === 0 ? found : [...found, ...(await this.#gone(gone))];
  }

  /** Whether it ran, or could have: then what was trusted of it may not be passed over. */
  wasInForce(hook: Hook): boolean {
    return this.#last.get(keyOf(hook))?.item === hook.item;
  }

  /** Whether any hook of the same file is in force. */
  hasOf({ item, origin }: Hook): boolean {
    return Array.from(this.#last.values()).some(
      (last) => last.origin.provider === origin.provider && last.item.path === item.path,
    );
  }

  /** Nothing is held on to any more: no session is there. */
  forget(): void {
    this.#last.clear();
  }

  async #inForce(hook: Hook): Promise<Hook> {
    const { item, origin } = hook;
    // Modules are kept by whoever loads them.
    if (origin.level !== 'project' || item.kind === 'module') return hook;
    const key = keyOf(hook);
    const last = this.#last.get(key);
    if (last?.item === item) return hook;
    const { state, why } = await stateOf(this.#ctx, hook);
    if (state === 'runs') {
      this.#last.set(key, hook);
      return hook;
    }
    if (last === undefined || !(await this.#holds(key, last))) return hook;
    this.#tell(
      `the hooks of ${fileOf(hook)} have changed and go on as they were${why === undefined ? '' : `: ${why}`}`,
    );
    return last;
  }

  async #gone(hooks: readonly (readonly [string, Hook])[]): Promise<readonly Hook[]> {
    const held: Hook[] = [];
    for (const [key, hook] of hooks) {
      if (this.#isOff(hook)) this.#last.delete(key);
      else if (await this.#holds(key, hook)) {
        this.#tell(
          `the hooks of ${fileOf(hook)} are gone and go on as they were, until the session ends or \`kern trust revoke\` takes them back`,
        );
        held.push(hook);
      }
    }
    return held;
  }

  /** Whether a person still trusts it as it was, or did until its files were changed. */
  async #holds(key: string, last: Hook): Promise<boolean> {
    const { state } = await stateOf(this.#ctx, last);
    const holds = state === 'runs' || state === 'changed';
    if (!holds) this.#last.delete(key);
    return holds;
  }

  /** Whether the person has switched it off: what a project says of itself is not looked at. */
  #isOff({ origin: { provider }, key }: Hook): boolean {
    const said = this.#ctx.setting(`providers.${provider}`);
    // No project has a say in what is the person's own.
    const isOff = (level: string): boolean =>
      typeof said === 'object' && said !== null && Reflect.get(said, level) === false;
    if (isOff('user') && isOff('project')) return true;
    const names = (list: string): readonly unknown[] => {
      const named = this.#ctx.setting(list);
      return Array.isArray(named) ? named : [];
    };
    const off = names('disabledProviders');
    return (
      off.includes(provider) || off.includes(`${provider}:project`) || names('disabledItems').includes(`hook:${key}`)
    );
  }
}
