import { expect, test } from 'vitest';
import { listenToSignals } from './signals.ts';

/** Signals as the process would tell of them, without sending any. */
function listening() {
  const told: string[] = [];
  const signals = listenToSignals(
    () => told.push('crash'),
    (code) => told.push(`exit ${code}`),
  );
  return { told, signals, [Symbol.dispose]: () => signals.dispose() };
}

test('the first signal asks for an orderly end, the second ends at once, children first', () => {
  using heard = listening();
  process.emit('SIGINT');
  expect(heard.signals.signal.aborted).toBe(true);
  expect(heard.signals.exitCode).toBe(130);
  expect(heard.told).toEqual([]);
  process.emit('SIGINT');
  expect(heard.told).toEqual(['crash', 'exit 130']);
});

test('each signal has its exit code, and the reason of the abort carries it', () => {
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    using heard = listening();
    process.emit(name);
    expect(heard.signals.exitCode).toBe(code);
    expect(heard.signals.signal.reason).toMatchObject({ name: 'AbortError', exitCode: code });
  }
});

test('an end for another reason is no signal', () => {
  using heard = listening();
  heard.signals.abort();
  expect(heard.signals.signal.aborted).toBe(true);
  expect(heard.signals.exitCode).toBeUndefined();
});

test('nothing is left listening', () => {
  const before = process.listenerCount('SIGINT');
  listening()[Symbol.dispose]();
  expect(process.listenerCount('SIGINT')).toBe(before);
});
