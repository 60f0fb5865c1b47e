import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { KernError, type TerminalOptions } from 'kern/plugin';
import { notStarted, type Place, type Started } from './start.ts';

/** Pagers would wait for a key that nobody presses. */
const pagers = { PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat' };

/** Starts a child that leads a session of its own, on a terminal of its own. */
export async function startInTerminal(
  command: string,
  args: readonly string[],
  { columns, rows }: TerminalOptions,
  { cwd, env, rings }: Place,
): Promise<Started> {
  const { spawn } = await import('@lydell/node-pty').catch((cause: unknown) => {
    throw new KernError(
      'terminal_missing',
      `${command} was not started in a terminal: the optional package @lydell/node-pty is not installed, or not for ${process.platform}-${process.arch}`,
      { hint: 'Run it without a terminal, or reinstall kern with its optional packages.', cause },
    );
  });
  let terminal: ReturnType<typeof spawn>;
  try {
    terminal = spawn(command, [...args], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd,
      env: { ...pagers, ...env },
      encoding: null,
    });
  } catch (error) {
    throw notStarted(command, cwd, error);
  }
  const stream = new Readable({ read: () => undefined });
  // Without an encoding it hands out bytes; its types know text alone.
  terminal.onData(
    (piece: string | Uint8Array) => void stream.push(typeof piece === 'string' ? Buffer.from(piece) : piece),
  );
  const exit = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  terminal.onExit(({ exitCode, signal }) => {
    stream.push(null);
    exit.resolve(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null });
  });
  return {
    pid: terminal.pid,
    exit: exit.promise,
    sources: [{ stream, ring: rings.out, name: 'stdout' }],
    stdin: undefined,
  };
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}
