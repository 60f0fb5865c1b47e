import type { ToolResult } from '../contract.ts';
import { textResult } from '../result.ts';

/** Between two updates of a result that grows. */
const updateMs = 100;

/** Tells what was found so far, now and then. */
export interface Updates {
  soon(): void;
  stop(): void;
}

export function createUpdates(onUpdate: (partial: ToolResult) => void, text: () => string): Updates {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        onUpdate(textResult(text()));
      }, updateMs);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
