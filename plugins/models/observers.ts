import { type Entry, type Logger, messageOf, type View } from 'kern/plugin';
import { type ExchangeObserver, type ModelObserver, type ModelRequest, modelObservers } from './contract.ts';

/** Those who look on at one exchange. What one of them throws ends its looking on, and nothing else. */
export function observersOf(view: View, request: ModelRequest, log: Logger): ExchangeObserver | undefined {
  const known = view.use(modelObservers).entries();
  const looking = known.flatMap((entry) => (entry.verdict.state === 'won' ? looks(entry, request, log) : []));
  if (looking.length === 0) return undefined;
  return {
    event: (event) => {
      for (const one of looking) one((observer) => observer.event?.(event));
    },
    end: (end) => {
      for (const one of looking) one((observer) => observer.end?.(end));
    },
  };
}

type Tell = (fn: (observer: ExchangeObserver) => void) => void;

function looks({ item, origin }: Entry<ModelObserver>, request: ModelRequest, log: Logger): Tell[] {
  let observer: ExchangeObserver | undefined;
  const guarded = (fn: () => void): void => {
    try {
      fn();
    } catch (error) {
      observer = undefined;
      log.warn(`${origin.plugin}: the model observer ${item.id} failed and looks on no longer: ${messageOf(error)}`);
    }
  };
  guarded(() => {
    observer = item.begin(request);
  });
  if (observer === undefined) return [];
  return [(fn) => guarded(() => observer !== undefined && fn(observer))];
}
