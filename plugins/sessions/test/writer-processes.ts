import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A process that writes a session, and what it said so far. */
export interface WritingProcess {
  readonly child: ChildProcess;
  readonly said: readonly string[];
  /** Resolves with the line when it has said one that begins so, for the n-th time. */
  heard(start: string, times?: number): Promise<string>;
  /** What it was told is on disk: `name n id`. */
  acknowledged(): readonly string[];
  /** Asks it to end; resolves when it has. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export function writingProcess(home: string, name: string, file = '', gate = ''): WritingProcess {
  const script = fileURLToPath(new URL('writing-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, home, name, file, gate], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    for (const check of waiting) check();
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  const count = (start: string): string[] => said.filter((line) => line.startsWith(start));
  return {
    child,
    said,
    heard: (start, times = 1) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const line = count(start)[times - 1];
          if (line === undefined) return;
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        void closed.then(() => reject(new Error(`it ended before it said ${start}: ${said.slice(-5).join(' | ')}`)));
        check();
      }),
    acknowledged: () => count('ack ').map((line) => line.slice(4)),
    async stop() {
      child.stdin.end();
      await closed;
    },
    kill,
  };
}
