import type { Model } from './contract.ts';

/**
 * The model after the current one, or before it, of those to choose from (`choices()`), round and round. From a model that
 * is not among them: the first, or the last. Undefined where there is no other.
 */
export function nextModel(
  choices: readonly Model[],
  current: Model | undefined,
  direction: 'forward' | 'backward' = 'forward',
): Model | undefined {
  const at = choices.findIndex(({ id }) => id === current?.id);
  const step = direction === 'forward' ? 1 : -1;
  const from = at >= 0 ? at : direction === 'forward' ? -1 : choices.length;
  const next = choices[(from + step + choices.length) % choices.length];
  return next?.id === current?.id ? undefined : next;
}
