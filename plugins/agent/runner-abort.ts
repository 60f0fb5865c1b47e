/** What the work comes to; undefined as soon as the signal aborts, whatever the work does then. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
