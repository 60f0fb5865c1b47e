import type { Kernel } from './kernel.ts';

/**
 * Errors that nobody caught go to the plugin that caused them; the process lives on. Those without an owner in this
 * kernel go to `unowned`, or, without one, on to the host: to its other handlers, else to Node's own end.
 * Answers with what takes the handlers away.
 */
export function installProcessHandlers(
  kernel: Kernel,
  unowned?: (error: unknown, kind: 'exception' | 'rejection') => void,
): () => void {
  const handle =
    (kind: 'exception' | 'rejection', event: 'uncaughtException' | 'unhandledRejection', own: () => unknown) =>
    (error: unknown) => {
      const activation = kernel.owners.current()?.activation;
      if (activation !== undefined) {
        kernel.journal.failure(
          activation.id,
          'stray_error',
          kind === 'exception' ? 'code that nobody waits for' : 'a promise that nobody waits for',
          error,
        );
        return;
      }
      if (unowned !== undefined) return unowned(error, kind);
      // Another kernel of this process, or the host, may know whose it is.
      if (process.listeners(event as 'uncaughtException').some((listener) => listener !== own())) return;
      process.off(event, own() as () => void);
      throw error;
    };
  const onException: (error: unknown) => void = handle('exception', 'uncaughtException', () => onException);
  const onRejection: (error: unknown) => void = handle('rejection', 'unhandledRejection', () => onRejection);
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  };
}
