const { Script } = process.getBuiltinModule('node:vm');

/** The name under which the script finds what it calls, for as long as it runs. */
const slot = 'kern:call';

/**
 * Calls a function that may not give way: after `ms` without its end it is broken off, and `late` says what is thrown. What
 * it does after its first `await` is not covered, and needs no cover: others have their turn then, time limits among them.
 */
export function brokenOff<T>(ms: number, fn: () => T, late: () => Error): T {
  let answer: { readonly value: T } | undefined;
  const call = (): void => {
    answer = { value: fn() };
  };
  // One call may stand within another: the outer one finds its own again.
  const outer = Object.getOwnPropertyDescriptor(globalThis, slot);
  Object.defineProperty(globalThis, slot, { configurable: true, value: call });
  try {
    new Script(`globalThis[${JSON.stringify(slot)}]()`, { filename: 'kern' }).runInThisContext({ timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw late();
    throw error;
  } finally {
    if (outer === undefined) Reflect.deleteProperty(globalThis, slot);
    else Object.defineProperty(globalThis, slot, outer);
  }
  if (answer === undefined) throw late();
  return answer.value;
}
