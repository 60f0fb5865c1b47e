import { KernError } from 'kern/plugin';

/** What programs look for in any object, to see what it is. */
const probes = new Set(['then', 'toJSON', 'constructor', '$$typeof', 'nodeType', 'asymmetricMatch', 'inspect']);

/** A module whose missing names are errors that name them: what kern does not stand in for must not be `undefined` in silence. */
export function strictModule(name: string, exports: Readonly<Record<string, unknown>>): object {
  const whole: Record<string, unknown> = { ...exports };
  whole.default ??= exports;
  return new Proxy(whole, {
    get(target, key) {
      if (key === '__esModule') return true;
      if (typeof key === 'symbol' || Object.hasOwn(target, key) || probes.has(key)) return Reflect.get(target, key);
      throw new KernError('foreign_name_missing', `${name} has no ${key} in kern`, {
        hint: '`kern docs extensions` says what of it there is; the rest belongs to the other program',
      });
    },
  });
}
