import { expect, test } from 'vitest';
import { createDeadline } from './deadline.ts';

const never = new Promise<never>(() => undefined);

test('what never answers is left at the limit', async () => {
  const deadline = createDeadline(new AbortController().signal, 0.01);
  expect(await deadline.ended(never)).toBe(false);
  expect([deadline.hasPassed, deadline.signal.aborted]).toEqual([true, true]);
  expect(deadline.notice).toBe('Stopped after 0.01 s; there may be more. Narrow the path.');
});

test('an abort is no end but an error', async () => {
  const abort = new AbortController();
  const ended = createDeadline(abort.signal, 60).ended(never);
  abort.abort(new Error('enough'));
  await expect(ended).rejects.toThrow('enough');
});

test('what ends in time ends as it would', async () => {
  const deadline = createDeadline(new AbortController().signal, 60);
  expect(await deadline.race(Promise.resolve(1))).toBe(1);
  expect(await deadline.ended(Promise.resolve())).toBe(true);
  await expect(deadline.ended(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(deadline.notice).toBeUndefined();
});
