import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { execa } from 'execa';

/** Both ends of a pipe of the system. */
export interface Pipe {
  /** For the child, as stdout and stderr at once. Closed by us when the child has it. */
  readonly writeEnd: number;
  readonly stream: Socket;
  /** Calls `take` with each piece, in memory that is used again for the next. */
  read(take: (piece: Uint8Array) => void): void;
}

/** Makes pipes. Node itself gives children sockets, which they cannot open again as /dev/stderr, and one for each stream. */
export interface Pipes {
  readonly folder: string;
  open(): Promise<Pipe>;
  close(): void;
}

/** One call of mkfifo makes so many: it costs 4 ms, each pipe used then next to nothing. */
const batch = 8;

export function createPipes(start: typeof execa): Pipes {
  const folder = mkdtempSync(join(tmpdir(), 'kern-pipes-'));
  const ready: string[] = [];
  let made = 0;
  let making: Promise<void> | undefined;

  const make = async (): Promise<void> => {
    const paths = Array.from({ length: batch }, (_, at) => join(folder, String(made + at)));
    made += batch;
    await start('mkfifo', ['-m', '600', ...paths], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      cleanup: false,
    });
    ready.push(...paths);
  };

  return {
    folder,
    async open() {
      let path = ready.pop();
      while (path === undefined) {
        making ??= make().finally(() => {
          making = undefined;
        });
        await making;
        path = ready.pop();
      }
      const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const writeEnd = openSync(path, constants.O_WRONLY);
        return { writeEnd, ...reader(readEnd) };
      } catch (error) {
        closeSync(readEnd);
        throw error;
      } finally {
        unlinkSync(path);
      }
    },
    close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As much as the system hands out at once. */
const pieceBytes = 64 * 1024;

/** One piece of memory for all that is read: a gigabyte of output in fresh pieces would be tens of megabytes of waste. */
function reader(fd: number): Pick<Pipe, 'stream' | 'read'> {
  let take: ((piece: Uint8Array) => void) | undefined;
  const onread = {
    buffer: Buffer.alloc(pieceBytes),
    callback(length: number, buffer: Uint8Array): boolean {
      take?.(buffer.subarray(0, length));
      return true;
    },
  };
  // Node takes `onread` here as it does for connections; its types do not say so.
  const options = { fd, readable: true, writable: false, onread };
  return {
    stream: new Socket(options),
    read(listener) {
      take = listener;
    },
  };
}
