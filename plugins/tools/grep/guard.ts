import { createContext, Script } from 'node:vm';
import { codeOf } from 'kern/plugin';

/** Runs a piece of work that must not go on for ever. */
export interface Guard {
  /** False when the work was stopped in the middle. */
  run(work: () => void): boolean;
}

/** A pattern that backtracks can be interrupted by nothing but this: no timer fires while it runs. */
export function createGuard(limitMs: number): Guard {
  const context = createContext({ work: undefined });
  const script = new Script('work()');
  return {
    run(work) {
      context.work = work;
      try {
        script.runInContext(context, { timeout: limitMs });
        return true;
      } catch (error) {
        // A pattern may also fill the stack that it backtracks on.
        if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || error instanceof RangeError) return false;
        throw error;
      } finally {
        context.work = undefined;
      }
    },
  };
}
