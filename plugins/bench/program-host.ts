import { join } from 'node:path';
import { KernError } from 'kern/plugin';
import { createAnswers } from './answers.ts';
import type { Ground, Place } from './ground.ts';

/** A program beside this file that stays open: a JSON line in, a JSON line out, and it times itself. */
export interface ProgramHost<Request, Answer> extends AsyncDisposable {
  ask(request: Request): Promise<Answer>;
}

/** For all rounds together. */
const limitMs = 900_000;

export function openProgram<Request, Answer extends object>(
  ground: Ground,
  name: string,
  place: Place,
): ProgramHost<Request, Answer> {
  const answers = createAnswers();
  const program = join(ground.root, 'plugins', 'bench', name);
  const started = ground.startNode([program, place.home, place.cwd], {
    knowsKern: true,
    input: 'pipe',
    timeoutMs: limitMs,
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') answers.push(chunk);
    },
  });
  const ended = ground.ended(started);
  // It is looked at where it is waited for.
  ended.catch(() => undefined);
  return {
    async ask(request) {
      started.child.write(`${JSON.stringify(request)}\n`);
      const line = await Promise.race([answers.next(), ended.then(() => undefined)]);
      const said = line === undefined ? { failed: 'it ended' } : (JSON.parse(line) as Answer | { failed: string });
      if ('failed' in said) throw new KernError('bench_failed', `what was to be measured failed: ${said.failed}`);
      return said;
    },
    async [Symbol.asyncDispose]() {
      started.child.end();
      await ended;
    },
  };
}
